"""One compiled call that looks at screens and RAM of N games: stacks of pictures, facts, critics, rewards.

Only pixels that are kept are read, each once, through the table of grays. Nothing that the games remember is
touched before all pixels are known to be in the table: after a code was learned the call can be repeated.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from goldsplit.games.retro import retro_rules as rules

_TOP, _ROWS, _COLUMNS, _STRIDE = rules.CROP_TOP, rules.PICTURE[1], rules.PICTURE[2], rules.STRIDE
_TILE_TOP, _TILE_END, _TILE_STEP = rules.TILE_TOP, rules.CROP_TOP + rules.CROP_ROWS, rules.TILE_STEP
_COLOURED, _STACK = rules.FIRST_COLOURED, rules.STACK
_SCALES = rules.SCALES
_NUMBERS, _FIRST_ITEM, _ITEMS = len(rules.ATTRIBUTES), rules.FIRST_ITEM, rules.ITEMS
_LEVEL, _ROOM, _X, _Y = rules.LEVEL, rules.ROOM, rules.X, rules.Y
_LIVES, _SCORE, _THING_X, _THING_Y = rules.LIVES, rules.SCORE, rules.THING_X, rules.THING_Y
_ROOMS, _CELLS = rules.ROOMS, rules.CELLS
_PER_POINT, _NEW_ROOM, _NEW_CELL = rules.PER_POINT, rules.NEW_ROOM, rules.NEW_CELL
_GAINED, _LOST, _LIFE_LOST = rules.ITEM_GAINED, rules.ITEM_LOST, rules.LIFE_LOST


class Sight(NamedTuple):
    """What the emulators show: (N, 210, 160) colour codes, (N, 128) bytes, and whose episode starts."""

    screens: NDArray[np.uint8]
    rams: NDArray[np.uint8]
    first: NDArray[np.bool_]


class Memory(NamedTuple):
    """What games remember: pictures in a ring, the numbers of the last step, rooms and cells seen."""

    ring: NDArray[np.uint8]
    before: NDArray[np.int64]
    rooms: NDArray[np.bool_]
    cells: NDArray[np.bool_]


class Answer(NamedTuple):
    """What players get: stacks, facts, what each critic paid, and the sum."""

    stacks: NDArray[np.uint8]
    facts: NDArray[np.float32]
    critics: NDArray[np.float64]
    rewards: NDArray[np.float64]


def new_memory(games: int) -> Memory:
    """The memory of so many games; their first look must be a start."""
    places = rules.LEVELS * rules.ROOMS
    return Memory(
        ring=np.zeros((games, *rules.PICTURE), np.uint8),
        before=np.zeros((games, _NUMBERS), np.int64),
        rooms=np.zeros((games, places), np.bool_),
        cells=np.zeros((games, places * rules.CELLS), np.bool_),
    )


def new_answer(games: int) -> Answer:
    """Room for one answer; what is given to players is never written again."""
    return Answer(
        stacks=np.empty((games, *rules.PICTURE), np.uint8),
        facts=np.empty((games, len(rules.FACTS)), np.float32),
        critics=np.empty((games, len(rules.CRITICS)), np.float64),
        rewards=np.empty(games, np.float64),
    )


@njit(cache=True)
def look(sight: Sight, memory: Memory, slot: int, grays: NDArray[np.int16], answer: Answer) -> int:
    """Fill in the answer, the newest pictures in place `slot`; a game with an unknown colour, or -1."""
    for game in range(len(sight.screens)):
        if not _write_picture(sight.screens[game], grays, memory.ring[game, slot]):
            return game
    for game in range(len(sight.screens)):
        _stack(memory.ring[game], slot, sight.first[game], answer.stacks[game])
        numbers = np.empty(_NUMBERS, np.int64)
        _read_numbers(sight.rams[game], numbers)
        drawn = _is_drawn(sight.screens[game])
        _write_facts(numbers, drawn, answer.facts[game])
        critics = answer.critics[game]
        critics[:] = 0.0
        if sight.first[game]:
            memory.rooms[game] = False
            memory.cells[game] = False
            _visit(numbers, True, memory.rooms[game], memory.cells[game], critics)
            critics[:] = 0.0
        else:
            _compare(memory.before[game], numbers, critics)
            _visit(numbers, drawn, memory.rooms[game], memory.cells[game], critics)
        memory.before[game] = numbers
        total = 0.0
        for paid in critics:
            total += paid
        answer.rewards[game] = total
    return -1


@njit(cache=True)
def _write_picture(screen: NDArray[np.uint8], grays: NDArray[np.int16], picture: NDArray[np.uint8]) -> bool:
    """Crop, thin out and gray one screen; False where a colour is not in the table yet."""
    lowest = np.int16(0)
    for row in range(_ROWS):
        line = screen[_TOP + _STRIDE * row]
        for column in range(_COLUMNS):
            gray = grays[line[_STRIDE * column]]
            lowest = min(lowest, gray)
            picture[row, column] = gray
    return bool(lowest >= 0)


@njit(cache=True)
def _stack(ring: NDArray[np.uint8], slot: int, first: bool, stack: NDArray[np.uint8]) -> None:
    """The pictures of the ring, oldest first; where an episode starts, its first picture in every place."""
    if first:
        for place in range(_STACK):
            if place != slot:
                ring[place] = ring[slot]
    for place in range(_STACK):
        stack[place] = ring[(slot + 1 + place) % _STACK]


@njit(cache=True)
def _read_numbers(ram: NDArray[np.uint8], numbers: NDArray[np.int64]) -> None:
    """The attributes, as the game keeps them in its 128 bytes."""
    numbers[0] = ram[57] & 3
    numbers[1] = ram[3] & 31
    numbers[2] = ram[42]
    numbers[3] = ram[43]
    numbers[4] = ram[52] >> 7
    numbers[5] = ram[86]
    numbers[6] = ram[58]
    score = 0
    for byte in range(19, 22):
        score = 100 * score + 10 * int(ram[byte] >> 4) + int(ram[byte] & 15)
    numbers[7] = score
    numbers[8] = ram[44]
    numbers[9] = ram[45]
    numbers[10] = ram[47]
    numbers[11] = ram[46]
    for item in range(_ITEMS):
        numbers[_FIRST_ITEM + item] = (ram[65] >> item) & 1


@njit(cache=True)
def _is_drawn(screen: NDArray[np.uint8]) -> bool:
    """Whether any tile of the room has a colour: between rooms the screen is black."""
    for row in range(_TILE_TOP, _TILE_END, _TILE_STEP):
        for column in range(0, screen.shape[1], _TILE_STEP):
            if screen[row, column] >= _COLOURED:
                return True
    return False


@njit(cache=True)
def _write_facts(numbers: NDArray[np.int64], drawn: bool, facts: NDArray[np.float32]) -> None:
    """Numbers divided by their scales, where the room's thing lies, and whether the room is drawn."""
    for place in range(_NUMBERS):
        facts[place] = numbers[place] / _SCALES[place]
    facts[_NUMBERS] = numbers[_THING_X] < numbers[_X]
    facts[_NUMBERS + 1] = numbers[_THING_X] > numbers[_X]
    facts[_NUMBERS + 2] = numbers[_THING_Y] > numbers[_Y]
    facts[_NUMBERS + 3] = numbers[_THING_Y] < numbers[_Y]
    facts[_NUMBERS + 4] = drawn


