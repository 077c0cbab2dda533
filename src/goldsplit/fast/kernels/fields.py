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
NO_CELL = -1
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
def _start(field: Any, cells: Any, row_at: int, width: int, queue: Any) -> int:
    """Put the sources into the field and, each once, into the queue; how many."""
    tail = 0
    for i in range(cells.shape[0]):
        cell = (cells[i, row_at] + 1) * width + cells[i, 1 - row_at] + 1
        if field[cell] != 0:
            field[cell] = 0
            queue[tail] = cell
            tail += 1
    return tail


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
        tail = _start(field, cells[f * share : (f + 1) * share], row_at, width, queue)
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
    field: Any, entry_cost: Any, parity: Any, steps: Any, queue: Any, tail: int, ring: Any, limit: int
) -> None:
    """Dijkstra from the first ``tail`` cells of the queue, with a ring of buckets, one per cost.

    The price is that of the cell entered, whoever enters it; so the first neighbour to be reached gives a
    cell its final cost, and no cell is ever entered twice. The queue takes the cells entered from one bucket,
    without a branch as in ``_spread_steps``; then each goes to a bucket of its own, a chain linked by
    ``after``. ``ring`` holds the first cell of each chain, for a power of two of costs.
    """
    after = np.empty_like(field)
    waiting, reached, end = np.int64(tail), 0, np.uint64(tail)
    while waiting:
        for i in range(end):
            entered = np.uint64(queue[i])
            bucket = np.uint64(field[entered] & (ring.size - 1))
            after[entered], ring[bucket] = ring[bucket], entered
        bucket = np.uint64(reached & (ring.size - 1))
        while ring[bucket] == NO_CELL:
            reached += 1
            bucket = np.uint64(reached & (ring.size - 1))
        cell, ring[bucket], end = ring[bucket], NO_CELL, np.uint64(0)
        while cell != NO_CELL:
            waiting -= 1
            odd = parity[np.uint64(cell)]
            for k in range(steps.shape[1]):
                neighbor = np.uint64(cell + steps[odd, k])
                known, total = field[neighbor], reached + entry_cost[neighbor]
                enters = (known == OPEN) & (total <= limit)
                queue[end] = neighbor
                field[neighbor] = total if enters else known
                end += np.uint64(enters)
            cell = after[np.uint64(cell)]
        waiting += np.int64(end)


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
    buckets = 1
    while buckets <= bits:
        buckets *= 2
    ring = np.full(buckets, NO_CELL, np.int32)
    parity = _padded_parity(rows, columns, parity_axis)
    template = np.full((rows + 2) * width, BLOCKED, np.int32)
    _fill_padded(blocked, 0, template)
    queue = np.empty(rows * columns + steps.shape[1], np.int32)
    field = np.empty_like(template)
    for f in range(fields):
        field[:] = template
        tail = _start(field, cells[f * share : (f + 1) * share], row_at, width, queue)
        _spread_costs(field, entry_cost, parity, steps, queue, tail, ring, limit)
        _read_back(field, hidden, cells[f * share : (f + 1) * share], row_at, out, f)
    return -1
