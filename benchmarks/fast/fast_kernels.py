"""Board kernels against the usual Python, careful Python, NumPy and scipy.

python benchmarks/fast/fast_kernels.py                 all parts
python benchmarks/fast/fast_kernels.py sight flood     some parts: sight, path, flood, loop
"""

from __future__ import annotations

import sys
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage, sparse
from scipy.sparse import csgraph

import fast_kernels_usual as usual
from fast_timing import interleave, print_table, summary, write_json
from goldsplit.fast.kernels import grid, hex

LAYOUT = "odd-r"
Tables = dict[str, Any]


def hex_board(rows: int, columns: int) -> NDArray[np.bool_]:
    """Ruins on a wargame table: short straight walls, about a tenth of the cells."""
    rng = np.random.default_rng(7)
    walls = np.zeros((rows, columns), bool)
    while walls.mean() < 0.1:
        row, column, length = rng.integers(rows), rng.integers(columns), rng.integers(2, 6)
        if rng.random() < 0.5:
            walls[row, column : column + length] = True
        else:
            walls[row : row + length, column] = True
    return walls


def as_set(walls: NDArray[np.bool_]) -> set[tuple[int, int]]:
    return {(int(column), int(row)) for row, column in np.argwhere(walls)}


def sight() -> Tables:
    """All pairs of a small and of a full table."""
    tables: Tables = {}
    for rows, columns, rounds in ((11, 13, 15), (21, 25, 5)):
        walls = hex_board(rows, columns)
        wall_set = as_set(walls)
        cells = [(column, row) for row in range(rows) for column in range(columns)]
        wanted = hex.line_of_sight(walls, layout=LAYOUT)
        assert usual.sight_all_pairs(cells, wall_set) == wanted.tolist()
        assert np.array_equal(usual.sight_numpy(walls), wanted)
        variants = {
            "goldsplit": lambda walls=walls: hex.line_of_sight(walls, layout=LAYOUT),
            "usual Python": lambda c=cells, w=wall_set: usual.sight_all_pairs(c, w),
            "Python, each pair once": lambda c=cells, w=wall_set: usual.sight_each_pair_once(c, w),
            "NumPy, all pairs at once": lambda walls=walls: usual.sight_numpy(walls),
        }
        timings = interleave(variants, rounds, 1)
        title = f"line of sight, all pairs of {rows} x {columns}"
        print_table(title, timings, "goldsplit")
        tables[title] = summary(timings, "goldsplit")
    return tables


def path() -> Tables:
    """One source to all cells, another one each time as a game asks, and one field per unit; with costs."""
    walls = hex_board(21, 25)
    rows, columns = walls.shape
    wall_set, neighbors = as_set(walls), usual.flat_neighbors(walls)
    graph = sparse.csr_array(_adjacency(neighbors))
    cost = np.random.default_rng(1).integers(1, 4, walls.shape)
    cost_of = {(c, r): int(cost[r, c]) for r in range(rows) for c in range(columns)}
    free = np.argwhere(~walls)
    units = [(int(c), int(r)) for r, c in free[:: len(free) // 12]][:12]
    source = units[5]
    flat = source[1] * columns + source[0]
    field = hex.path_field(walls, source, layout=LAYOUT)
    assert usual.path_field(source, columns, rows, wall_set) == _reached(field)
    assert usual.path_field_flat(flat, neighbors) == field.reshape(-1).tolist()
    priced = hex.path_field(walls, source, layout=LAYOUT, cost=cost)
    assert usual.cost_field(source, columns, rows, wall_set, cost_of) == _reached(priced)
    cells = cycle([(int(c), int(r)) for r, c in np.random.default_rng(2).permutation(free)])

    def flat_cell() -> int:
        column, row = next(cells)
        return row * columns + column

    groups: dict[str, dict[str, Any]] = {
        "path field, one source": {
            "goldsplit": lambda: hex.path_field(walls, next(cells), layout=LAYOUT),
            "usual Python": lambda: usual.path_field(next(cells), columns, rows, wall_set),
            "Python, flat lists": lambda: usual.path_field_flat(flat_cell(), neighbors),
            "scipy csgraph": lambda: csgraph.dijkstra(graph, indices=flat_cell(), unweighted=True),
        },
        "path fields, twelve units": {
            "goldsplit": lambda: hex.path_fields(walls, units, layout=LAYOUT),
            "usual Python": lambda: [usual.path_field(u, columns, rows, wall_set) for u in units],
        },
        "path field with costs": {
            "goldsplit": lambda: hex.path_field(walls, next(cells), layout=LAYOUT, cost=cost),
            "usual Python": lambda: usual.cost_field(next(cells), columns, rows, wall_set, cost_of),
        },
    }
    tables: Tables = {}
    for title, variants in groups.items():
        timings = interleave(variants, 25, 60)
        print_table(title, timings, "goldsplit")
        tables[title] = summary(timings, "goldsplit")
    return tables


def _adjacency(neighbors: list[list[int]]) -> NDArray[np.float64]:
    dense = np.zeros((len(neighbors), len(neighbors)))
    for cell, around in enumerate(neighbors):
        dense[cell, around] = 1
    return dense


def _reached(field: NDArray[np.int32]) -> dict[tuple[int, int], int]:
    return {(int(c), int(r)): int(field[r, c]) for r, c in np.argwhere(field >= 0)}


def snakes(count: int, size: int) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Bodies grown by random self-avoiding walks of up to 0.4 of the board, and the moves of each head."""
    rng = np.random.default_rng(3)
    blocked, starts = np.zeros((count, size, size), bool), np.zeros((count, 3, 2), np.int64)
    for board, candidates in zip(blocked, starts, strict=True):
        head = rng.integers(size, size=2)
        for _ in range(rng.integers(3, int(0.4 * size * size))):
            board[tuple(head)] = True
            around = head + np.array([(-1, 0), (0, 1), (1, 0), (0, -1)])
            free = [c for c in around if (c >= 0).all() and (c < size).all() and not board[tuple(c)]]
            if not free:
                break
            head = free[rng.integers(len(free))]
        board[tuple(head)] = True
        candidates[:] = (head + np.array([(-1, 0), (0, 1), (1, 0), (0, -1)]))[rng.permutation(4)[:3]]
    return blocked, starts


def label_areas(blocked: NDArray[np.bool_], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same areas by one call of scipy's label over the stack of boards."""
    flat = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]])
    labels, found = ndimage.label(~blocked, np.stack([0 * flat, flat, 0 * flat]))
    sizes = np.bincount(labels.reshape(-1), minlength=found + 1)
    sizes[0] = 0
    padded = np.zeros((len(blocked), blocked.shape[1] + 2, blocked.shape[2] + 2), np.int64)
    padded[:, 1:-1, 1:-1] = labels
    boards = np.arange(len(blocked))[:, None]
    return np.asarray(sizes[padded[boards, starts[..., 0] + 1, starts[..., 1] + 1]])


