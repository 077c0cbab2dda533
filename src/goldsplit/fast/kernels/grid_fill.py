"""Compiled flood fill over a batch of square boards: areas from start cells, and component labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

BLOCKED = 0
OPEN = -1


@njit(cache=True)
def _fill_padded(blocked: Any, padded: Any) -> None:
    """OPEN and BLOCKED for one board inside a border that is blocked already."""
    rows, columns = blocked.shape
    for row in range(rows):
        at = (row + 1) * (columns + 2) + 1
        for column in range(columns):
            padded[at + column] = BLOCKED if blocked[row, column] else OPEN


@njit(cache=True)
def _fill(padded: Any, cell: int, mark: int, steps: Any, stack: Any) -> int:
    """Mark the open cells connected to an open cell; returns how many they are."""
    padded[cell] = mark
    stack[0] = cell
    depth, area = 1, 0
    while depth:
        depth -= 1
        cell = stack[depth]
        area += 1
        for k in range(steps.size):
            neighbor = cell + steps[k]
            if padded[neighbor] == OPEN:
                padded[neighbor] = mark
                stack[depth] = neighbor
                depth += 1
    return area


@njit(cache=True)
def areas_from_starts(blocked: Any, starts: Any, steps: Any, out: Any) -> None:
    """Open cells connected to each start (row, column); 0 for a start that is blocked or off the board."""
    boards, rows, columns = blocked.shape
    padded = np.zeros((rows + 2) * (columns + 2), np.int32)
    stack = np.empty(rows * columns, np.int32)
    for b in range(boards):
        _fill_padded(blocked[b], padded)
        for k in range(starts.shape[1]):
            row, column = starts[b, k, 0], starts[b, k, 1]
            if row < 0 or row >= rows or column < 0 or column >= columns:
                out[b, k] = 0
                continue
            cell = (row + 1) * (columns + 2) + column + 1
            if padded[cell] == OPEN:
                out[b, k] = _fill(padded, cell, k + 1, steps, stack)
            else:
                out[b, k] = out[b, padded[cell] - 1] if padded[cell] > 0 else 0


@njit(cache=True)
def label_boards(blocked: Any, steps: Any, labels: Any, counts: Any) -> None:
    """Number the components of each board 1, 2, … in the order of their first cell; blocked cells are 0."""
    boards, rows, columns = blocked.shape
    padded = np.zeros((rows + 2) * (columns + 2), np.int32)
    stack = np.empty(rows * columns, np.int32)
    for b in range(boards):
        _fill_padded(blocked[b], padded)
        found = 0
        for row in range(rows):
            at = (row + 1) * (columns + 2) + 1
            for column in range(columns):
                if padded[at + column] == OPEN:
                    found += 1
                    _fill(padded, at + column, found, steps, stack)
                labels[b, row, column] = padded[at + column]
        counts[b] = found


@njit(cache=True, inline="always")
def _spread_in_runs(seed: Any, room: Any, doublings: int) -> Any:
    """All bits of ``room`` in runs that hold a bit of ``seed`` (a subset of ``room``)."""
    # Upwards one addition does it: a carry runs from the lowest seed of a run to its end.
    filled = (((room + seed) ^ room) & room) | seed
    shift = np.uint64(1)
    for _ in range(doublings):
        filled |= room & (filled >> shift)
        room &= room >> shift
        shift <<= np.uint64(1)
    return filled


@njit(cache=True, inline="always")
def _bits_set(word: Any) -> Any:
    """Number of set bits of a 64-bit word."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@njit(cache=True)
def _fill_bits(room: Any, filled: Any, start_row: int, diagonal: bool, doublings: int) -> int:
    """Grow ``filled`` (a word per row) within ``room`` by sweeps down and up until it stays; its area."""
    rows = room.size
    one = np.uint64(1)
    low, high = start_row, start_row
    down = True
    filled[start_row] = _spread_in_runs(filled[start_row], room[start_row], doublings)
    idle_sweeps = 0
    while idle_sweeps < 2:  # one in each direction
        changed = False
        step = 1 if down else -1
        row = low + 1 if down else high - 1
        while 0 <= row < rows:
            near = filled[row - step]
            if diagonal:
                near |= (near << one) | (near >> one)
            fresh = near & room[row] & ~filled[row]
            if fresh:
                filled[row] = _spread_in_runs(filled[row] | fresh, room[row], doublings)
                changed = True
                low, high = min(low, row), max(high, row)
            elif row < low or row > high:
                break
            row += step
        idle_sweeps = 0 if changed else idle_sweeps + 1
        down = not down
    area = 0
    for row in range(low, high + 1):
        area += int(_bits_set(filled[row]))
    return area


@njit(cache=True)
def areas_from_starts_bits(blocked: Any, starts: Any, diagonal: bool, out: Any) -> None:
    """As ``areas_from_starts`` for boards of at most 64 columns: a row is one word, filled as a whole."""
    boards, rows, columns = blocked.shape
    one = np.uint64(1)
    doublings = 0
    while 1 << doublings < columns:
        doublings += 1
    room = np.empty(rows, np.uint64)
    filled = np.zeros((starts.shape[1], rows), np.uint64)
    for b in range(boards):
        for row in range(rows):
            word = np.uint64(0)
            for column in range(columns):
                word |= np.uint64(not blocked[b, row, column]) << np.uint64(column)
            room[row] = word
        for k in range(starts.shape[1]):
            row, column = starts[b, k, 0], starts[b, k, 1]
            filled[k] = 0
            out[b, k] = 0
            if row < 0 or row >= rows or column < 0 or column >= columns:
                continue
            bit = one << np.uint64(column)
            if not room[row] & bit:
                continue
            for earlier in range(k):
                if filled[earlier, row] & bit:
                    out[b, k] = out[b, earlier]
                    break
            else:
                filled[k, row] = bit
                out[b, k] = _fill_bits(room, filled[k], row, diagonal, doublings)
