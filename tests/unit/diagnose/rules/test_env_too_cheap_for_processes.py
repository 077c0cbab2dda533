from __future__ import annotations

import dataclasses
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.diagnose.rules.env_too_cheap_for_processes import RULE
from goldsplit.model.profile import Profile
from goldsplit.model.structure import Structure


def rows(make: SimpleNamespace, step_us: float) -> list[Any]:
    """Half of the time for messages; 20,000 steps of `step_us` processor time each, at 2,000 per second."""
    step = make.row("env.step", 0.1, waited_share=0.1, cpu_seconds=step_us * 20_000 / 1e6)
    return [step, make.row("vec.send", 0.3), make.row("vec.wait", 0.2), make.row("act", 0.4)]


def test_a_step_cheaper_than_its_messages(make: SimpleNamespace, team: Callable[..., Profile]) -> None:
    speed = make.throughput(env_steps_per_second=2000.0)
    (finding,) = make.found(RULE, team(rows(make, 20.0), workers=4, throughput=speed))
    assert finding.where == make.place(3, "main")
    assert finding.evidence["env_step_cpu_us"] == pytest.approx(20.0)
    assert finding.evidence["messages_us_per_env_step"] == pytest.approx(250.0)
    assert finding.ceiling_speedup == pytest.approx(1 / 0.44)


@pytest.mark.parametrize("step_us", [140.0, 500.0])
def test_expensive_steps_are_worth_a_process(
    make: SimpleNamespace, team: Callable[..., Profile], step_us: float
) -> None:
    speed = make.throughput(env_steps_per_second=4000.0)
    assert make.found(RULE, team(rows(make, step_us), workers=4, throughput=speed)) == []


@pytest.mark.parametrize(("cpu_share", "findings"), [(0.08, 0), (0.9, 1), (None, 1)])
def test_steps_that_wait_for_a_server_are_not_cheap(
    make: SimpleNamespace,
    team: Callable[..., Profile],
    lock_step: Callable[..., Structure],
    cpu_share: float | None,
    findings: int,
) -> None:
    """In processes they wait side by side; in one process they would wait one after another."""
    speed, seen = make.throughput(env_steps_per_second=2000.0), lock_step([[20_000.0] * 4] * 3)
    workers = [dataclasses.replace(worker, cpu_share=cpu_share) for worker in seen.workers]
    structure = dataclasses.replace(seen, workers=workers)
    profile = team(rows(make, 20.0), workers=4, throughput=speed, structure=structure)
    assert len(make.found(RULE, profile)) == findings


def test_workers_without_messages_are_fine(make: SimpleNamespace, team: Callable[..., Profile]) -> None:
    seen = team(rows(make, 20.0), throughput=make.throughput(env_steps_per_second=2000.0))
    silent = [fact for fact in seen.facts if fact.kind != "message"]
    assert make.found(RULE, make.profile(seen.stages, lanes=seen.lanes, facts=silent)) == []


def test_no_workers_no_finding(make: SimpleNamespace) -> None:
    assert make.found(RULE, make.profile(rows(make, 20.0))) == []


def test_it_saves_where_the_messages_were(make: SimpleNamespace, team: Callable[..., Profile]) -> None:
    """The steps take the place of the waiting for them; what they take beyond it is paid with messages."""
    speed = make.throughput(env_steps_per_second=2000.0)
    (cheap,) = make.found(RULE, team(rows(make, 20.0), workers=4, throughput=speed))
    assert cheap.saves == pytest.approx({"vec.send": 0.3, "vec.wait": 0.2, "env.step": 0.06})
    (costly,) = make.found(RULE, team(rows(make, 100.0), workers=4, throughput=speed))
    assert costly.saves == pytest.approx({"vec.send": 0.24, "vec.wait": 0.16})
    assert sum(costly.saves.values()) == pytest.approx(costly.share)
