"""Every compiled kernel says what its plain Python twin says, on random boards of every layout."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from goldsplit.fast.kernels import grid, grid_reference, hex, hex_reference

# The first call compiles, so deadlines would measure Numba; fixed examples keep the suite repeatable.
kernel_test = settings(max_examples=60, deadline=None, derandomize=True)
layouts = st.sampled_from(hex.LAYOUTS)
coordinates = st.tuples(st.integers(-40, 40), st.integers(-40, 40))


@st.composite
def boards(draw: st.DrawFn, largest: int = 9) -> NDArray[np.bool_]:
    """A board with walls of some density, drawn from a seed so that large boards stay cheap to draw."""
    rows, columns = draw(st.integers(1, largest)), draw(st.integers(1, largest))
    density = draw(st.sampled_from([0.0, 0.1, 0.35, 0.6, 1.0]))
    return np.random.default_rng(draw(st.integers(0, 2**32))).random((rows, columns)) < density


def all_cells(board: NDArray[Any]) -> list[tuple[int, int]]:
    return [(column, row) for row in range(board.shape[0]) for column in range(board.shape[1])]


def marked(board: NDArray[Any]) -> set[tuple[int, int]]:
    return {(column, row) for column, row in all_cells(board) if board[row, column]}


def some_cells(draw_seed: int, board: NDArray[Any], count: int) -> list[tuple[int, int]]:
    rng = np.random.default_rng(draw_seed)
    return [(int(rng.integers(board.shape[1])), int(rng.integers(board.shape[0]))) for _ in range(count)]


@kernel_test
@given(
    layouts, st.lists(coordinates, min_size=1, max_size=12), st.lists(coordinates, min_size=1, max_size=12)
)
def test_hex_distance_matches_its_twin(
    layout: str, first: list[tuple[int, int]], second: list[tuple[int, int]]
) -> None:
    wanted = [[hex_reference.distance(a, b, layout) for b in second] for a in first]
    assert hex.distance_matrix(first, second, layout=layout).tolist() == wanted
    assert hex.distance(np.array(first)[:, None], np.array(second)[None], layout=layout).tolist() == wanted


@kernel_test
@given(layouts, st.lists(coordinates, min_size=1, max_size=12))
def test_hex_coordinates_match_their_twin_and_round_trip(layout: str, cells: list[tuple[int, int]]) -> None:
    axial = hex.to_axial(cells, layout=layout)
    assert axial.tolist() == [list(hex_reference.to_axial(cell, layout)) for cell in cells]
    assert hex.from_axial(axial, layout=layout).tolist() == [list(cell) for cell in cells]
    assert hex.from_axial(cells, layout=layout).tolist() == [
        list(hex_reference.from_axial(cell, layout)) for cell in cells
    ]


@kernel_test
@given(layouts, coordinates, coordinates)
def test_hex_line_matches_its_twin(layout: str, start: tuple[int, int], end: tuple[int, int]) -> None:
    cells = [tuple(cell) for cell in hex.line(start, end, layout=layout).tolist()]
    assert cells == hex_reference.line(start, end, layout)
    assert cells[::-1] == [tuple(cell) for cell in hex.line(end, start, layout=layout).tolist()]


@settings(max_examples=25)
@given(layouts, boards(largest=7), st.booleans())
def test_hex_line_of_sight_matches_its_twin(layout: str, walls: NDArray[np.bool_], either_side: bool) -> None:
    cells, wall_set = all_cells(walls), marked(walls)
    wanted = [[hex_reference.sees(wall_set, a, b, layout, either_side) for b in cells] for a in cells]
    seen = hex.line_of_sight(walls, layout=layout, either_side=either_side)
    assert seen.tolist() == wanted


@kernel_test
@given(layouts, boards(largest=24), st.booleans(), st.integers(0, 2**32))
def test_hex_line_of_sight_of_all_pairs_and_of_given_pairs_agree(
    layout: str, walls: NDArray[np.bool_], either_side: bool, seed: int
) -> None:
    everything = hex.line_of_sight(walls, layout=layout, either_side=either_side)
    starts, ends = some_cells(seed, walls, 9), some_cells(seed + 1, walls, 7)
    flat = [[row * walls.shape[1] + column for column, row in cells] for cells in (starts, ends)]
    matrix = hex.line_of_sight(walls, starts, ends, layout=layout, either_side=either_side)
    assert np.array_equal(matrix, everything[np.ix_(*flat)])
    paired = hex.line_of_sight_between(walls, starts[:7], ends, layout=layout, either_side=either_side)
    assert np.array_equal(paired, everything[flat[0][:7], flat[1]])
    assert np.array_equal(everything, everything.T)


@kernel_test
@given(
    layouts,
    boards(),
    st.integers(1, 3),
    st.integers(0, 2**32),
    st.one_of(st.none(), st.sampled_from([0, 1, 2, 9])),
    st.one_of(st.none(), st.integers(0, 12)),
    st.sampled_from(["none", "block", "pass"]),
)
def test_hex_path_fields_match_their_twin(
    layout: str,
    walls: NDArray[np.bool_],
    count: int,
    seed: int,
    largest_cost: int | None,
    limit: int | None,
    occupation: str,
) -> None:
    rng = np.random.default_rng(seed)
    sources = some_cells(seed, walls, count)
    occupied = (rng.random(walls.shape) < 0.2) if occupation != "none" else None
    cost = None if largest_cost is None else rng.integers(0, largest_cost + 1, walls.shape)
    options: dict[str, Any] = {
        "layout": layout,
        "cost": cost,
        "occupied": occupied,
        "pass_occupied": occupation == "pass",
        "limit": limit,
    }
    merged = hex.path_field(walls, sources, **options)
    each = hex.path_fields(walls, sources, **options)
    assert np.array_equal(merged, twin_field(walls, sources, cost, occupied, options))
    for field, source in zip(each, sources, strict=True):
        assert np.array_equal(field, twin_field(walls, [source], cost, occupied, options))
    options.pop("limit")
    within = hex.reach(walls, sources, 3, **options)
    assert np.array_equal(within, hex.path_field(walls, sources, limit=3, **options) != hex.UNREACHED)


def twin_field(
    walls: NDArray[np.bool_],
    sources: list[tuple[int, int]],
    cost: NDArray[np.int64] | None,
    occupied: NDArray[np.bool_] | None,
    options: dict[str, Any],
) -> NDArray[np.int32]:
    """The reference field as a board, the rules for occupied cells and the limit applied from outside."""
    taken = set() if occupied is None else marked(occupied)
    blocked = marked(walls) if options["pass_occupied"] else marked(walls) | taken
    prices = {(c, r): 1 if cost is None else int(cost[r, c]) for c, r in all_cells(walls)}
    costs = hex_reference.path_costs(all_cells(walls), blocked, sources, options["layout"], prices)
    field = np.full(walls.shape, hex.UNREACHED, np.int32)
    for (column, row), total in costs.items():
        hidden = options["pass_occupied"] and (column, row) in taken and (column, row) not in sources
        beyond = options["limit"] is not None and total > options["limit"]
        if not hidden and not beyond:
            field[row, column] = total
    return field


@st.composite
def board_batches(draw: st.DrawFn) -> NDArray[np.bool_]:
    """Some boards of one shape; now and then wider than a machine word, where another kernel takes over."""
    count, rows = draw(st.integers(1, 4)), draw(st.integers(1, 9))
    columns = draw(st.one_of(st.integers(1, 9), st.sampled_from([31, 63, 64, 65, 70])))
    density = draw(st.sampled_from([0.0, 0.2, 0.4, 0.7, 1.0]))
    return np.random.default_rng(draw(st.integers(0, 2**32))).random((count, rows, columns)) < density


@kernel_test
@given(board_batches(), st.booleans(), st.integers(0, 2**32))
def test_grid_flood_fill_matches_its_twin(blocked: NDArray[np.bool_], diagonal: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    starts = rng.integers((-1, -1), np.array(blocked.shape[1:]) + 1, (len(blocked), 4, 2))
    wanted = [
        [grid_reference.area(board.tolist(), tuple(cell), diagonal) for cell in cells.tolist()]
        for board, cells in zip(blocked, starts, strict=True)
    ]
    assert grid.flood_fill(blocked, starts, diagonal=diagonal).tolist() == wanted


@kernel_test
@given(board_batches(), st.booleans())
def test_grid_label_matches_its_twin(blocked: NDArray[np.bool_], diagonal: bool) -> None:
    labels, counts = grid.label(blocked, diagonal=diagonal)
    assert labels.tolist() == [grid_reference.labels(board.tolist(), diagonal) for board in blocked]
    assert counts.tolist() == labels.max(axis=(1, 2)).tolist()


@kernel_test
@given(
    board_batches(),
    st.booleans(),
    st.integers(1, 3),
    st.one_of(st.none(), st.integers(0, 6)),
    st.integers(0, 2**32),
)
def test_grid_distance_field_matches_its_twin(
    blocked: NDArray[np.bool_], diagonal: bool, count: int, limit: int | None, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    sources = rng.integers(0, blocked.shape[1:], (len(blocked), count, 2))
    fields = grid.distance_field(blocked, sources, diagonal=diagonal, limit=limit)
    for board, cells, field in zip(blocked, sources, fields, strict=True):
        found = grid_reference.distances(board.tolist(), [tuple(cell) for cell in cells.tolist()], diagonal)
        wanted = np.full(board.shape, grid.UNREACHED, np.int32)
        for cell, steps in found.items():
            if limit is None or steps <= limit:
                wanted[cell] = steps
        assert np.array_equal(field, wanted)
