"""Proving grounds: the games of the seeds, each as a plain, a fast and a batch twin with equal answers.

Importing this package registers them with Gymnasium, and nothing more: no game's code is loaded before the
game is made.

    gymnasium.make("goldsplit/Snake-fast-v0")
    gymnasium.make_vec("goldsplit/Snake-batch-v0", num_envs=256)
"""

from __future__ import annotations

from goldsplit.games import duel, retro, skirmish, snake

GAMES = ("duel", "retro", "skirmish", "snake")


def register_all() -> None:
    """Register every game; calling it again changes nothing."""
    for game in (duel, retro, skirmish, snake):
        game.register()


register_all()
