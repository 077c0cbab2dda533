"""Skirmish: a small hex wargame of two sides with squads, objectives and victory points.

The game has three twins that play alike, move for move: `plain` (as a hobby author writes it), `fast` (one
game in one compiled call per step) and `batch` (many games in one compiled call). `docs/games/skirmish.md`
has the rules.
"""

from __future__ import annotations

import gymnasium

__all__ = ["register"]

_HERE = "goldsplit.games.skirmish"


def register() -> None:
    """Make the three twins known to Gymnasium; calling it again changes nothing."""
    twins = {
        "plain": {"entry_point": f"{_HERE}.plain:SkirmishPlain"},
        "fast": {"entry_point": f"{_HERE}.fast:SkirmishFast"},
        "batch": {
            "entry_point": f"{_HERE}.fast:SkirmishFast",
            "vector_entry_point": f"{_HERE}.batch:SkirmishBatch",
        },
    }
    for twin, entries in twins.items():
        name = f"goldsplit/Skirmish-{twin}-v0"
        if name not in gymnasium.registry:
            gymnasium.register(name, **entries)
