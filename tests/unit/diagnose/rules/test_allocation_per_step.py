"""New arrays in every step."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.allocation_per_step import RULE


def look(make: SimpleNamespace, **changes: object) -> SimpleNamespace:
    settings = {
        "stage": "env.observe",
        "calls": 1_200,
        "calls_per_env_step": 12.0,
        "share": 0.2,
        "amount": 1_600.0,
    }
    first = make.site("allocation", "numpy.zeros", **(settings | changes))
    second = make.site(
        "allocation", "numpy.stack", stage="env.observe", place=make.place(14), calls=100, share=0.02
    )
    builder = make.deep_function("observe", stage="env.observe", self_share=0.5)
    deep = make.deep_look(sites=[first, second], functions=[builder])
    return make.profile({"env.observe": 0.5, "learn.loss": 0.4}, deep=deep)


def test_planes_made_in_each_observation(make: SimpleNamespace) -> None:
    (found,) = RULE.check(look(make))
    assert found.share == pytest.approx(0.22)
    assert found.evidence["arrays_per_env_step"] == pytest.approx(13.0)
    assert found.evidence["lines"] == [12, 14]
    assert "ArrayRotation" in found.remedy


def test_arrays_of_the_learner_are_not_the_environments(make: SimpleNamespace) -> None:
    sites = [make.site("allocation", "numpy.zeros", stage="learn.loss", calls_per_env_step=9.0, share=0.3)]
    assert list(RULE.check(make.profile({"learn.loss": 0.9}, deep=make.deep_look(sites=sites)))) == []


@pytest.mark.parametrize(
    "changes",
    [{"share": 0.0}, {"share": None}, {"calls_per_env_step": 0.1}],
    ids=["free", "unknown", "seldom"],
)
def test_no_finding(make: SimpleNamespace, changes: dict[str, object]) -> None:
    profile = look(make, **changes)
    profile.deep.sites.pop()
    assert list(RULE.check(profile)) == []
