"""Snake on arrays, compiled: the fast twin calls this with one board, the batch twin with all of its boards.

A body is a ring of cells (row * size + column) whose newest entry is the head. `blocked` marks every cell
that a head cannot enter in the next move: the body without its tail's end, which moves away. So one table
answers for collisions, dangers, the room ahead and the flood fill.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from goldsplit.fast.kernels.grid_fill import areas_from_starts_bits
from goldsplit.games.dice import below
from goldsplit.games.snake.snake_rules import (
    BODY,
    CLOSER_REWARD,
    COLUMN_STEPS,
    DEATH_REWARD,
    FARTHER_REWARD,
    FEATURES,
    FOOD_REWARD,
    FULL,
    HUNGER,
    MARGIN,
    N_ACTIONS,
    PLAYING,
    ROW_STEPS,
    START_LENGTH,
    TURNS,
    WALL,
    SnakeOptions,
)

#: The columns of `Boards.numbers`.
FRONT, LENGTH, DIRECTION, FOOD, STEPS, HUNGRY, OUTCOME = range(7)
NO_FOOD = -1
_BASE = len(FEATURES)


class Boards(NamedTuple):
    """The state of N boards."""

    numbers: NDArray[np.int64]
    bodies: NDArray[np.int32]
    blocked: NDArray[np.bool_]
    dice: NDArray[np.uint64]


def new_boards(count: int, options: SnakeOptions) -> Boards:
    """Boards on which no game has begun."""
    size = options.size
    numbers = np.zeros((count, 7), np.int64)
    numbers[:, OUTCOME] = WALL
    return Boards(
        numbers,
        np.zeros((count, options.cells), np.int32),
        np.zeros((count, size, size), np.bool_),
        np.zeros(count, np.uint64),
    )


@njit(cache=True)
def _place_food(boards: Any, b: int) -> None:
    """Food on one of the free cells, which are counted row by row."""
    now, blocked = boards.numbers[b], boards.blocked[b]
    size, cells = blocked.shape[0], boards.bodies.shape[1]
    tail = boards.bodies[b, (now[FRONT] - now[LENGTH] + 1) % cells]
    left = below(boards.dice, b, cells - now[LENGTH])
    for cell in range(cells):
        if not blocked[cell // size, cell % size] and cell != tail:
            if left == 0:
                now[FOOD] = cell
                return
            left -= 1


@njit(cache=True)
def _begin(boards: Any, b: int) -> None:
    """A new game on one board, with what its dice say next."""
    now, blocked, body = boards.numbers[b], boards.blocked[b], boards.bodies[b]
    size = blocked.shape[0]
    row = MARGIN + below(boards.dice, b, size - 2 * MARGIN)
    column = MARGIN + below(boards.dice, b, size - 2 * MARGIN)
    direction = below(boards.dice, b, 4)
    now[:] = 0
    blocked[:] = False
    for k in range(START_LENGTH):
        back = START_LENGTH - 1 - k
        r, c = row - back * ROW_STEPS[direction], column - back * COLUMN_STEPS[direction]
        body[k] = r * size + c
        blocked[r, c] = k > 0
    now[FRONT] = START_LENGTH - 1
    now[LENGTH] = START_LENGTH
    now[DIRECTION] = direction
    _place_food(boards, b)


@njit(cache=True)
def _move(boards: Any, b: int, action: int, hunger_limit: int) -> float:
    """One move on one board; its reward. What ended the game is in `OUTCOME`."""
    now, blocked, body = boards.numbers[b], boards.blocked[b], boards.bodies[b]
    size, cells = blocked.shape[0], body.size
    direction = now[DIRECTION]
    if 0 <= action < N_ACTIONS:
        direction = (direction + TURNS[action]) % 4
    now[DIRECTION] = direction
    now[STEPS] += 1
    now[HUNGRY] += 1
    head, food = body[now[FRONT]], now[FOOD]
    row, column = head // size + ROW_STEPS[direction], head % size + COLUMN_STEPS[direction]
    if row < 0 or row >= size or column < 0 or column >= size:
        now[OUTCOME] = WALL
        return DEATH_REWARD
    if blocked[row, column]:
        now[OUTCOME] = BODY
        return DEATH_REWARD
    front = (now[FRONT] + 1) % cells
    now[FRONT] = front
    body[front] = row * size + column
    blocked[row, column] = True
    if body[front] == food:
        now[LENGTH] += 1
        now[HUNGRY] = 0
        if now[LENGTH] == cells:
            now[FOOD] = NO_FOOD
            now[OUTCOME] = FULL
        else:
            _place_food(boards, b)
        return FOOD_REWARD
    tail = body[(front - now[LENGTH] + 1) % cells]
    blocked[tail // size, tail % size] = False
    if now[HUNGRY] >= hunger_limit:
        now[OUTCOME] = HUNGER
    before = abs(head // size - food // size) + abs(head % size - food % size)
    after = abs(row - food // size) + abs(column - food % size)
    return CLOSER_REWARD if after < before else FARTHER_REWARD


@njit(cache=True)
def _describe(boards: Any, b: int, hunger_limit: int, out: Any) -> None:
    """All features of one board but the flood fill's."""
    now, blocked = boards.numbers[b], boards.blocked[b]
    size, cells = blocked.shape[0], boards.bodies.shape[1]
    head, food, direction = boards.bodies[b, now[FRONT]], now[FOOD], now[DIRECTION]
    row, column = head // size, head % size
    for k in range(N_ACTIONS):
        way = (direction + TURNS[k]) % 4
        r, c, room = row + ROW_STEPS[way], column + COLUMN_STEPS[way], 0
        while 0 <= r < size and 0 <= c < size and not blocked[r, c]:
            r, c, room = r + ROW_STEPS[way], c + COLUMN_STEPS[way], room + 1
        out[k] = room == 0
        out[13 + k] = room / size
    down, right = (food // size - row, food % size - column) if food != NO_FOOD else (0, 0)
    for way in range(4):
        out[3 + way] = way == direction
        out[7 + way] = down * ROW_STEPS[way] + right * COLUMN_STEPS[way] > 0
    aside = (direction + 1) % 4
    out[11] = (down * ROW_STEPS[direction] + right * COLUMN_STEPS[direction]) / size
    out[12] = (down * ROW_STEPS[aside] + right * COLUMN_STEPS[aside]) / size
    out[16] = now[LENGTH] / cells
    out[17] = now[HUNGRY] / hunger_limit


@njit(cache=True)
def _flood(boards: Any, out: Any) -> None:
    """What share of the board each next head could still reach, for all boards."""
    count, size = boards.blocked.shape[0], boards.blocked.shape[1]
    starts = np.empty((count, N_ACTIONS, 2), np.int64)
    areas = np.empty((count, N_ACTIONS), np.int64)
    for b in range(count):
        head = boards.bodies[b, boards.numbers[b, FRONT]]
        for k in range(N_ACTIONS):
            way = (boards.numbers[b, DIRECTION] + TURNS[k]) % 4
            starts[b, k, 0] = head // size + ROW_STEPS[way]
            starts[b, k, 1] = head % size + COLUMN_STEPS[way]
    areas_from_starts_bits(boards.blocked, starts, False, areas)
    for b in range(count):
        for k in range(N_ACTIONS):
            out[b, _BASE + k] = areas[b, k] / boards.bodies.shape[1]


@njit(cache=True)
def observe(boards: Any, hunger_limit: int, out: Any) -> None:
    """The observations of all boards; with the flood fill if `out` has places for it."""
    for b in range(out.shape[0]):
        _describe(boards, b, hunger_limit, out[b])
    if out.shape[1] > _BASE:
        _flood(boards, out)


@njit(cache=True)
def begin_all(boards: Any, hunger_limit: int, out: Any) -> None:
    """A new game on every board, and their observations."""
    for b in range(out.shape[0]):
        _begin(boards, b)
    observe(boards, hunger_limit, out)


@njit(cache=True)
def advance(boards: Any, actions: Any, hunger_limit: int, rewards: Any, out: Any) -> None:
    """One move on every board; a board whose game has ended begins a new one instead, with reward 0."""
    for b in range(out.shape[0]):
        if boards.numbers[b, OUTCOME] == PLAYING:
            rewards[b] = _move(boards, b, actions[b], hunger_limit)
        else:
            _begin(boards, b)
            rewards[b] = 0.0
    observe(boards, hunger_limit, out)
