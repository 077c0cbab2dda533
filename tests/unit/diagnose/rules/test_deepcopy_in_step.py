"""Deep copies in the loop."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.deepcopy_in_step import RULE


def look(make: SimpleNamespace, **changes: object) -> SimpleNamespace:
    settings = {"calls": 100, "calls_per_env_step": 1.0, "share": 0.3, "detail": "dict of 3"}
    site = make.site("deepcopy", "copy.deepcopy", **(settings | changes))
    step = make.deep_function("train", self_share=0.6)
    return make.profile({"env.step": 0.5}, deep=make.deep_look(sites=[site], functions=[step]))


def test_a_copy_of_the_state_in_each_step(make: SimpleNamespace) -> None:
    (found,) = RULE.check(look(make))
    assert found.share == pytest.approx(0.25)
    assert found.where.line == 12
    assert "1.0 times per env step" in found.title


@pytest.mark.parametrize(
    "changes",
    [{"calls_per_env_step": 0.01}, {"calls_per_env_step": None}, {"share": 0.001}, {"share": None}],
    ids=["at resets", "no steps", "cheap", "not measured"],
)
def test_no_finding(make: SimpleNamespace, changes: dict[str, object]) -> None:
    assert list(RULE.check(look(make, **changes))) == []
