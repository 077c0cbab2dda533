"""Retro (seed 004): Montezuma's Revenge on an emulated Atari 2600: pixels, and facts from its RAM.

    gymnasium.make("goldsplit/Retro-plain-v0")                   the way of the seed, with its faults
    gymnasium.make("goldsplit/Retro-fast-v0", max_steps=500)     the same answers, one compiled call a step
    gymnasium.make_vec("goldsplit/Retro-batch-v0", num_envs=8)   8 emulators, one compiled call for all views

The emulator is ale-py; registering does not need it, making a game does.
"""

from __future__ import annotations

import gymnasium

_PLACES = {
    "goldsplit/Retro-plain-v0": ("plain:RetroPlain", None),
    "goldsplit/Retro-fast-v0": ("fast:RetroFast", None),
    "goldsplit/Retro-batch-v0": ("fast:RetroFast", "batch:RetroBatch"),
}


def register() -> None:
    """Make the ids known to Gymnasium; calling it again changes nothing."""
    for name, (one, many) in _PLACES.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point=f"{__name__}.{one}",
                vector_entry_point=f"{__name__}.{many}" if many else None,
            )
