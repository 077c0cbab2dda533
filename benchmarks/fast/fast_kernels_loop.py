"""A small skirmish on a hex table: every unit moves towards the nearest enemy and shoots what it sees.

Two twins of the same game, one with the usual Python and one with the kernels, everything else shared: the
positions of all turns must be identical.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import fast_kernels_usual as usual
from goldsplit.fast.kernels import hex

Cell = tuple[int, int]
UNITS_PER_SIDE, MOVE, RANGE, HIT_POINTS = 6, 5, 12, 8


def play(walls: NDArray[np.bool_], *, fast: bool, turns: int) -> list[tuple[Cell, ...]]:
    """The positions of all living units after each turn."""
    wall_set = {(int(c), int(r)) for r, c in np.argwhere(walls)}
    free = [(int(c), int(r)) for r, c in np.argwhere(~walls)]
    sides = [free[:UNITS_PER_SIDE], free[-UNITS_PER_SIDE:]]
    units = {cell: (side, HIT_POINTS) for side in (0, 1) for cell in sides[side]}
    history = []
    for turn in range(turns):
        side = turn % 2
        for cell in sorted(c for c, (owner, _) in units.items() if owner == side):
            enemies = sorted(c for c, (owner, _) in units.items() if owner != side)
            if not enemies:
                break
            place = _move(cell, enemies, units, walls, wall_set, fast)
            units[place] = units.pop(cell)
            _shoot(place, enemies, units, walls, wall_set, fast)
        history.append(tuple(sorted(units)))
    return history


def _move(
    cell: Cell,
    enemies: list[Cell],
    units: dict[Cell, tuple[int, int]],
    walls: NDArray[np.bool_],
    wall_set: set[Cell],
    fast: bool,
) -> Cell:
    """The cell within the unit's move that lies nearest to the nearest enemy."""
    rows, columns = walls.shape
    others = [other for other in units if other != cell]
    if fast:
        occupied = np.zeros_like(walls)
        for column, row in others:
            occupied[row, column] = True
        field = hex.path_field(walls, cell, layout="odd-r", occupied=occupied, limit=MOVE)
        reached = [(int(c), int(r)) for r, c in np.argwhere(field >= 0)]
        gaps = hex.distance_matrix(reached, enemies, layout="odd-r").min(axis=1)
        best = int(gaps.min())
        return min(place for place, gap in zip(reached, gaps.tolist(), strict=True) if gap == best)
    found = usual.path_field(cell, columns, rows, wall_set | set(others))
    places = [place for place, steps in found.items() if steps <= MOVE]
    gap_of = {place: min(_distance(place, enemy) for enemy in enemies) for place in places}
    nearest = min(gap_of.values())
    return min(place for place, gap in gap_of.items() if gap == nearest)


def _shoot(
    place: Cell,
    enemies: list[Cell],
    units: dict[Cell, tuple[int, int]],
    walls: NDArray[np.bool_],
    wall_set: set[Cell],
    fast: bool,
) -> None:
    """One hit point off the weakest enemy in range and in sight."""
    if fast:
        seen = hex.line_of_sight(walls, [place], enemies, layout="odd-r")[0]
        near = hex.distance_matrix([place], enemies, layout="odd-r")[0] <= RANGE
        targets = [enemy for enemy, can in zip(enemies, (seen & near).tolist(), strict=True) if can]
    else:
        targets = [
            enemy
            for enemy in enemies
            if _distance(place, enemy) <= RANGE and usual.has_line_of_sight(place, enemy, wall_set)
        ]
    if targets:
        victim = min(targets, key=lambda enemy: (units[enemy][1], enemy))
        owner, hit_points = units[victim]
        if hit_points > 1:
            units[victim] = (owner, hit_points - 1)
        else:
            del units[victim]


def _distance(first: Cell, second: Cell) -> int:
    x1, x2 = (cell[0] - (cell[1] - (cell[1] & 1)) // 2 for cell in (first, second))
    return max(abs(x1 - x2), abs(first[1] - second[1]), abs(x1 + first[1] - x2 - second[1]))
