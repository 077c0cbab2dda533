"""Masks and observations that are built again for the same state."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.built_twice_per_step import RULE


def look(make: SimpleNamespace, name: str = "Tiles.action_masks", **changes: object) -> SimpleNamespace:
    settings = {
        "stage": "env.mask", "calls": 2_000, "calls_per_env_step": 2.0, "self_share": 0.4, "total_share": 0.4,
        "compared": 400, "repeats": 200, "repeat_share": 0.2,
    }  # fmt: skip
    function = make.deep_function(name, **(settings | changes))
    return make.profile({"env.mask": 0.4, "act": 0.3}, deep=make.deep_look(functions=[function]))


def test_a_mask_built_for_info_and_for_the_policy(make: SimpleNamespace) -> None:
    (found,) = RULE.check(look(make))
    assert found.share == pytest.approx(0.2)
    assert "2.0 times per env step" in found.title
    assert found.confidence == "medium"


@pytest.mark.parametrize(
    "changes",
    [{"calls_per_env_step": 1.0}, {"differing": 1}, {"compared": 0}, {"repeats": 20},
     {"total_share": 0.001}],
    ids=["once", "differed", "not compared", "for different states", "cheap"],
)  # fmt: skip
def test_no_finding(make: SimpleNamespace, changes: dict[str, object]) -> None:
    assert list(RULE.check(look(make, **changes))) == []


def test_other_functions_are_for_other_rules(make: SimpleNamespace) -> None:
    assert list(RULE.check(look(make, name="Tiles.path_field"))) == []
