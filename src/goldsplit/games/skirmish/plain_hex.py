"""Hex helpers of the plain twin, in cube coordinates (x, y, z), as most tutorials have them.

Everything is computed anew from (col, row) each time somebody asks.
"""

from __future__ import annotations

Pos = tuple[int, int]
Cube = tuple[int, int, int]

# From east, anticlockwise; what a step to the side means depends on the row.
NEIGHBORS_EVEN_ROW = [(1, 0), (0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 1)]
NEIGHBORS_ODD_ROW = [(1, 0), (1, -1), (0, -1), (-1, 0), (0, 1), (1, 1)]

# Lines that run exactly between two hexes have to choose one of them.
EPSILON = (1e-6, -3e-6, 2e-6)


def offset_to_cube(col: int, row: int) -> Cube:
    """Odd rows are shoved right."""
    x = col - (row - (row & 1)) // 2
    z = row
    return x, -x - z, z


def cube_to_offset(x: int, y: int, z: int) -> Pos:
    """Back to (col, row)."""
    return x + (z - (z & 1)) // 2, z


def get_hex_neighbors(col: int, row: int) -> list[Pos]:
    """The six hexes around; some may be off the board."""
    deltas = NEIGHBORS_ODD_ROW if row % 2 == 1 else NEIGHBORS_EVEN_ROW
    return [(col + dcol, row + drow) for dcol, drow in deltas]


def calculate_hex_distance(pos1: Pos, pos2: Pos) -> int:
    """Steps between two hexes as the crow flies."""
    x1, y1, z1 = offset_to_cube(pos1[0], pos1[1])
    x2, y2, z2 = offset_to_cube(pos2[0], pos2[1])
    return max(abs(x1 - x2), abs(y1 - y2), abs(z1 - z2))


def cube_lerp(a: Cube, b: Cube, t: float) -> tuple[float, float, float]:
    """A point on the way from a to b."""
    return (
        a[0] + (b[0] - a[0]) * t + EPSILON[0],
        a[1] + (b[1] - a[1]) * t + EPSILON[1],
        a[2] + (b[2] - a[2]) * t + EPSILON[2],
    )


def cube_round(point: tuple[float, float, float]) -> Cube:
    """The hex under a point."""
    rx, ry, rz = round(point[0]), round(point[1]), round(point[2])
    x_diff, y_diff, z_diff = abs(rx - point[0]), abs(ry - point[1]), abs(rz - point[2])
    if x_diff > y_diff and x_diff > z_diff:
        rx = -ry - rz
    elif y_diff > z_diff:
        ry = -rx - rz
    else:
        rz = -rx - ry
    return rx, ry, rz


def get_hex_line(start: Pos, end: Pos) -> list[Pos]:
    """All hexes from start to end, both included."""
    a, b = offset_to_cube(*start), offset_to_cube(*end)
    n = calculate_hex_distance(start, end)
    line = []
    for i in range(n + 1):
        t = i / n if n > 0 else 0.0
        line.append(cube_to_offset(*cube_round(cube_lerp(a, b, t))))
    return line
