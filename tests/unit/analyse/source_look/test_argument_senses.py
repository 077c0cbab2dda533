"""What arguments stand for: coordinates of one place, or a thing each."""

from __future__ import annotations

import ast

import pytest

from goldsplit.analyse.source_look.argument_senses import argument_sense
from goldsplit.model.hot_code.source_look import ArgumentSense


def sense(source: str) -> ArgumentSense:
    (node,) = ast.parse(source).body
    assert isinstance(node, ast.FunctionDef)
    return argument_sense(node)


@pytest.mark.parametrize(
    ("source", "places", "things"),
    [
        ("def f(self, x, y): ...", [(1, 2)], []),
        ("def f(self, row, col, unit): ...", [(1, 2)], [3]),
        ("def f(x1, y1, x2, y2): ...", [(0, 1), (2, 3)], []),
        ("def f(start_x, start_y, goal_x, goal_y): ...", [(0, 1), (2, 3)], []),
        ("def f(cx, cy, dx, dy): ...", [(0, 1), (2, 3)], []),
        ("def f(self, i, j): return self.cells[i][j]", [(1, 2)], []),
        ("def f(self, r, c): return self.cells[r, c]", [(1, 2)], []),
        ("def f(self, i, j): return self.units[i], self.units[j]", [], [1, 2]),
        ("def f(self, a, b): return self.cells[a + 1][b - 1]", [(1, 2)], []),
        ("def f(self, a, b): return self.table[a][b]", [], []),
        ("def f(a, b): return abs(a - b)", [], []),
        ("def f(a, b): return a.x - b.x", [], [0, 1]),
        ("def f(a, b):\n x, y = a\n return b[0]", [], [0, 1]),
        ("def f(a: Unit, b: int): ...", [], [0]),
        ("def f(board, start, goal): ...", [], [1, 2]),
    ],
)
def test_what_the_source_says(source: str, places: list[tuple[int, ...]], things: list[int]) -> None:
    found = sense(source)
    assert (list(found.places), list(found.things)) == (places, things)


def test_names_are_numbered_as_they_are_passed() -> None:
    assert sense("def f(self, a, /, b, *rest, c=0): ...").names == ("self", "a", "b", "c")
