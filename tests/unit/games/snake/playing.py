"""Players for the tests of Snake: one that reads observations, and one that knows how to fill a board."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldsplit.games.dice import Dice
from goldsplit.games.snake.snake_kernel import DIRECTION, FRONT
from goldsplit.games.snake.snake_rules import TURNS

STRAIGHT, RIGHT, LEFT = range(3)


def careful(observations: NDArray[np.float32], dice: Dice) -> NDArray[np.int64]:
    """Towards the food and away from danger on every board, with a random move now and then: snakes grow."""
    ahead, aside = observations[:, 11], observations[:, 12]
    wish = np.stack([ahead, aside, -aside], axis=1) - 10 * observations[:, :3]
    if observations.shape[1] > 18:
        wish = wish + 3 * observations[:, 18:]
    actions = wish.argmax(axis=1)
    for board in range(len(actions)):
        if dice.below(20) == 0:
            actions[board] = dice.below(3)
    return actions


def circling(game: Any) -> int:
    """The action that follows a circle through all cells of a fast board of an even size.

    Down the first column; then row by row from below, the other columns from left to right and back; home
    along the highest row.
    """
    boards = game._boards
    size = boards.blocked.shape[1]
    cell = int(boards.bodies[0, boards.numbers[0, FRONT]])
    row, column = divmod(cell, size)
    if column == 0:
        way = 2 if row < size - 1 else 1
    elif (size - 1 - row) % 2 == 0:
        way = 1 if column < size - 1 else 0
    elif row == 0:
        way = 3
    else:
        way = 3 if column > 1 else 0
    turn = (way - int(boards.numbers[0, DIRECTION])) % 4
    # Where the circle goes backwards, a turn to the side begins the way round.
    return TURNS.index(turn) if turn in TURNS else RIGHT
