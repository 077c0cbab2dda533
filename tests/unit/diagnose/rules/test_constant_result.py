"""A check that always returns the same for many different arguments."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.constant_result import RULE


def look(make: SimpleNamespace, **changes: object) -> SimpleNamespace:
    settings = {
        "calls": 9_000, "calls_per_env_step": 90.0, "self_share": 0.6, "total_share": 0.6, "compared": 2_000,
        "repeats": 200, "distinct_results": 1, "constant_result": "True", "distinct_arguments": 1_800,
    }  # fmt: skip
    function = make.deep_function("Battle.has_line_of_sight", **(settings | changes))
    return make.profile({"env.opponent": 0.7, "act": 0.3}, deep=make.deep_look(functions=[function]))


def test_a_line_of_sight_that_nothing_blocks(make: SimpleNamespace) -> None:
    (found,) = RULE.check(look(make, stage="env.opponent"))
    assert found.where.function == "Battle.has_line_of_sight"
    assert found.share == pytest.approx(0.7)
    assert "True" in found.title
    assert found.evidence["distinct_arguments"] == 1_800
    assert found.verify == "goldsplit record --deep -- python train.py", "no step was seen"


@pytest.mark.parametrize(
    "changes",
    [
        {"distinct_results": 2, "constant_result": None},
        {"compared": 60},
        {"distinct_arguments": 3},
        {"constant_result": "None"},
        {"constant_result": "Board"},
        {"calls_per_env_step": 1.0},
        {"calls_per_env_step": None},
        {"kind": "property"},
        {"total_share": 0.001, "self_share": 0.6},
    ],
    ids=["varies", "few", "same question", "nothing", "an object", "once per step", "no steps", "property",
         "cheap"],
)  # fmt: skip
def test_no_finding(make: SimpleNamespace, changes: dict[str, object]) -> None:
    assert not [
        found for found in RULE.check(look(make, stage="env.opponent", **changes)) if found.worthwhile
    ]
