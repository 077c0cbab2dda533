"""What the kernels accept and refuse, and a few boards that can be checked by eye."""

from __future__ import annotations

import numpy as np
import pytest

from goldsplit.fast.kernels import grid, hex

WALLS = np.zeros((4, 5), bool)


def test_a_wall_between_two_cells_hides_them_and_the_ends_never_block() -> None:
    walls = np.zeros((1, 5), bool)
    walls[0, 2] = True
    seen = hex.line_of_sight(walls, layout="odd-r")
    assert seen.astype(int).tolist() == [
        [1, 1, 1, 0, 0],
        [1, 1, 1, 0, 0],
        [1, 1, 1, 1, 1],
        [0, 0, 1, 1, 1],
        [0, 0, 1, 1, 1],
    ]


def test_a_line_between_two_cells_may_take_the_clearer_side() -> None:
    # In axial coordinates (1, 1) lies two steps from (0, 0), exactly between (1, 0) and (0, 1).
    blocked_on_the_side_taken = np.zeros((2, 2), bool)
    column, row = hex.line((0, 0), (1, 1), layout="axial")[1]
    blocked_on_the_side_taken[row, column] = True
    pair = ([(0, 0)], [(1, 1)])
    assert not hex.line_of_sight_between(blocked_on_the_side_taken, *pair, layout="axial")[0]
    assert hex.line_of_sight_between(blocked_on_the_side_taken, *pair, layout="axial", either_side=True)[0]
    both = np.array([[False, True], [True, False]])
    assert not hex.line_of_sight_between(both, *pair, layout="axial", either_side=True)[0]


@pytest.mark.parametrize("layout", hex.LAYOUTS)
def test_neighbors_are_the_six_cells_at_distance_one(layout: str) -> None:
    for cell in ((0, 0), (3, 4), (4, 3), (-2, -5)):
        around = hex.neighbors(cell, layout=layout)
        assert len({tuple(pair) for pair in around.tolist()}) == 6
        assert hex.distance(cell, around, layout=layout).tolist() == [1] * 6


def test_occupied_cells_block_or_are_passed_without_stopping() -> None:
    walls, occupied = np.zeros((1, 5), bool), np.array([[True, False, True, False, False]])
    source = (0, 0)
    assert hex.path_field(walls, source, layout="odd-r").tolist() == [[0, 1, 2, 3, 4]]
    assert hex.path_field(walls, source, layout="odd-r", occupied=occupied).tolist() == [[0, 1, -1, -1, -1]]
    passing = hex.path_field(walls, source, layout="odd-r", occupied=occupied, pass_occupied=True)
    assert passing.tolist() == [[0, 1, -1, 3, 4]]


def test_a_detour_over_cheap_cells_beats_the_straight_way() -> None:
    cost = np.array([[1, 9, 1], [1, 1, 1]])
    field = hex.path_field(np.zeros((2, 3), bool), (0, 0), layout="even-r", cost=cost)
    assert field[0, 2] < 1 + 9
    assert field[0, 1] == 9


def test_many_sources_give_the_nearest_or_one_field_each() -> None:
    walls = np.zeros((1, 5), bool)
    ends = [(0, 0), (4, 0)]
    assert hex.path_field(walls, ends, layout="odd-r").tolist() == [[0, 1, 2, 1, 0]]
    assert hex.path_fields(walls, ends, layout="odd-r").tolist() == [[[0, 1, 2, 3, 4]], [[4, 3, 2, 1, 0]]]


def test_reach_is_what_the_limit_allows() -> None:
    walls = np.zeros((1, 5), bool)
    assert hex.reach(walls, (1, 0), 2, layout="odd-q").tolist() == [[True, True, True, True, False]]


def test_results_go_into_out() -> None:
    field, seen = np.empty((4, 5), np.int32), np.empty((20, 20), bool)
    assert hex.path_field(WALLS, (0, 0), layout="odd-r", out=field) is field
    assert hex.line_of_sight(WALLS, layout="odd-r", out=seen) is seen
    assert field[0, 0] == 0
    assert seen.all()
    areas = np.empty((1, 1), np.int32)
    assert grid.flood_fill(WALLS[None], [[(0, 0)]], out=areas) is areas
    assert areas[0, 0] == 20


def test_any_dtype_and_memory_order_of_walls_is_read() -> None:
    walls = np.zeros((6, 7), bool)
    walls[2, 3] = True
    wanted = hex.path_field(walls, (0, 0), layout="odd-q")
    for given in (walls.astype(np.int64), np.asfortranarray(walls), walls.tolist(), np.tile(walls, 2)[:, :7]):
        assert np.array_equal(hex.path_field(given, (0, 0), layout="odd-q"), wanted)


