"""What Python calls: one compiled loop over the games of a batch, kept on disk between processes.

A single game is a batch of one, so that the fast and the batch twin run the same code. Numba finds kept
code by the file of the function that is called and does not notice changes in the files that this one uses;
so the call is made with a digest of those files, which is part of the key.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from goldsplit.games.skirmish.board_tables import SIDE
from goldsplit.games.skirmish.game_flow import answer, follow_game, start_game, step_game
from goldsplit.games.skirmish.kernel_options import entry

_SOURCES = (
    "kernel_options",
    "game_terms",
    "board_tables",
    "squad_queries",
    "squad_deeds",
    "bot_turn",
    "viewing",
    "game_flow",
    "../dice",
)


def _digest() -> int:
    """A number that changes with the rules' source."""
    digest = hashlib.sha256()
    for name in _SOURCES:
        digest.update((Path(__file__).parent / f"{name}.py").read_bytes())
    return int.from_bytes(digest.digest()[:7], "big")


def _made(version: int) -> Any:
    @entry
    def play(board: Any, games: Any, answers: Any, rows: Any, actions: Any, outside: bool) -> int:
        for k in range(rows.size):
            g = rows[k]
            if answers.ended[g]:
                start_game(board, games, g, outside)
            elif games.facts[g, SIDE] == 1:
                follow_game(board, games, g, actions[k], answers.mask[g])
            else:
                step_game(board, games, g, actions[k], answers.mask[g], outside)
            answer(board, games, g, answers)
        return version

    return play


play = _made(_digest())
"""play(board, games, answers, rows, actions, outside): go on in these games, each with its action.

A game that has ended begins anew, whatever its action; where the other side has to decide, the action is
its own.
"""
