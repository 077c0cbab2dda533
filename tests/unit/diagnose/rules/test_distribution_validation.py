"""Distributions that check their arguments."""

from __future__ import annotations

import dataclasses
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


def seen(
    make: SimpleNamespace, samples: int, share: float, high: float, **changes: object
) -> SimpleNamespace:
    """A line that takes 21 % of the run, network call included; the checks are a small part of it."""
    cost = make.function_cost(
        "train", 0.35, stages={"act": 0.35}, samples=190,
        checks={"act": share} if share else {}, checks_samples=samples, checks_low=share / 2,
        checks_high=high,
    )  # fmt: skip
    return dataclasses.replace(look(make, share=0.047, **changes), functions=[cost])


def test_only_the_checks_count_not_the_line_that_they_are_in(make: SimpleNamespace) -> None:
    (found,) = make.found(RULE, seen(make, 36, 0.068, 0.09))
    assert found.share == pytest.approx(0.068)
    assert found.title == "the argument checks of Categorical, made in train(), take 6.8 % of wall time"
    assert (found.share_low, found.share_high) == (pytest.approx(0.034), pytest.approx(0.09))
    assert found.confidence == "high"


def test_few_samples_leave_an_interval_and_less_confidence(make: SimpleNamespace) -> None:
    (found,) = make.found(RULE, seen(make, 3, 0.006, 0.03))
    assert found.share == pytest.approx(0.03), "windows saw more, samples allow no more"
    assert (found.share_high, found.confidence) == (pytest.approx(0.03), "low")
    assert make.found(RULE, seen(make, 0, 0.0, 0.004)) == []


def test_checks_in_another_function_go_away_as_well(make: SimpleNamespace) -> None:
    run = seen(make, 36, 0.068, 0.09)
    asks = make.function_cost(
        "evaluate", 0.05, stages={"act": 0.05}, checks={"act": 0.02}, checks_samples=10, checks_high=0.03
    )
    (found,) = make.found(RULE, dataclasses.replace(run, functions=[*run.functions, asks]))
    assert found.share == pytest.approx(0.088)
    assert found.share_high == pytest.approx(0.12)


@pytest.mark.parametrize(
    "changes", [{"detail": ""}, {"share": 0.001}, {"share": None}], ids=["off", "cheap", "not measured"]
)
def test_no_finding(make: SimpleNamespace, changes: dict[str, object]) -> None:
    assert list(RULE.check(look(make, **changes))) == []
