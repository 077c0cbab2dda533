"""Compiled path fields over any board whose cells have fixed neighbour steps, hexagonal or square.

Boards are copied into a flat workspace with a border of blocked cells, so that the inner loops need no bounds
check; the neighbours of a cell are then flat steps that depend at most on the parity of its row or column.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

OPEN = -1
BLOCKED = -2
BAD_COST = -2
LARGEST_COST = 65_535
"""The bucket queue keeps one bucket per cost up to the largest; more than this wants another algorithm."""


@njit(cache=True)
def _off_board(cells: Any, row_at: int, rows: int, columns: int) -> int:
    """The first of the cells (n, 2) that is off the board, or -1; ``row_at``: which of a pair is the row."""
    for i in range(cells.shape[0]):
        row, column = cells[i, row_at], cells[i, 1 - row_at]
        if row < 0 or row >= rows or column < 0 or column >= columns:
            return i
    return -1


@njit(cache=True)
def _padded_parity(rows: int, columns: int, parity_axis: int) -> Any:
    """Parity (of the unpadded row or column) of each padded cell; all zero where steps do not need it."""
    parity = np.zeros((rows + 2) * (columns + 2), np.uint8)
    if parity_axis == 1:
        for row in range(1, rows, 2):
            parity[(row + 1) * (columns + 2) : (row + 2) * (columns + 2)] = 1
    elif parity_axis == 2:
        for row in range(rows):
            parity[(row + 1) * (columns + 2) + 2 : (row + 2) * (columns + 2) : 2] = 1
    return parity


@njit(cache=True)
def _fill_padded(blocked: Any, board: int, padded: Any) -> None:
    """OPEN or BLOCKED for the cells of one board; the border of ``padded`` is blocked already."""
    _, rows, columns = blocked.shape
    for row in range(rows):
        at = (row + 1) * (columns + 2) + 1
        for column in range(columns):
            padded[at + column] = BLOCKED if blocked[board, row, column] else OPEN


@njit(cache=True)
def _read_back(field: Any, hidden: Any, cells: Any, row_at: int, out: Any, f: int) -> None:
    """The inside of a padded field; blocked and hidden cells count as not reached (-1) unless sources."""
    _, rows, columns = out.shape
    for row in range(rows):
        at = (row + 1) * (columns + 2) + 1
        for column in range(columns):
            out[f, row, column] = max(field[at + column], OPEN)
    if hidden.size:
        for row in range(rows):
            for column in range(columns):
                if hidden[row, column]:
                    out[f, row, column] = OPEN
        for i in range(cells.shape[0]):
            out[f, cells[i, row_at], cells[i, 1 - row_at]] = 0


@njit(cache=True)
def unit_fields(
    blocked: Any, hidden: Any, cells: Any, row_at: int, steps: Any, parity_axis: int, limit: int, out: Any
) -> int:
    """Breadth-first fields: ``out[f]`` from the f-th share of the source cells (n, 2), all shares equal.

    ``blocked`` holds one board for all fields or one per field. Hidden cells (a board, or empty) are crossed,
    but not shown as reached (a unit passes there and may not stop), except where they are a source. Returns
    the first source that is off the board, with nothing computed, or -1.
    """
    fields, rows, columns = out.shape
    off = _off_board(cells, row_at, rows, columns)
    if off >= 0 or fields == 0:
        return off
    width, share = columns + 2, cells.shape[0] // fields
    parity = _padded_parity(rows, columns, parity_axis)
    template = np.full((rows + 2) * width, BLOCKED, np.int32)
    field = np.empty_like(template)
    queue = np.empty(rows * columns + steps.shape[1], np.int32)
    for f in range(fields):
        if f == 0 or blocked.shape[0] > 1:
            _fill_padded(blocked, f, template)
        field[:] = template
        tail = 0
        for i in range(f * share, (f + 1) * share):
            cell = (cells[i, row_at] + 1) * width + cells[i, 1 - row_at] + 1
            if field[cell] != 0:
                field[cell] = 0
                queue[tail] = cell
                tail += 1
        _spread_steps(field, parity, steps, queue, tail, limit)
        _read_back(field, hidden, cells[f * share : (f + 1) * share], row_at, out, f)
    return -1


@njit(cache=True)
def _spread_steps(field: Any, parity: Any, steps: Any, queue: Any, tail: int, limit: int) -> None:
    """Breadth-first search from the first ``tail`` cells of the queue.

    Without a branch on whether a neighbour is open: that is a coin toss, and a wrong guess costs the
    processor more than writing the neighbour down and counting it only if it was. Unsigned indices spare the
    check for negative ones.
    """
    one = np.uint64(1)
    head, end = np.uint64(0), np.uint64(tail)
    while head < end:
        cell = queue[head]
        head += one
        following = np.int32(field[np.uint64(cell)] + 1)
        if following > limit:
            break
        odd = parity[np.uint64(cell)]
        for k in range(steps.shape[1]):
            neighbor = np.uint64(cell + steps[odd, k])
            known = field[neighbor]
            is_open = known == OPEN
            queue[end] = neighbor
            field[neighbor] = following if is_open else known
            end += np.uint64(is_open)


@njit(cache=True)
def _spread_costs(
    field: Any, entry_cost: Any, parity: Any, steps: Any, queue: Any, tail: int, limit: int
) -> None:
    """Dijkstra with a ring of buckets, one per cost, each a chain of entries linked by ``after``.

    The price is that of the cell entered, whoever enters it; so the first neighbour to be reached gives a
    cell its final cost, and no cell is ever entered twice.
    """
    buckets = entry_cost.max() + 1
    head = np.full(buckets, -1, np.int32)
    after = np.empty(tail + field.size + 1, np.int32)
    holds = np.empty(after.size, np.int32)
    for used in range(tail):
        after[used], holds[used], head[0] = head[0], queue[used], used
    used = waiting = tail
    reached, bucket = 0, 0
    while waiting and reached <= limit:
        while head[bucket] >= 0:
            entry = np.uint64(head[bucket])
            head[bucket] = after[entry]
            waiting -= 1
            cell = holds[entry]
            odd = parity[np.uint64(cell)]
            for k in range(steps.shape[1]):
                neighbor = np.uint64(cell + steps[odd, k])
                if field[neighbor] != OPEN:
                    continue
                price = entry_cost[neighbor]
                if reached + price > limit:
                    continue
                field[neighbor] = reached + price
                # Costs are below the number of buckets, so one subtraction is the remainder.
                later = bucket + price
                later = later - buckets if later >= buckets else later
                after[used], holds[used], head[later] = head[later], neighbor, used
                used += 1
                waiting += 1
        reached += 1
        bucket = bucket + 1 if bucket + 1 < buckets else 0


@njit(cache=True)
def cost_fields(
    blocked: Any,
    hidden: Any,
    cost: Any,
    cells: Any,
    row_at: int,
    steps: Any,
    parity_axis: int,
    limit: int,
    out: Any,
) -> int:
    """As ``unit_fields`` on one board, where entering a cell costs ``cost`` of that cell.

    Returns -2 where a cost is outside 0..LARGEST_COST.
    """
    fields, rows, columns = out.shape
    off = _off_board(cells, row_at, rows, columns)
    if off >= 0 or fields == 0:
        return off
    width, share = columns + 2, cells.shape[0] // fields
    entry_cost = np.zeros((rows + 2) * width, np.int32)
    bits = 0  # of all costs together: one above the largest, or below zero, sets a high one
    for row in range(rows):
        for column in range(columns):
            bits |= cost[row, column]
            entry_cost[(row + 1) * width + 1 + column] = cost[row, column]
    if bits < 0 or bits > LARGEST_COST:
        return BAD_COST
    parity = _padded_parity(rows, columns, parity_axis)
    template = np.full((rows + 2) * width, BLOCKED, np.int32)
    _fill_padded(blocked, 0, template)
    queue = np.empty(max(share, 1), np.int32)
    field = np.empty_like(template)
    for f in range(fields):
        field[:] = template
        for i in range(share):
            cell = (cells[f * share + i, row_at] + 1) * width + cells[f * share + i, 1 - row_at] + 1
            field[cell] = 0
            queue[i] = cell
        _spread_costs(field, entry_cost, parity, steps, queue, share, limit)
        _read_back(field, hidden, cells[f * share : (f + 1) * share], row_at, out, f)
    return -1
