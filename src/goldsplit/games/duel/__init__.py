"""Duel: monster battles against a bot, played by a server in another process over a local socket."""

from __future__ import annotations

import gymnasium

_HERE = "goldsplit.games.duel"


def register() -> None:
    """Makes the twins known to Gymnasium; a second call changes nothing."""
    if "goldsplit/Duel-plain-v0" in gymnasium.registry:
        return
    gymnasium.register("goldsplit/Duel-plain-v0", entry_point=f"{_HERE}.plain:DuelPlain")
    gymnasium.register("goldsplit/Duel-fast-v0", entry_point=f"{_HERE}.fast:DuelFast")
    gymnasium.register(
        "goldsplit/Duel-batch-v0",
        entry_point=f"{_HERE}.fast:DuelFast",
        vector_entry_point=f"{_HERE}.batch:DuelBatch",
    )
