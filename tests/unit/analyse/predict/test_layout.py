"""The barrier of other layouts, and the cores that bound it."""

from __future__ import annotations

import pytest

from goldsplit.analyse.predict.layout import (
    Layout,
    barrier_us,
    effective_cores,
    makespan,
    message_us,
    own_factor,
    turn_wait_in,
)
from goldsplit.model.structure import Structure, Turn, Worker, WorkerTurn


def team(
    workers: int, steps_us: list[float], cpu_share: float = 0.0, cores: int = 2, envs: int = 1
) -> Structure:
    wait = max(steps_us) + 20.0
    rows = [WorkerTurn(i, max(steps_us), {"env.step": max(steps_us)}) for i in range(workers)]
    return Structure(
        kind="lock-step",
        wall_seconds=10.0,
        own={"act": 2.0, "vec.send": 1.0, "": 0.5},
        waited={"env.step": 6.5},
        calls={"act": 1000, "replay.add": 4000, "vec.send": 4000},
        cores=cores,
        envs=workers * envs,
        turns_seen=10,
        workers=[Worker(100 + i, 100 + i, envs, steps_us, cpu_share, 0.0) for i in range(workers)],
        turns=[Turn(wait, {}, rows)] * 10,
    )


def test_makespan_shares_cores_fairly() -> None:
    assert makespan([100.0, 100.0], 1.0, 2) == pytest.approx(100.0)
    assert makespan([100.0] * 4, 1.0, 2) == pytest.approx(200.0)
    assert makespan([100.0] * 4, 0.5, 2) == pytest.approx(100.0), "each needs a core half of the time"
    assert makespan([100.0] * 4, 0.0, 2) == pytest.approx(100.0), "they sleep"
    assert makespan([100.0] * 3, 1.0, 2) == pytest.approx(200.0), "short steps run to their end"
    assert makespan([80_000.0] * 3, 1.0, 2) == pytest.approx(120_000.0, rel=0.1), "long ones take turns"
    assert makespan([100.0, 300.0], 1.0, 1) == pytest.approx(400.0)
    assert makespan([100.0, 300.0], 1.0, 0) == pytest.approx(300.0), "how many cores is not known"


def test_more_environments_per_worker_even_out() -> None:
    """The sum of many uneven steps varies less than one of them: the barrier's waste shrinks per step."""
    uneven = team(4, [50.0, 100.0, 150.0, 500.0])
    one = barrier_us(uneven, Layout(4, 4), 4)
    eight = barrier_us(uneven, Layout(32, 4), 4)
    assert one > 200.0 * 1.5
    assert 200.0 < eight / 8 < 0.75 * one


def test_workers_beyond_the_cores_do_not_run_in_parallel() -> None:
    busy = team(2, [100.0], cpu_share=1.0)
    assert barrier_us(busy, Layout(2, 2), 2) == pytest.approx(100.0)
    assert barrier_us(busy, Layout(8, 8), 2) == pytest.approx(400.0)
    asleep = team(2, [100.0], cpu_share=0.0)
    assert barrier_us(asleep, Layout(8, 8), 2) == pytest.approx(100.0)


def test_unequal_shares_of_environments() -> None:
    assert Layout(7, 3).shares() == [3, 2, 2]
    assert barrier_us(team(3, [100.0]), Layout(7, 3), 4) == pytest.approx(300.0)


def test_messages_stay_when_the_barrier_changes() -> None:
    known = team(2, [100.0])
    assert message_us(known) == pytest.approx(20.0)
    grown = turn_wait_in(known, Layout(2, 2), Layout(8, 2), {})
    assert grown == pytest.approx((20 + 400) / 120)
    assert turn_wait_in(known, Layout(2, 2), Layout(2, 2), {}) == pytest.approx(1.0)


def test_threads_of_one_process_share_the_lock() -> None:
    known = team(3, [100.0], cores=8)
    assert effective_cores(known) == 8
    same = [Worker(7, i, 1, [100.0], 0.5, 0.0) for i in range(3)]
    import dataclasses

    assert effective_cores(dataclasses.replace(known, workers=same)) == 1


def test_the_drivers_own_stages_go_by_turn_by_step_or_by_message() -> None:
    known = team(4, [100.0])
    old, new = Layout(4, 4), Layout(16, 8)
    assert own_factor(known, "act", old, new, 1000) == (0.25, 1.0), "once per turn: fixed, or not"
    assert own_factor(known, "replay.add", old, new, 1000) == (1.0, 1.0), "once per environment"
    assert own_factor(known, "vec.recv", old, new, 1000) == (0.5, 0.5), "once per worker"
    assert own_factor(known, "learn.loss", old, new, 1000) == (1.0, 1.0), "once per update"
    alone = Layout(1, 0)
    assert own_factor(known, "env.step", alone, Layout(8, 0), 4000) == (1.0, 1.0)
