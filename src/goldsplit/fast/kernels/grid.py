"""Square boards: flood fill, component labels and distance fields over a batch of boards in one call.

Boards are arrays of shape (boards, rows, columns), blocked cells non-zero; cells are pairs ``(row, column)``,
as NumPy indexes them.

    areas = grid.flood_fill(blocked, candidates)             # (256, 20, 20), (256, 3, 2) -> (256, 3)
    fields = grid.distance_field(blocked, heads)             # (256, 20, 20), (256, 2) -> (256, 20, 20)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from goldsplit.fast.kernels.boards import (
    UNREACHED,
    Int32Array,
    IntArray,
    board_mask,
    cell_pairs,
    off_board,
    output_array,
)
from goldsplit.fast.kernels.fields import unit_fields
from goldsplit.fast.kernels.grid_fill import areas_from_starts, areas_from_starts_bits, label_boards

__all__ = ["UNREACHED", "distance_field", "flood_fill", "label"]

WORD_COLUMNS = 64
NO_LIMIT = 2**31 - 1
NOTHING_HIDDEN = np.zeros((0, 0), np.bool_)
ROW_FIRST = 0


def flood_fill(
    blocked: ArrayLike, starts: ArrayLike, *, diagonal: bool = False, out: Int32Array | None = None
) -> Int32Array:
    """How many open cells connect to each start: boards (b, rows, columns) and starts (b, k, 2) give (b, k).

    The start counts itself. A start that is blocked or off the board counts 0, so the cells around a snake's
    head can be passed as they are. Starts in one component share one fill.
    """
    boards = board_mask(blocked, "blocked", 3)
    cells = cell_pairs(starts, "starts")
    if cells.ndim != 3 or len(cells) != len(boards):
        raise ValueError(
            f"starts must have shape ({len(boards)}, k, 2) for {len(boards)} boards, got {cells.shape}"
        )
    out = output_array(out, cells.shape[:2], np.int32)
    if boards.shape[2] <= WORD_COLUMNS:
        areas_from_starts_bits(boards, cells, diagonal, out)
    else:
        areas_from_starts(boards, cells, _flat_steps(boards.shape[2] + 2, diagonal), out)
    return out


def label(
    blocked: ArrayLike, *, diagonal: bool = False, out: Int32Array | None = None
) -> tuple[Int32Array, IntArray]:
    """The components of each board, numbered from 1 in scan order (blocked: 0), and how many there are."""
    boards = board_mask(blocked, "blocked", 3)
    labels = output_array(out, boards.shape, np.int32)
    counts = np.empty(len(boards), np.int64)
    label_boards(boards, _flat_steps(boards.shape[2] + 2, diagonal), labels, counts)
    return labels, counts


def distance_field(
    blocked: ArrayLike,
    sources: ArrayLike,
    *,
    diagonal: bool = False,
    limit: int | None = None,
    out: Int32Array | None = None,
) -> Int32Array:
    """Steps from each board's source (b, 2), or from the nearest of its sources (b, k, 2), to every cell.

    Shape (b, rows, columns), -1 where nothing arrives. A source counts 0 even where it is blocked (the head
    of a snake is part of its body). ``limit`` is the largest distance kept.
    """
    boards = board_mask(blocked, "blocked", 3)
    cells = cell_pairs(sources, "sources")
    if cells.ndim not in (2, 3) or len(cells) != len(boards):
        raise ValueError(
            f"sources must have shape ({len(boards)}, 2) or ({len(boards)}, k, 2) for {len(boards)} boards, "
            f"got {cells.shape}"
        )
    if limit is not None and limit < 0:
        raise ValueError(f"limit must not be negative, got {limit}")
    flat = cells.reshape(-1, 2)
    fields = output_array(out, boards.shape, np.int32)
    steps = np.stack([_flat_steps(boards.shape[2] + 2, diagonal)] * 2).astype(np.int32)
    most = NO_LIMIT if limit is None else min(limit, NO_LIMIT)
    found = unit_fields(boards, NOTHING_HIDDEN, flat, ROW_FIRST, steps, 0, most, fields)
    if found >= 0:
        raise off_board(flat, found, "sources", boards.shape, "row, column")
    return fields


def _flat_steps(width: int, diagonal: bool) -> IntArray:
    """Steps to the 4 or 8 neighbours on a board with rows of ``width``."""
    straight = [-width, -1, 1, width]
    return np.array([*straight, -width - 1, -width + 1, width - 1, width + 1] if diagonal else straight)
