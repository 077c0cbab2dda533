"""Profiles of runs with worker processes, made by hand."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit.model.profile import Fact, ProcessFigures, Profile, UserLine
from goldsplit.model.structure import Structure, Turn, Worker, WorkerTurn


@pytest.fixture
def line(make: SimpleNamespace) -> Callable[..., UserLine]:
    """line("env.step", 0.4, function="search"): where the user's code spends a stage."""

    def build(stage: str, share: float, function: str = "search") -> UserLine:
        return UserLine(make.place(function=function), stage, share, 50)

    return build


@pytest.fixture
def busy() -> Callable[..., list[ProcessFigures]]:
    """busy(1.0, 0.3): one process per figure, each keeps that many cores busy; the first is the driver's."""

    def build(*cores: float) -> list[ProcessFigures]:
        return [
            ProcessFigures(100 + i, "driver" if i == 0 else "env-worker", 100.0, 100 * used, 100 * used, [])
            for i, used in enumerate(cores)
        ]

    return build


@pytest.fixture
def team(make: SimpleNamespace) -> Callable[..., Profile]:
    """team(stages, workers=2, facts=[…], …): a driver and worker processes with 10,000 steps in all. Each
    worker sends one answer of 500 bytes per step. Their process ids are 101, 102, …"""

    def build(stages: Any, workers: int = 2, answer_bytes: float = 500.0, **changes: Any) -> Profile:
        each = 20_000 // workers
        answers: list[Fact] = []
        lanes = [make.lane(busy_share=0.4, wait_share=0.6, cpu_seconds=40.0)]
        for pid in range(101, 101 + workers):
            answers.append(
                make.fact("message", "sent", each, each * answer_bytes, pid=pid, role="env-worker")
            )
            lanes.append(
                make.lane("env-worker", pid, env_steps=each, cpu_seconds=30.0, stages={"env.step": 0.3})
            )
        started = make.fact("process_start", "work", workers, place=make.place(3, "main"))
        facts = [*answers, started, *changes.pop("facts", [])]
        return make.profile(stages, **({"lanes": lanes, "facts": facts} | changes))

    return build


@pytest.fixture
def lock_step() -> Callable[..., Structure]:
    """lock_step([[300, 320], [300, 900]]): each inner list is one turn, one step time (us) per worker."""

    def build(turns: list[list[float]], waited_seconds: float = 50.0) -> Structure:
        workers = len(turns[0])
        return Structure(
            kind="lock-step",
            wall_seconds=100.0,
            own={"act": 100.0 - waited_seconds},
            waited={"env.step": waited_seconds},
            calls={},
            cores=4,
            envs=workers,
            turns_seen=len(turns),
            workers=[
                Worker(101 + i, 101 + i, 1, sorted(t[i] for t in turns), 1.0, 0.0) for i in range(workers)
            ],
            turns=[
                Turn(max(turn), {}, [WorkerTurn(i, us, {"env.step": us}) for i, us in enumerate(turn)])
                for turn in turns
            ],
        )

    return build
