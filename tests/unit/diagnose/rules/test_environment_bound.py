from __future__ import annotations

import dataclasses
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.environment_bound import RULE
from goldsplit.model.profile import ProcessFigures, Profile, UserLine

Busy = Callable[..., list[ProcessFigures]]


@pytest.fixture
def in_turn(make: SimpleNamespace, busy: Busy, line: Callable[..., UserLine]) -> Profile:
    """Four environments in one process on four cores, 1 ms per step."""
    rows = [
        make.row("env.step", 0.8, mean_us=1000.0),
        make.row("vec.copy", 0.05, calls=5_000),
        make.row("act", 0.1),
    ]
    seen: Profile = make.profile(rows, processes=busy(1.0), user_lines=[line("env.step", 0.7, "path")])
    return seen


def test_environments_in_turn_while_cores_are_idle(make: SimpleNamespace, in_turn: Profile) -> None:
    (finding,) = make.found(RULE, in_turn)
    assert finding.where.function == "path"
    assert finding.evidence["environments_in_turn"] == 4
    assert finding.evidence["idle_cores"] == 3.0
    assert finding.share == pytest.approx(0.8 * 0.75)
    assert finding.ceiling_speedup == pytest.approx(1 / 0.4)
    assert finding.confidence == "high"


@pytest.mark.parametrize("changes", ["busy", "cheap", "workers", "contended", "array", "balanced", "unknown"])
def test_no_finding_without_a_remedy(
    make: SimpleNamespace, in_turn: Profile, busy: Busy, changes: str
) -> None:
    step, copy, act = in_turn.stages
    other = {
        "busy": {"processes": busy(3.8)},
        "cheap": {"stages": [dataclasses.replace(step, mean_us=200.0), copy, act]},
        "workers": {"lanes": [make.lane(), make.lane("env-worker", 101, stages={"env.step": 0.3})]},
        "contended": {"trust": dataclasses.replace(in_turn.trust, waited_for_cpu_share=0.4)},
        "array": {"throughput": make.throughput(env_steps=640_000)},
        "balanced": {"stages": [dataclasses.replace(step, wall_share=0.4), copy, act]},
        "unknown": {"processes": []},
    }[changes]
    assert make.found(RULE, dataclasses.replace(in_turn, **other)) == []


def test_the_step_of_a_single_environment_must_cost_more(make: SimpleNamespace, busy: Busy) -> None:
    for mean_us, number in ((900.0, 0), (2000.0, 1)):
        seen = make.profile([make.row("env.step", 0.9, mean_us=mean_us)], processes=busy(1.0))
        findings = make.found(RULE, seen)
        assert len(findings) == number
        assert all(finding.confidence == "medium" for finding in findings)