def flood() -> Tables:
    """Area behind three candidate moves of 256 snakes; and the labels alone, scipy's home ground."""
    tables: Tables = {}
    for size in (10, 20):
        blocked, starts = snakes(256, size)
        bodies = [{(int(r), int(c)) for r, c in np.argwhere(board)} for board in blocked]
        candidates = [[tuple(cell) for cell in cells] for cells in starts.tolist()]
        wanted = grid.flood_fill(blocked, starts)
        assert usual.flood_areas(bodies, candidates, size) == wanted.tolist()  # type: ignore[arg-type]
        assert usual.flood_areas_flat(blocked, starts) == wanted.tolist()
        assert np.array_equal(label_areas(blocked, starts), wanted)
        stacked = np.zeros((3, 3, 3), int)
        stacked[1] = [[0, 1, 0], [1, 1, 1], [0, 1, 0]]
        groups: dict[str, dict[str, Any]] = {
            f"flood fill, 256 boards of {size} x {size}, 3 starts": {
                "goldsplit": lambda b=blocked, s=starts: grid.flood_fill(b, s),
                "usual Python": lambda b=bodies, c=candidates, n=size: usual.flood_areas(b, c, n),
                "Python, flat and shared": lambda b=blocked, s=starts: usual.flood_areas_flat(b, s),
                "scipy label, one call": lambda b=blocked, s=starts: label_areas(b, s),
            },
            f"labels only, 256 boards of {size} x {size}": {
                "goldsplit": lambda b=blocked: grid.label(b),
                "scipy label, one call": lambda b=blocked, s=stacked: ndimage.label(~b, s),
            },
        }
        for title, variants in groups.items():
            timings = interleave(variants, 15, 2)
            print_table(title, timings, "goldsplit")
            tables[title] = summary(timings, "goldsplit")
    return tables


def loop() -> Tables:
    """A whole turn of a skirmish, the rest of the turn included: see fast_kernels_loop."""
    from fast_kernels_loop import play

    walls = hex_board(21, 25)
    assert play(walls, fast=True, turns=20) == play(walls, fast=False, turns=20)
    variants = {
        "goldsplit": lambda: play(walls, fast=True, turns=20),
        "usual Python": lambda: play(walls, fast=False, turns=20),
    }
    timings = interleave(variants, 9, 1)
    print_table("20 turns of a skirmish, identical trajectory", timings, "goldsplit")
    return {"skirmish turns": summary(timings, "goldsplit")}


PARTS = {"sight": sight, "path": path, "flood": flood, "loop": loop}


def main(names: list[str]) -> None:
    tables: Tables = {}
    for name in names or list(PARTS):
        tables |= PARTS[name]()
    write_json("fast_kernels", tables)


if __name__ == "__main__":
    main(sys.argv[1:])
