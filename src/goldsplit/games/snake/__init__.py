"""Snake on a square board (seed 003): many boards at once, features as a vector, flood fill as an option.

The ids and how to make them, with the options `size`, `flood_fill` and `hunger_limit`:

    gymnasium.make("goldsplit/Snake-plain-v0")                       one board of the plain world
    gymnasium.make_vec("goldsplit/Snake-plain-v0", num_envs=256)     the plain world of 256 boards
    gymnasium.make("goldsplit/Snake-fast-v0", flood_fill=True)       one board, compiled
    gymnasium.make_vec("goldsplit/Snake-batch-v0", num_envs=256)     256 boards in one compiled call
"""

from __future__ import annotations

import gymnasium

_PLACES = {
    "goldsplit/Snake-plain-v0": ("plain:SnakePlain", "plain:SnakePlainVector"),
    "goldsplit/Snake-fast-v0": ("fast:SnakeFast", None),
    "goldsplit/Snake-batch-v0": ("fast:SnakeFast", "batch:SnakeBatch"),
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
