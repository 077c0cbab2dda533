"""Hexagonal boards: distance, lines, lines of sight, path fields and reach, for axial and offset layouts.

Cells are pairs ``(column, row)`` (``(q, r)`` for the layout "axial"); boards are arrays indexed
``[row, column]``. Every function names its layout, because a wrong one gives plausible nonsense: see
``hex_coordinates``.

    walls = np.zeros((21, 25), bool)
    walls[4:9, 12] = True
    seen = hex.line_of_sight(walls, layout="odd-r")                      # (525, 525), flat cells row by row
    field = hex.path_field(walls, (3, 10), layout="odd-r", limit=6)      # (21, 25), -1 where not reached
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from goldsplit.fast.kernels.boards import (
    UNREACHED,
    BoolArray,
    Int32Array,
    IntArray,
    bad_cost,
    board_mask,
    cell_list,
    cost_board,
    off_board,
    output_array,
    same_shape_mask,
)
from goldsplit.fast.kernels.fields import BAD_COST, LARGEST_COST, cost_fields, unit_fields
from goldsplit.fast.kernels.hex_coordinates import (
    LAYOUTS,
    from_axial,
    neighbor_steps,
    neighbors,
    parity_axis,
    to_axial,
)
from goldsplit.fast.kernels.hex_sight import (
    LONGEST_LINE,
    NUDGE,
    distance_all_pairs,
    distance_pairs,
    line_cells,
    sight_all_pairs,
    sight_pairs,
)

__all__ = [
    "LAYOUTS",
    "UNREACHED",
    "distance",
    "distance_matrix",
    "from_axial",
    "line",
    "line_of_sight",
    "line_of_sight_between",
    "neighbors",
    "path_field",
    "path_fields",
    "reach",
    "to_axial",
]

NO_LIMIT = 2**31 - 1
NOTHING_HIDDEN = np.zeros((0, 0), np.bool_)
ROW_SECOND = 1


def distance(first: ArrayLike, second: ArrayLike, *, layout: str) -> IntArray:
    """Steps between cells, pair by pair; shapes (..., 2) broadcast against each other."""
    a, b = np.broadcast_arrays(to_axial(first, layout=layout), to_axial(second, layout=layout))
    out = np.empty(a.shape[:-1], np.int64)
    flat_a, flat_b = (np.ascontiguousarray(cells).reshape(-1, 2) for cells in (a, b))
    distance_pairs(flat_a, flat_b, out.reshape(-1))
    return out


def distance_matrix(
    cells: ArrayLike, others: ArrayLike | None = None, *, layout: str, out: Int32Array | None = None
) -> Int32Array:
    """Steps between all cells (a, 2) and all others (b, 2), or among the cells themselves: shape (a, b)."""
    a = _cell_list(cells, "cells", layout)
    b = a if others is None else _cell_list(others, "others", layout)
    out = output_array(out, (len(a), len(b)), np.int32)
    distance_all_pairs(a, b, out)
    return out


def line(start: ArrayLike, end: ArrayLike, *, layout: str) -> IntArray:
    """The cells from start to end, both included: shape (distance + 1, 2). The same in both directions."""
    a, b = _cell_list(start, "start", layout), _cell_list(end, "end", layout)
    if len(a) != 1 or len(b) != 1:
        raise ValueError(f"line wants one start and one end, got {len(a)} and {len(b)}")
    delta_q, delta_r = (int(step) for step in b[0] - a[0])
    length = (abs(delta_q) + abs(delta_r) + abs(delta_q + delta_r)) // 2
    if length > LONGEST_LINE:
        raise ValueError(f"a line of {length} cells is longer than {LONGEST_LINE}")
    steps = np.empty((length + 1, 2), np.int64)
    line_cells(delta_q, delta_r, NUDGE, steps)
    return from_axial(steps + a[0], layout=layout)


def line_of_sight(
    walls: ArrayLike,
    sources: ArrayLike | None = None,
    targets: ArrayLike | None = None,
    *,
    layout: str,
    either_side: bool = False,
    out: BoolArray | None = None,
) -> BoolArray:
    """Which cells see which: shape (sources, targets), each all cells of the board (row by row) if not given.

    A pair sees each other unless a wall lies strictly between them on their ``line``: the ends never block.
    A line that runs exactly between two cells takes one of them, always the same; ``either_side=True`` lets
    it take the clearer side as a whole.
    """
    board = board_mask(walls, "walls", 2)
    opaque, cells = _axial_board(board, layout)
    if sources is None and targets is None:
        out = output_array(out, (len(cells), len(cells)), np.bool_)
        sight_all_pairs(cells, opaque.reshape(-1), opaque.shape[1], either_side, out)
        return out
    a = cells if sources is None else cells[_flat_cells(sources, "sources", board.shape)]
    b = cells if targets is None else cells[_flat_cells(targets, "targets", board.shape)]
    out = output_array(out, (len(a), len(b)), np.bool_)
    starts, ends = np.repeat(a, len(b), axis=0), np.tile(b, (len(a), 1))
    sight_pairs(starts, ends, opaque.reshape(-1), opaque.shape[1], either_side, out.reshape(-1))
    return out


def line_of_sight_between(
    walls: ArrayLike, starts: ArrayLike, ends: ArrayLike, *, layout: str, either_side: bool = False
) -> BoolArray:
    """Lines of sight pair by pair: starts (n, 2) and ends (n, 2) give shape (n,)."""
    board = board_mask(walls, "walls", 2)
    opaque, cells = _axial_board(board, layout)
    a, b = (
        cells[_flat_cells(given, name, board.shape)] for given, name in ((starts, "starts"), (ends, "ends"))
    )
    if len(a) != len(b):
        raise ValueError(f"starts and ends must pair up, got {len(a)} and {len(b)} cells")
    out = np.empty(len(a), np.bool_)
    sight_pairs(a, b, opaque.reshape(-1), opaque.shape[1], either_side, out)
    return out


def path_field(
    walls: ArrayLike,
    sources: ArrayLike,
    *,
    layout: str,
    cost: ArrayLike | None = None,
    occupied: ArrayLike | None = None,
    pass_occupied: bool = False,
    limit: int | None = None,
    out: Int32Array | None = None,
) -> Int32Array:
    """The cheapest way from the nearest source to every cell: shape of the board, -1 where there is none.

    ``sources`` is one cell or several (n, 2); each counts 0, even on a wall or an occupied cell. ``cost`` is
    the integer price of entering each cell (1 if not given). ``occupied`` cells block like walls; with
    ``pass_occupied`` they are crossed but stay -1, as nobody may stop there. ``limit`` is the largest cost
    kept.
    """
    return _fields(walls, sources, layout, cost, occupied, pass_occupied, limit, out, each=False)


def path_fields(
    walls: ArrayLike,
    sources: ArrayLike,
    *,
    layout: str,
    cost: ArrayLike | None = None,
    occupied: ArrayLike | None = None,
    pass_occupied: bool = False,
    limit: int | None = None,
    out: Int32Array | None = None,
) -> Int32Array:
    """One ``path_field`` for each source (n, 2): shape (n, rows, columns)."""
    return _fields(walls, sources, layout, cost, occupied, pass_occupied, limit, out, each=True)


def reach(
    walls: ArrayLike,
    source: ArrayLike,
    limit: int,
    *,
    layout: str,
    cost: ArrayLike | None = None,
    occupied: ArrayLike | None = None,
    pass_occupied: bool = False,
) -> BoolArray:
    """The cells where a move of at most ``limit`` may end, the source included."""
    field = path_field(
        walls, source, layout=layout, cost=cost, occupied=occupied, pass_occupied=pass_occupied, limit=limit
    )
    return field >= 0


def _fields(
    walls: ArrayLike,
    sources: ArrayLike,
    layout: str,
    cost: ArrayLike | None,
    occupied: ArrayLike | None,
    pass_occupied: bool,
    limit: int | None,
    out: Int32Array | None,
    *,
    each: bool,
) -> Int32Array:
    """One field from all sources, or one for each of them."""
    board = board_mask(walls, "walls", 2)
    cells = cell_list(sources, "sources")
    blocked, hidden = board, NOTHING_HIDDEN
    if occupied is not None:
        taken = same_shape_mask(occupied, "occupied", board.shape, "walls")
        blocked, hidden = (board, taken) if pass_occupied else (board | taken, hidden)
    result = output_array(out, (len(cells), *board.shape) if each else board.shape, np.int32)
    fields = result if each else result[None]
    steps, axis = _flat_steps(layout, board.shape[1] + 2)
    most = _checked_limit(limit)
    if cost is None:
        found = unit_fields(blocked[None], hidden, cells, ROW_SECOND, steps, axis, most, fields)
    else:
        prices = cost_board(cost, board.shape)
        found = cost_fields(blocked[None], hidden, prices, cells, ROW_SECOND, steps, axis, most, fields)
        if found == BAD_COST:
            raise bad_cost(prices, LARGEST_COST)
    if found >= 0:
        raise off_board(cells, found, "sources", board.shape, "column, row")
    return result


def _checked_limit(limit: int | None) -> int:
    if limit is None:
        return NO_LIMIT
    if limit < 0:
        raise ValueError(f"limit must not be negative, got {limit}")
    return min(int(limit), NO_LIMIT)


@lru_cache(maxsize=64)
def _flat_steps(layout: str, width: int) -> tuple[Int32Array, int]:
    """Neighbour steps as flat steps (2, 6) on a board with rows of ``width``, and whose parity counts."""
    steps = [[row * width + column for column, row in around] for around in neighbor_steps(layout)]
    return np.array(steps, np.int32), parity_axis(layout)


def _cell_list(cells: ArrayLike, name: str, layout: str) -> IntArray:
    return to_axial(cell_list(cells, name), layout=layout)


def _flat_cells(cells: ArrayLike, name: str, shape: tuple[int, ...]) -> IntArray:
    """Flat indices of cells that must all be on the board."""
    pairs = cell_list(cells, name)
    rows, columns = shape
    off = (pairs < 0) | (pairs >= (columns, rows))
    if off.any():
        raise off_board(pairs, int(np.argwhere(off)[0, 0]), name, shape, "column, row")
    return pairs[:, 1] * columns + pairs[:, 0]


def _axial_board(board: BoolArray, layout: str) -> tuple[BoolArray, IntArray]:
    """The walls on an axial board with a clear border, and the position (q, r) of each cell on it."""
    cells, flat, shape = _axial_cells(*board.shape, layout)
    opaque = np.zeros(shape, np.bool_)
    opaque.reshape(-1)[flat] = board.reshape(-1)
    return opaque, cells


@lru_cache(maxsize=16)
def _axial_cells(rows: int, columns: int, layout: str) -> tuple[IntArray, IntArray, tuple[int, int]]:
    """Where the cells of an offset board lie on an axial one: (q, r), flat, and its shape. Only read."""
    offsets = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), axis=-1).reshape(-1, 2)
    cells = to_axial(offsets, layout=layout)
    cells -= cells.min(axis=0) - 1
    shape = (int(cells[:, 1].max()) + 2, int(cells[:, 0].max()) + 2)
    return cells, cells[:, 1] * shape[1] + cells[:, 0], shape
