"""One source, many targets: one field instead of one call for each."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.one_to_many import RULE


def look(make: SimpleNamespace, **changes: object) -> SimpleNamespace:
    settings = {
        "total_share": 0.6, "self_share": 0.6, "compared": 600, "distinct_arguments": 600,
        "distinct_results": 30, "shared_argument": 1, "groups": 50, "mean_group": 6.0,
    }  # fmt: skip
    function = make.deep_function("path_length", **(settings | changes))
    cost = make.function_cost("path_length", 0.6)
    deep = make.deep_look(functions=[function])
    return make.profile({"env.step": 0.7}, deep=deep, functions=[cost])


def test_calls_that_share_a_source(make: SimpleNamespace) -> None:
    (found,) = make.found(RULE, look(make))
    assert found.where.function == "path_length"
    assert found.share == pytest.approx(0.5), "all but one call of six for each source"
    assert found.ceiling_speedup == pytest.approx(2.0)
    assert "one field for each source" in found.remedy


@pytest.mark.parametrize(
    "changes",
    [
        {"shared_argument": None},
        {"mean_group": 1.5},
        {"groups": 3},
        {"compared": 20},
        {"kind": "method", "shared_argument": 0},
        {"distinct_results": 1, "constant_result": "True"},
    ],
    ids=["nothing shared", "pairs only", "few sources", "few calls", "only the object", "constant"],
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
