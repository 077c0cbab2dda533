"""The board code that game authors write in Python, as the projects behind Goldsplit had it.

Walls and bodies are sets of tuples, built once per call at most; neighbours come from a table by parity; a
search is a deque and a dict; flood fill loops over environments. Nothing here is slowed down on purpose, and
the "careful" variants are what the same author writes after reading about performance.
"""

from __future__ import annotations

import heapq
from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

Cell = tuple[int, int]

ODD_R_NEIGHBORS = (
    ((1, 0), (0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 1)),
    ((1, 0), (1, -1), (0, -1), (-1, 0), (0, 1), (1, 1)),
)


def hex_line(start: Cell, end: Cell) -> list[Cell]:
    """Cells on the line between two odd-r cells: cube interpolation and rounding."""
    x1, z1 = start[0] - (start[1] - (start[1] & 1)) // 2, start[1]
    x2, z2 = end[0] - (end[1] - (end[1] & 1)) // 2, end[1]
    distance = max(abs(x1 - x2), abs(z1 - z2), abs(x1 + z1 - x2 - z2))
    cells = []
    for i in range(distance + 1):
        t = i / distance if distance else 0.0
        x, z = x1 + (x2 - x1) * t + 1e-6, z1 + (z2 - z1) * t + 2e-6
        y = -x - z
        rx, ry, rz = round(x), round(y), round(z)
        dx, dy, dz = abs(rx - x), abs(ry - y), abs(rz - z)
        if dx > dy and dx > dz:
            rx = -ry - rz
        elif dz >= dy:
            rz = -rx - ry
        cells.append((rx + (rz - (rz & 1)) // 2, rz))
    return cells


def has_line_of_sight(start: Cell, end: Cell, walls: set[Cell]) -> bool:
    """Whether no wall lies strictly between two cells."""
    return not any(cell in walls for cell in hex_line(start, end)[1:-1])


def sight_all_pairs(cells: list[Cell], walls: set[Cell]) -> list[list[bool]]:
    """Every unit-target pair, as a turn of shooting asks for."""
    return [[has_line_of_sight(a, b, walls) for b in cells] for a in cells]


def sight_each_pair_once(cells: list[Cell], walls: set[Cell]) -> list[list[bool]]:
    """Careful: sight is symmetric."""
    seen = [[True] * len(cells) for _ in cells]
    for i, a in enumerate(cells):
        for j in range(i):
            seen[i][j] = seen[j][i] = has_line_of_sight(a, cells[j], walls)
    return seen


def sight_numpy(walls: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Vectorised over all pairs, one step of the lines at a time."""
    rows, columns = walls.shape
    row, column = (axis.reshape(-1) for axis in np.indices((rows, columns)))
    x, z = column - (row - (row & 1)) // 2, row
    dx, dz = x[None] - x[:, None], z[None] - z[:, None]
    distance = np.maximum(np.maximum(np.abs(dx), np.abs(dz)), np.abs(dx + dz))
    seen = np.ones(distance.shape, bool)
    for i in range(1, int(distance.max())):
        t = np.minimum(i, distance) / np.maximum(distance, 1)
        fx, fz = x[:, None] + dx * t + 1e-6, z[:, None] + dz * t + 2e-6
        fy = -fx - fz
        rx, ry, rz = np.rint(fx), np.rint(fy), np.rint(fz)
        ax, ay, az = np.abs(rx - fx), np.abs(ry - fy), np.abs(rz - fz)
        worst_x = (ax > ay) & (ax > az)
        rx, rz = np.where(worst_x, -ry - rz, rx), np.where(~worst_x & (az >= ay), -rx - ry, rz)
        line_row = rz.astype(np.int64)
        line_column = rx.astype(np.int64) + (line_row - (line_row & 1)) // 2
        inside = (line_row >= 0) & (line_row < rows) & (line_column >= 0) & (line_column < columns)
        wall = inside & walls[np.where(inside, line_row, 0), np.where(inside, line_column, 0)]
        seen &= ~(wall & (i < distance))
    return seen


def path_field(source: Cell, columns: int, rows: int, blocked: set[Cell]) -> dict[Cell, int]:
    """Steps from a cell to all that it can reach: breadth-first search."""
    found = {source: 0}
    queue = deque([source])
    while queue:
        column, row = queue.popleft()
        steps = found[column, row] + 1
        for step_column, step_row in ODD_R_NEIGHBORS[row & 1]:
            cell = (column + step_column, row + step_row)
            if 0 <= cell[0] < columns and 0 <= cell[1] < rows and cell not in blocked and cell not in found:
                found[cell] = steps
                queue.append(cell)
    return found


def cost_field(
    source: Cell, columns: int, rows: int, blocked: set[Cell], cost: dict[Cell, int]
) -> dict[Cell, int]:
    """Cheapest ways from a cell: Dijkstra with heapq."""
    best = {source: 0}
    queue = [(0, source)]
    while queue:
        reached, (column, row) = heapq.heappop(queue)
        if reached > best[column, row]:
            continue
        for step_column, step_row in ODD_R_NEIGHBORS[row & 1]:
            cell = (column + step_column, row + step_row)
            if not (0 <= cell[0] < columns and 0 <= cell[1] < rows) or cell in blocked:
                continue
            total = reached + cost[cell]
            if total < best.get(cell, 1 << 30):
                best[cell] = total
                heapq.heappush(queue, (total, cell))
    return best


def flat_neighbors(walls: NDArray[np.bool_]) -> list[list[int]]:
    """Careful: neighbour lists of flat cells, made once per board."""
    rows, columns = walls.shape
    return [
        [
            (row + step_row) * columns + column + step_column
            for step_column, step_row in ODD_R_NEIGHBORS[row & 1]
            if 0 <= row + step_row < rows
            and 0 <= column + step_column < columns
            and not walls[row + step_row, column + step_column]
        ]
        for row in range(rows)
        for column in range(columns)
    ]


def path_field_flat(source: int, neighbors: list[list[int]]) -> list[int]:
    """Careful: breadth-first search over flat cells and lists, level by level."""
    found = [-1] * len(neighbors)
    found[source] = 0
    level, steps = [source], 0
    while level:
        steps += 1
        following = []
        for cell in level:
            for near in neighbors[cell]:
                if found[near] < 0:
                    found[near] = steps
                    following.append(near)
        level = following
    return found


def flood_areas(bodies: list[set[Cell]], starts: list[list[Cell]], size: int) -> list[list[int]]:
    """Free cells around each snake's three candidate moves: a search per candidate and environment."""
    areas = []
    for body, candidates in zip(bodies, starts, strict=True):
        counts = []
        for start in candidates:
            row, column = start
            if not (0 <= row < size and 0 <= column < size) or start in body:
                counts.append(0)
                continue
            visited = {start}
            queue = deque([start])
            while queue:
                row, column = queue.popleft()
                for step_row, step_column in ((-1, 0), (1, 0), (0, -1), (0, 1)):
                    cell = (row + step_row, column + step_column)
                    if (
                        0 <= cell[0] < size
                        and 0 <= cell[1] < size
                        and cell not in body
                        and cell not in visited
                    ):
                        visited.add(cell)
                        queue.append(cell)
            counts.append(len(visited))
        areas.append(counts)
    return areas


def flood_areas_flat(blocked: NDArray[np.bool_], starts: NDArray[np.int64]) -> list[list[int]]:
    """Careful: padded flat byte arrays, a stack, and one fill for candidates that share a region."""
    boards, rows, columns = blocked.shape
    padded = np.ones((boards, rows + 2, columns + 2), np.uint8)
    padded[:, 1:-1, 1:-1] = blocked
    width = columns + 2
    areas = []
    for board, candidates in zip(padded.reshape(boards, -1), starts.tolist(), strict=True):
        cells: Any = bytearray(board.tobytes())
        counts: list[int] = []
        regions: list[set[int]] = []
        for row, column in candidates:
            at = (row + 1) * width + column + 1
            known = next((len(region) for region in regions if at in region), None)
            if known is not None:
                counts.append(known)
                continue
            if cells[at]:
                counts.append(0)
                continue
            cells[at] = 1
            filled = [at]
            for cell in filled:
                for near in (cell - width, cell - 1, cell + 1, cell + width):
                    if not cells[near]:
                        cells[near] = 1
                        filled.append(near)
            regions.append(set(filled))
            counts.append(len(filled))
        areas.append(counts)
    return areas
