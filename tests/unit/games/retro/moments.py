"""Moments of the game made by hand: RAM and screens that random play would seldom reach."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldsplit.games.retro import retro_rules as rules
from goldsplit.games.retro.retro_kernel import Sight, look, new_answer, new_memory

#: Where the game keeps what the tests change.
ROOM, SCORE_LOW, X, Y, THING_X, THING_Y, LEVEL, LIVES, ITEMS = 3, 21, 42, 43, 44, 45, 57, 58, 65
#: A table in which every colour code has a gray.
ALL_GRAYS = np.arange(256, dtype=np.int16)


def ram(**changes: int) -> NDArray[np.uint8]:
    """The RAM of a player in the middle of the first room, with some bytes changed by name."""
    content = np.zeros(rules.RAM_SIZE, np.uint8)
    content[[ROOM, X, Y, LIVES]] = (1, 77, 235, 5)
    for name, value in changes.items():
        content[globals()[name]] = value
    return content


def screen(code: int = 40) -> NDArray[np.uint8]:
    """A screen of one colour."""
    return np.full(rules.SCREEN, code, np.uint8)


Moment = tuple[NDArray[np.uint8], NDArray[np.uint8]]
Seen = list[tuple[NDArray[np.float32], NDArray[np.float64], float]]


def seen_by_plain(moments: list[Moment]) -> Seen:
    """Facts, critics and reward of each moment of an episode, by the plain twin's objects (needs torch)."""
    from goldsplit.games.retro.plain_critics import GameplayCritic, StateChange
    from goldsplit.games.retro.plain_state import InformationVector, MontezumaGame

    critic, information, answers = GameplayCritic(), InformationVector(), []
    before: Any = None
    for content, picture in moments:
        game = MontezumaGame(content, picture)
        rewards = dict.fromkeys(rules.CRITICS, 0.0)
        if before is None:
            critic.clear(game)
        else:
            rewards = critic.critique(StateChange(before, game))
        paid = np.array([rewards[name] for name in rules.CRITICS])
        answers.append((information.get(game).numpy(), paid, float(sum(rewards.values()))))
        before = game
    return answers


def seen_by_kernel(moments: list[Moment]) -> Seen:
    """The same by the compiled look."""
    memory, answers = new_memory(1), []
    for number, (content, picture) in enumerate(moments):
        answer = new_answer(1)
        sight = Sight(picture[None], content[None], np.array([number == 0]))
        assert look(sight, memory, number % rules.STACK, ALL_GRAYS, answer) == -1
        answers.append((answer.facts[0], answer.critics[0], float(answer.rewards[0])))
    return answers