def test_starts_that_are_blocked_or_off_the_board_count_nothing() -> None:
    blocked = np.zeros((1, 3, 3), bool)
    blocked[0, 1] = True
    areas = grid.flood_fill(blocked, [[(0, 0), (1, 1), (-1, 0), (2, 3), (0, 2)]])
    assert areas.tolist() == [[3, 0, 0, 0, 3]]


def test_diagonal_steps_connect_corners() -> None:
    blocked = np.array([[[False, True], [True, False]]])
    assert grid.flood_fill(blocked, [[(0, 0)]]).tolist() == [[1]]
    assert grid.flood_fill(blocked, [[(0, 0)]], diagonal=True).tolist() == [[2]]
    assert grid.label(blocked)[0].tolist() == [[[1, 0], [0, 2]]]
    assert grid.distance_field(blocked, [(0, 0)], diagonal=True).tolist() == [[[0, -1], [-1, 1]]]


def test_a_winding_corridor_is_filled_to_its_end() -> None:
    blocked = np.zeros((1, 15, 15), bool)
    blocked[0, 1::2] = True
    blocked[0, 1::4, -1] = False
    blocked[0, 3::4, 0] = False
    assert grid.flood_fill(blocked, [[(0, 0), (14, 7)]]).tolist() == [[8 * 15 + 7] * 2]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: hex.path_field(WALLS, (0, 0), layout="odd-x"), "unknown hex layout 'odd-x'.*did you mean"),
        (lambda: hex.path_field(WALLS, (4, 4), layout="odd-r"), r"sources\[0\] = \(4, 4\) is off the board"),
        (
            lambda: hex.path_field(WALLS[0], (0, 0), layout="odd-r"),
            r"walls must have shape \(rows, columns\)",
        ),
        (lambda: hex.path_field(WALLS, (0, 0), layout="odd-r", limit=-1), "limit must not be negative"),
        (lambda: hex.path_field(WALLS, (0, 0), layout="odd-r", cost=WALLS - 1), r"cost must lie in 0\.\."),
        (lambda: hex.path_field(WALLS, (0, 0), layout="odd-r", cost=WALLS[0]), r"cost has shape \(5,\)"),
        (lambda: hex.path_field(WALLS, (0, 0), layout="odd-r", occupied=WALLS.T), "occupied has shape"),
        (lambda: hex.path_field(WALLS, (0, 0), layout="odd-r", out=np.empty((4, 5))), "out must be"),
        (lambda: hex.line_of_sight_between(WALLS, [(0, 0)], [], layout="odd-r"), "must pair up, got 1 and 0"),
        (lambda: hex.line((0, 0), (200_000, 0), layout="axial"), "longer than 100000"),
        (lambda: hex.distance((0, 0, 0), (1, 1), layout="axial"), r"shape \(\.\.\., 2\)"),
        (lambda: hex.neighbors([(0, 0), (1, 1)], layout="axial"), "must be one pair"),
        (lambda: grid.flood_fill(WALLS, [[(0, 0)]]), r"blocked must have shape \(boards, rows, columns\)"),
        (lambda: grid.flood_fill(WALLS[None], [(0, 0)]), r"starts must have shape \(1, k, 2\)"),
        (lambda: grid.distance_field(WALLS[None], [(4, 0)]), r"sources\[0\] = \(4, 0\) is off the board"),
        (lambda: grid.distance_field(WALLS[None], [(0, 0)] * 2), "sources must have shape"),
        (lambda: grid.distance_field(WALLS[None], [(0, 0)], limit=-2), "limit must not be negative"),
        (lambda: grid.label(np.empty((1, 0, 3))), "has no cell"),
    ],
)
def test_errors_name_the_argument_and_the_shapes(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=f"(?s){message}"):
        call()


def test_fractional_cells_and_costs_are_refused() -> None:
    with pytest.raises(TypeError, match="sources must hold integers"):
        hex.path_field(WALLS, (0.5, 0), layout="odd-r")
    with pytest.raises(TypeError, match=r"(?s)cost must hold integers.*hint: scale"):
        hex.path_field(WALLS, (0, 0), layout="odd-r", cost=np.full(WALLS.shape, 1.5))


def test_no_source_reaches_nothing_and_no_pair_sees_nothing() -> None:
    assert (hex.path_field(WALLS, [], layout="odd-r") == hex.UNREACHED).all()
    assert hex.path_fields(WALLS, [], layout="odd-r").shape == (0, 4, 5)
    assert hex.line_of_sight(WALLS, [], [(0, 0)], layout="odd-r").shape == (0, 1)
