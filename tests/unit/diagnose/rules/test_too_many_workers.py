from __future__ import annotations

import dataclasses
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.too_many_workers import RULE
from goldsplit.model.profile import ProcessFigures, Profile

STAGES = {"vec.send": 0.4, "env.step": 0.3, "act": 0.2}


@pytest.fixture
def crowd(team: Callable[..., Profile], busy: Callable[..., list[ProcessFigures]]) -> Profile:
    """16 workers on 4 cores that are all busy."""
    return team(STAGES, workers=16, processes=busy(0.6, *[0.2] * 16))


def test_four_workers_per_core(make: SimpleNamespace, crowd: Profile) -> None:
    (finding,) = make.found(RULE, crowd)
    assert finding.where == make.place(3, "main")
    assert finding.evidence["workers"] == 16
    assert finding.share == pytest.approx(0.4 * 0.75)
    assert "workers=4" in finding.remedy


def test_workers_that_wait_for_a_server_are_fine(make: SimpleNamespace, crowd: Profile) -> None:
    send, step, act = crowd.stages
    waiting = dataclasses.replace(step, thread_seconds=900.0, cpu_seconds=20.0)
    assert make.found(RULE, dataclasses.replace(crowd, stages=[send, waiting, act])) == []


def test_idle_cores_are_no_crowd(
    make: SimpleNamespace, crowd: Profile, busy: Callable[..., list[ProcessFigures]]
) -> None:
    assert make.found(RULE, dataclasses.replace(crowd, processes=busy(0.5, 0.5))) == []


def test_two_workers_per_core_are_fine(make: SimpleNamespace, team: Callable[..., Profile]) -> None:
    assert make.found(RULE, team(STAGES, workers=8)) == []


def test_cheap_messages_are_fine(make: SimpleNamespace, crowd: Profile) -> None:
    assert make.found(RULE, dataclasses.replace(crowd, stages=crowd.stages[1:])) == []
