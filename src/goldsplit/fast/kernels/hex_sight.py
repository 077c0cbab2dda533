"""Compiled distances, lines and lines of sight, all in axial coordinates (layouts end at the border).

A line is sampled at its cube distance and rounded to cells. A sample on the border of two or three cells is
decided by a nudge of a millionth of a cell, the same for every line: so a line holds the same cells in both
directions, and depends only on the step from start to end. That is what lets ``sight_all_pairs`` walk a table
of precomputed steps instead of rounding anew for each pair.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

NUDGE = 1e-6
LONGEST_LINE = 100_000
"""Beyond this the samples of a line can lie closer to a border than the nudge: symmetry would be lost."""


@njit(cache=True, inline="always")
def _rounded(q: float, r: float, nudge: float) -> Any:
    """The cell under a fractional axial position."""
    q += nudge
    r += 2.0 * nudge
    s = -q - r
    near_q, near_r, near_s = math.floor(q + 0.5), math.floor(r + 0.5), math.floor(s + 0.5)
    off_q, off_r, off_s = abs(near_q - q), abs(near_r - r), abs(near_s - s)
    if off_q > off_r and off_q > off_s:
        near_q = -near_r - near_s
    elif off_r > off_s:
        near_r = -near_q - near_s
    return int(near_q), int(near_r)


@njit(cache=True, inline="always")
def _steps(delta_q: int, delta_r: int) -> Any:
    """Cube distance of a step."""
    return (abs(delta_q) + abs(delta_r) + abs(delta_q + delta_r)) // 2


@njit(cache=True)
def distance_pairs(first: Any, second: Any, out: Any) -> None:
    """Distances of cells (n, 2) pair by pair."""
    for i in range(out.size):
        out[i] = _steps(second[i, 0] - first[i, 0], second[i, 1] - first[i, 1])


@njit(cache=True)
def distance_all_pairs(first: Any, second: Any, out: Any) -> None:
    """Distances of all pairs of cells (a, 2) and (b, 2)."""
    for i in range(first.shape[0]):
        for j in range(second.shape[0]):
            out[i, j] = _steps(second[j, 0] - first[i, 0], second[j, 1] - first[i, 1])


@njit(cache=True)
def line_cells(delta_q: int, delta_r: int, nudge: float, out: Any) -> None:
    """The steps from the start of a line to each of its cells, both ends included."""
    length = out.shape[0] - 1
    for k in range(length + 1):
        share = k / length if length else 0.0
        out[k, 0], out[k, 1] = _rounded(delta_q * share, delta_r * share, nudge)


@njit(cache=True, inline="always")
def _clear(opaque: Any, width: int, base: int, delta_q: int, delta_r: int, nudge: float) -> bool:
    """Whether no cell strictly between the ends is opaque."""
    length = _steps(delta_q, delta_r)
    step = 1.0 / length if length else 0.0
    for k in range(1, length):
        q, r = _rounded(delta_q * (k * step), delta_r * (k * step), nudge)
        if opaque[base + r * width + q]:
            return False
    return True


@njit(cache=True)
def sight_pairs(start: Any, end: Any, opaque: Any, width: int, either_side: bool, out: Any) -> None:
    """Lines of sight pair by pair; cells are axial positions inside ``opaque`` (flat, rows of ``width``)."""
    for i in range(out.size):
        delta_q, delta_r = end[i, 0] - start[i, 0], end[i, 1] - start[i, 1]
        base = start[i, 1] * width + start[i, 0]
        clear = _clear(opaque, width, base, delta_q, delta_r, NUDGE)
        if either_side and not clear:
            clear = _clear(opaque, width, base, delta_q, delta_r, -NUDGE)
        out[i] = clear


@njit(cache=True)
def _line_table(span_q: int, span_r: int, width: int, nudge: float) -> Any:
    """Flat steps of the cells strictly inside each line with a step (dq, 0..span_r): where, and the steps."""
    wide = 2 * span_q + 1
    where = np.zeros(wide * (span_r + 1) + 1, np.int64)
    for row in range(span_r + 1):
        for column in range(wide):
            inside = max(_steps(column - span_q, row) - 1, 0)
            where[row * wide + column + 1] = where[row * wide + column] + inside
    table = np.empty(where[-1], np.int32)
    for row in range(span_r + 1):
        for column in range(wide):
            length = _steps(column - span_q, row)
            at = where[row * wide + column]
            for k in range(1, length):
                q, r = _rounded((column - span_q) * (k / length), row * (k / length), nudge)
                table[at + k - 1] = r * width + q
    return where, table


@njit(cache=True)
def sight_all_pairs(cells: Any, opaque: Any, width: int, either_side: bool, out: Any) -> None:
    """Lines of sight between all cells (n, 2), positions inside ``opaque``; ``out`` is symmetric."""
    span_q = cells[:, 0].max() - cells[:, 0].min()
    span_r = cells[:, 1].max() - cells[:, 1].min()
    wide = 2 * span_q + 1
    where, table = _line_table(span_q, span_r, width, NUDGE)
    other_table = table
    if either_side:
        _, other_table = _line_table(span_q, span_r, width, -NUDGE)
    for i in range(cells.shape[0]):
        out[i, i] = True
        for j in range(i):
            low, high = (j, i) if cells[j, 1] <= cells[i, 1] else (i, j)
            base = cells[low, 1] * width + cells[low, 0]
            delta_q, delta_r = cells[high, 0] - cells[low, 0], cells[high, 1] - cells[low, 1]
            line = delta_r * wide + delta_q + span_q
            clear = True
            for k in range(where[line], where[line + 1]):
                if opaque[base + table[k]]:
                    clear = False
                    break
            if either_side and not clear:
                clear = True
                for k in range(where[line], where[line + 1]):
                    if opaque[base + other_table[k]]:
                        clear = False
                        break
            out[i, j] = clear
            out[j, i] = clear
