"""Distributions that check their arguments."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.distribution_validation import RULE


def look(make: SimpleNamespace, **changes: object) -> SimpleNamespace:
    settings = {"stage": "act", "share": 0.1, "detail": "validate_args"}
    site = make.site("distribution", "Categorical", **(settings | changes))
    act = make.deep_function("train", stage="act", self_share=0.4)
    return make.profile({"act": 0.4}, deep=make.deep_look(sites=[site], functions=[act]))


def test_validation_in_the_rollout(make: SimpleNamespace) -> None:
    (found,) = RULE.check(look(make))
    assert found.share == pytest.approx(0.1)
    assert "set_default_validate_args(False)" in found.remedy


@pytest.mark.parametrize(
    "changes", [{"detail": ""}, {"share": 0.001}, {"share": None}], ids=["off", "cheap", "not measured"]
)
def test_no_finding(make: SimpleNamespace, changes: dict[str, object]) -> None:
    assert list(RULE.check(look(make, **changes))) == []
