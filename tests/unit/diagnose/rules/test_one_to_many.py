"""One source, many targets: one field instead of one call for each."""

from __future__ import annotations

import ast
import dataclasses
from types import SimpleNamespace

import pytest

from goldsplit.analyse.source_look.argument_senses import argument_sense
from goldsplit.diagnose.rules.one_to_many import RULE
from goldsplit.model.deep_files.deep_record import ArgumentGroup
from goldsplit.model.hot_code.source_look import SourceLook

PAIRS = "def path_length(self, start, goal):\n    return self.search(start)[goal]"
CELL = "def neighbours(self, x, y):\n    return [(x + dx, y + dy) for dx, dy in self.around]"


def group(place: int, each: float, of: float = 30, **more: int) -> ArgumentGroup:
    """An argument that had so many different values in each of ten steps, with `of` different calls each."""
    rest = {"steps": 10, "simple_steps": 10, "values": 20} | more
    return ArgumentGroup(place, round(10 * of), round(10 * each), **rest)


def look(
    make: SimpleNamespace, *arguments: ArgumentGroup, source: str = PAIRS, **changes: object
) -> SimpleNamespace:
    settings = {
        "total_share": 0.6, "self_share": 0.6, "compared": 600, "distinct_arguments": 600,
        "distinct_results": 30, "kind": "method", "arguments": arguments or (group(1, 5), group(2, 8)),
        "calls_per_env_step": 30.0,
    }  # fmt: skip
    function = make.deep_function("path_length", **(settings | changes))
    cost = make.function_cost("path_length", 0.6)
    deep = make.deep_look(functions=[function])
    senses = {cost.key: argument_sense(ast.parse(source).body[0])} if source else {}
    look = SourceLook(senses=senses)
    return make.profile({"env.step": 0.7}, deep=deep, functions=[cost], source=look)


def test_calls_that_share_a_source(make: SimpleNamespace) -> None:
    (found,) = make.found(RULE, look(make))
    assert found.where.function == "path_length"
    assert found.share == pytest.approx(0.5), "all but one call of six for each source"
    assert found.ceiling_speedup == pytest.approx(2.0)
    assert "one field for each source" in found.remedy
    assert found.title.startswith("path_length() is called 6.0 times for each source, once per target")
    assert found.confidence == "high"
    evidence = found.evidence
    assert evidence["different_calls_seen"] / evidence["values_seen"] == evidence["calls_per_value_and_step"]


def test_a_loop_over_a_board_has_no_source(make: SimpleNamespace) -> None:
    """Every cell is asked about once: the calls share x, but x is no thing."""
    board = (group(1, 10, 100), group(2, 10, 100))
    for source in (
        CELL,
        CELL.replace("x", "row").replace("y", "col"),
        "def sum_at(self, i, j):\n    return self.cells[i][j]",
        "def sum_at(self, p, q, size):\n    return self.cells[p + 1][q + 1] + self.cells[p - 1][q - 1]",
    ):
        always = group(3, 1, 100, values=1)
        assert make.found(RULE, look(make, *board, always, source=source)) == []


@pytest.mark.parametrize(
    ("source", "arguments"),
    [
        ("def sees(self, x1, y1, x2, y2): ...", [group(1, 1), group(2, 1), group(3, 6), group(4, 5)]),
        ("def sees(self, unit, x, y): ...", [group(1, 1), group(2, 6), group(3, 5)]),
        ("def sees(self, i, j):\n    return far(self.units[i], self.units[j])", [group(1, 5), group(2, 6)]),
        ("def sees(self, a, b):\n    return abs(a.x - b.x) < 5", [group(1, 5), group(2, 6)]),
        ("def sees(self, a: Unit, b: Unit): ...", [group(1, 5), group(2, 6)]),
    ],
)
def test_a_whole_place_or_a_thing_is_a_source(
    make: SimpleNamespace, source: str, arguments: list[ArgumentGroup]
) -> None:
    (found,) = make.found(RULE, look(make, *arguments, source=source))
    assert "for each source" in found.title
    assert found.confidence == "high"


def test_several_places_as_sources_are_told_apart_only_by_their_coordinates(make: SimpleNamespace) -> None:
    """Four units with four x and four y are at four to sixteen places, as far as was counted."""
    ends = [group(place, 4, 20) for place in (1, 2)] + [group(place, 5, 20) for place in (3, 4)]
    (found,) = make.found(RULE, look(make, *ends, source="def sees(self, x1, y1, x2, y2): ..."))
    assert found.confidence == "low"
    assert "for each value of x1, y1" in found.title


@pytest.mark.parametrize("source", ["", "def f(self, a, b):\n    return self.table[a][b]"])
def test_where_the_source_does_not_tell_it_is_said(make: SimpleNamespace, source: str) -> None:
    (found,) = make.found(RULE, look(make, source=source))
    assert found.confidence == "low"
    assert "source" not in found.title + found.remedy
    kept = look(make, source=source, repeats=500)
    assert make.found(RULE, kept) == [], "its answers can be kept, whatever the argument is"


def test_a_burst_that_ends_within_a_step_changes_the_ceiling_not_the_figure(make: SimpleNamespace) -> None:
    (found,) = make.found(RULE, look(make, calls_per_env_step=60.0))
    assert "6.0 times" in found.title
    assert found.share == pytest.approx(0.6 * 11 / 12)


@pytest.mark.parametrize(
    "changes",
    [
        {"arguments": (group(1, 15), group(2, 15))},
        {"arguments": (group(1, 5, steps=1)._replace(calls=30, groups=5), group(2, 8))},
        {"compared": 20},
        {"distinct_results": 1, "constant_result": "True"},
    ],
    ids=["pairs only", "few sources", "few calls", "constant"],
)
def test_no_finding(make: SimpleNamespace, changes: dict[str, object]) -> None:
    assert make.found(RULE, look(make, **changes)) == []


@pytest.mark.parametrize(("within", "number"), [(0.5, 0), (0.2, 1)])
def test_a_constant_answer_inside_explains_it(make: SimpleNamespace, within: float, number: int) -> None:
    profile = look(make)
    outer = profile.functions[0]
    inner = make.function_cost("is_hidden", 0.5, within={outer.key: within})
    constant = make.deep_function(
        "is_hidden", compared=600, distinct_arguments=600, distinct_results=1, constant_result="True",
        calls_per_env_step=9.0,
    )  # fmt: skip
    deep = dataclasses.replace(profile.deep, functions=[*profile.deep.functions, constant])
    seen = dataclasses.replace(profile, deep=deep, functions=[outer, inner])
    assert [found.where.function for found in make.found(RULE, seen)] == ["path_length"] * number


def test_calls_from_a_function_with_a_constant_answer_are_explained(make: SimpleNamespace) -> None:
    profile = look(make)
    around = make.function_cost("is_hidden", 0.65)
    constant = make.deep_function(
        "is_hidden", compared=600, distinct_arguments=600, distinct_results=1, constant_result="True",
        calls_per_env_step=9.0,
    )  # fmt: skip
    deep = dataclasses.replace(profile.deep, functions=[*profile.deep.functions, constant])
    for within, number in ((0.5, 0), (0.2, 1)):
        inside = dataclasses.replace(profile.functions[0], within={around.key: within})
        seen = dataclasses.replace(profile, deep=deep, functions=[inside, around])
        assert len(make.found(RULE, seen)) == number