@njit(cache=True)
def _compare(before: NDArray[np.int64], numbers: NDArray[np.int64], critics: NDArray[np.float64]) -> None:
    """Score, items and lives: paid for what changed since the last step."""
    if numbers[_SCORE] > before[_SCORE]:
        critics[0] = (numbers[_SCORE] - before[_SCORE]) * _PER_POINT
    for item in range(_FIRST_ITEM, _FIRST_ITEM + _ITEMS):
        if numbers[item] > before[item]:
            critics[3] += _GAINED
        elif numbers[item] < before[item]:
            critics[3] += _LOST
    if numbers[_LIVES] < before[_LIVES]:
        critics[4] = _LIFE_LOST


@njit(cache=True)
def _visit(
    numbers: NDArray[np.int64],
    drawn: bool,
    rooms: NDArray[np.bool_],
    cells: NDArray[np.bool_],
    critics: NDArray[np.float64],
) -> None:
    """Rooms and cells: paid when they are entered first in this episode, once the room is drawn."""
    if not drawn:
        return
    room = numbers[_LEVEL] * _ROOMS + numbers[_ROOM]
    cell = room * _CELLS + 16 * (numbers[_Y] >> 4) + (numbers[_X] >> 4)
    if not rooms[room]:
        rooms[room] = True
        critics[1] = _NEW_ROOM
    if not cells[cell]:
        cells[cell] = True
        critics[2] = _NEW_CELL
