"""What ``hex`` computes, in plain Python with exact fractions: slow, short, and the judge of the kernels."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from fractions import Fraction

from goldsplit.fast.kernels.hex_coordinates import DIRECTIONS

Cell = tuple[int, int]
NUDGE = Fraction(1, 1_000_000)


def to_axial(cell: Cell, layout: str) -> Cell:
    """(column, row) to (q, r)."""
    column, row = cell
    if layout == "odd-r":
        return column - (row - row % 2) // 2, row
    if layout == "even-r":
        return column - (row + row % 2) // 2, row
    if layout == "odd-q":
        return column, row - (column - column % 2) // 2
    if layout == "even-q":
        return column, row - (column + column % 2) // 2
    return cell


def from_axial(cell: Cell, layout: str) -> Cell:
    """(q, r) to (column, row)."""
    q, r = cell
    if layout == "odd-r":
        return q + (r - r % 2) // 2, r
    if layout == "even-r":
        return q + (r + r % 2) // 2, r
    if layout == "odd-q":
        return q, r + (q - q % 2) // 2
    if layout == "even-q":
        return q, r + (q + q % 2) // 2
    return cell


def distance(first: Cell, second: Cell, layout: str) -> int:
    """Steps between two cells: the largest difference of their cube coordinates."""
    (q1, r1), (q2, r2) = to_axial(first, layout), to_axial(second, layout)
    return max(abs(q1 - q2), abs(r1 - r2), abs(q1 + r1 - q2 - r2))


def _rounded(q: Fraction, r: Fraction) -> Cell:
    s = -q - r
    near = {name: (value + Fraction(1, 2)).__floor__() for name, value in (("q", q), ("r", r), ("s", s))}
    off = {name: abs(near[name] - value) for name, value in (("q", q), ("r", r), ("s", s))}
    worst = max(off, key=lambda name: off[name])
    if worst == "q":
        near["q"] = -near["r"] - near["s"]
    elif worst == "r":
        near["r"] = -near["q"] - near["s"]
    return near["q"], near["r"]


def line(start: Cell, end: Cell, layout: str, nudge: Fraction = NUDGE) -> list[Cell]:
    """The cells under evenly spaced samples of the straight line between two centres."""
    (q1, r1), (q2, r2) = to_axial(start, layout), to_axial(end, layout)
    length = distance(start, end, layout)
    cells = []
    for k in range(length + 1):
        share = Fraction(k, max(length, 1))
        cells.append(_rounded(q1 + (q2 - q1) * share + nudge, r1 + (r2 - r1) * share + 2 * nudge))
    return [from_axial(cell, layout) for cell in cells]


def sees(walls: set[Cell], start: Cell, end: Cell, layout: str, either_side: bool = False) -> bool:
    """Whether no wall lies strictly between two cells; with ``either_side``, on the clearer side of ties."""
    nudges = (NUDGE, -NUDGE) if either_side else (NUDGE,)
    return any(not any(cell in walls for cell in line(start, end, layout, nudge)[1:-1]) for nudge in nudges)


def path_costs(
    cells: Iterable[Cell], blocked: set[Cell], sources: Iterable[Cell], layout: str, cost: Mapping[Cell, int]
) -> dict[Cell, int]:
    """Cheapest cost of every cell that can be reached, by Dijkstra; entering a cell costs ``cost[cell]``."""
    board = set(cells)
    best = dict.fromkeys(sources, 0)
    queue = [(0, cell) for cell in best]
    heapq.heapify(queue)
    while queue:
        reached, cell = heapq.heappop(queue)
        if reached > best[cell]:
            continue
        q, r = to_axial(cell, layout)
        for step_q, step_r in DIRECTIONS:
            neighbor = from_axial((q + step_q, r + step_r), layout)
            if neighbor not in board or neighbor in blocked:
                continue
            total = reached + cost[neighbor]
            if neighbor not in best or total < best[neighbor]:
                best[neighbor] = total
                heapq.heappush(queue, (total, neighbor))
    return best
