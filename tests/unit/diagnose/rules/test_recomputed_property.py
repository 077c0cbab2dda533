"""Properties that compute the same again."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.recomputed_property import RULE


def look(make: SimpleNamespace, **changes: object) -> SimpleNamespace:
    settings = {
        "kind": "property", "calls": 2_600, "calls_per_env_step": 26.0, "self_share": 0.25,
        "total_share": 0.25, "compared": 1_000, "repeats": 960, "repeats_in_step": 900, "repeat_share": 0.24,
    }  # fmt: skip
    function = make.deep_function("Unit.reach", **(settings | changes))
    rest = make.deep_function("Game.step", self_share=0.25)
    return make.profile({"env.step": 0.5}, deep=make.deep_look(functions=[function, rest]))


def test_a_property_read_26_times_per_step(make: SimpleNamespace) -> None:
    (found,) = RULE.check(look(make))
    assert found.share == pytest.approx(0.24)
    assert "Unit.reach" in found.title
    assert "26 times per env step" in found.title
    assert "cached_property" in found.remedy


@pytest.mark.parametrize(
    "changes",
    [{"kind": "method"}, {"differing": 3}, {"repeats": 100}, {"compared": 0}, {"calls_per_env_step": 1.0},
     {"repeat_share": 0.0}],
    ids=["method", "differed", "seldom", "not compared", "once per step", "cheap"],
)  # fmt: skip
def test_no_finding(make: SimpleNamespace, changes: dict[str, object]) -> None:
    assert list(RULE.check(look(make, **changes))) == []
