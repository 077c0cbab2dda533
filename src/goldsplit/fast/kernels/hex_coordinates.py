"""Hexagonal coordinates: axial (q, r) and the four offset layouts (column, row).

A cell is a pair in this order: ``(q, r)`` or ``(column, row)``. A board is an array indexed ``[row, column]``
(``[r, q]`` for the layout "axial", a rhombus). The layouts:

- ``axial``: the two neighbours along q, the two along r, and the two with q + r constant;
- ``odd-r`` / ``even-r``: pointy tops; odd (even) rows are shoved right by half a cell;
- ``odd-q`` / ``even-q``: flat tops; odd (even) columns are shoved down by half a cell.
"""

from __future__ import annotations

import difflib
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from goldsplit.fast.kernels.boards import IntArray, cell_pairs

LAYOUTS = ("axial", "odd-r", "even-r", "odd-q", "even-q")
DIRECTIONS = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
"""The six axial steps, anticlockwise from east (pointy tops) or south-east (flat tops)."""


def check_layout(layout: str) -> str:
    """The layout itself, or an error that names the closest one."""
    if layout not in LAYOUTS:
        close = difflib.get_close_matches(str(layout), LAYOUTS, n=1, cutoff=0.3)
        hint = f"\nhint: did you mean {close[0]!r}?" if close else ""
        raise ValueError(f"unknown hex layout {layout!r}; known: {', '.join(LAYOUTS)}{hint}")
    return layout


def _column_shift(line: IntArray, layout: str) -> IntArray:
    """How many half-cell shoves, rounded to whole cells, a row (or column) has collected."""
    odd = line & 1
    return (line - odd) >> 1 if layout.startswith("odd") else (line + odd) >> 1


def to_axial(cells: ArrayLike, *, layout: str) -> IntArray:
    """(column, row) pairs to (q, r) pairs; shape (..., 2) stays."""
    check_layout(layout)
    array = cell_pairs(cells, "cells").copy()
    if layout.endswith("-r"):
        array[..., 0] -= _column_shift(array[..., 1], layout)
    elif layout.endswith("-q"):
        array[..., 1] -= _column_shift(array[..., 0], layout)
    return array


def from_axial(cells: ArrayLike, *, layout: str) -> IntArray:
    """(q, r) pairs to (column, row) pairs; the inverse of ``to_axial``."""
    check_layout(layout)
    array = cell_pairs(cells, "cells").copy()
    if layout.endswith("-r"):
        array[..., 0] += _column_shift(array[..., 1], layout)
    elif layout.endswith("-q"):
        array[..., 1] += _column_shift(array[..., 0], layout)
    return array


@lru_cache(maxsize=len(LAYOUTS))
def neighbor_steps(layout: str) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
    """The six (column, row) steps from a cell of even and of odd parity; of what, says ``parity_axis``."""
    check_layout(layout)
    by_parity = []
    for parity in (0, 1):
        cell = np.array([parity, parity])
        around = from_axial(to_axial(cell, layout=layout) + np.array(DIRECTIONS), layout=layout) - cell
        by_parity.append(tuple((int(column), int(row)) for column, row in around))
    return by_parity[0], by_parity[1]


def parity_axis(layout: str) -> int:
    """Which index decides the steps of a cell: 0 none, 1 its row, 2 its column."""
    return {"r": 1, "q": 2}.get(check_layout(layout)[-1], 0) if layout != "axial" else 0


def neighbors(cell: ArrayLike, *, layout: str) -> IntArray:
    """The six cells around ``cell``, on or off any board: shape (6, 2)."""
    axial = to_axial(cell, layout=layout)
    if axial.shape != (2,):
        raise ValueError(f"cell must be one pair, got shape {axial.shape}")
    return from_axial(axial + np.array(DIRECTIONS), layout=layout)
