from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.diagnose.rules.throughput_drift import RULE
from goldsplit.model.profile import Profile, UserLine
from goldsplit.model.progress import Drift, Window

GROWN = {
    "stage": "env.step",
    "us_per_env_step_first": 1_000.0,
    "us_per_env_step_last": 4_500.0,
    "factor": 4.5,
    "call_factor": 4.5,
    "against": "env steps",
    "correlation": 0.98,
    "model": "linear",
}


def run(make: SimpleNamespace, grown: dict[str, Any] | None = None, **changes: Any) -> Profile:
    """200 env steps a second on average; a step costs 2.5 ms at first and 6 ms in the end."""
    given: dict[str, Any] = {
        "throughput_change": -0.58,
        "growing_stages": [{**GROWN, **(grown or {})}],
        "us_per_env_step_first": 2_500.0,
        "us_per_env_step_last": 6_000.0,
        "cost_factor": 2.4,
        "slows_down": True,
        "model": "linear",
        "windows_compared": 12,
        **changes,
    }
    lines = [UserLine(make.place(39, "Game.novelty"), "env.step", 0.5, 80)]
    return make.profile({"env.step": 0.6}, drift=Drift(**given), user_lines=lines)


def test_a_stage_that_grows_all_the_time(make: SimpleNamespace) -> None:
    (finding,) = make.found(RULE, run(make))
    assert finding.where.function == "Game.novelty"
    assert finding.share == pytest.approx(0.5), "5 ms in the mean, 2.5 ms at first"
    assert finding.evidence["growing_stage"]["against"] == "env steps"
    assert finding.confidence == "high"


@pytest.mark.parametrize(
    ("grown", "changes"),
    [
        ({}, {"slows_down": False}),
        ({}, {"growing_stages": []}),
        ({}, {"windows_compared": 4}),
        ({"us_per_env_step_last": 1_500.0, "factor": 1.5}, {}),
        ({"correlation": 0.4}, {}),
        ({"model": "constant"}, {}),
    ],
    ids=[
        "only the episodes are longer",
        "no stage grew",
        "too short",
        "all stages grew",
        "no trend",
        "a jump",
    ],
)
def test_no_finding(make: SimpleNamespace, grown: dict[str, Any], changes: dict[str, Any]) -> None:
    assert make.found(RULE, run(make, grown, **changes)) == []


@pytest.mark.parametrize(("seconds", "findings"), [(6.0, 0), (60.0, 1)])
def test_a_small_growth_needs_a_longer_run(make: SimpleNamespace, seconds: float, findings: int) -> None:
    profile = run(
        make,
        {"us_per_env_step_first": 1_500.0, "us_per_env_step_last": 2_400.0, "factor": 1.6},
        us_per_env_step_first=2_500.0,
        us_per_env_step_last=3_400.0,
        cost_factor=1.36,
    )
    windows = [Window(0.0, seconds, 100, 100.0, 1, 1, {})]
    throughput = dataclasses.replace(profile.throughput, windows=windows, env_steps_per_second=330.0)
    assert len(make.found(RULE, dataclasses.replace(profile, throughput=throughput))) == findings
