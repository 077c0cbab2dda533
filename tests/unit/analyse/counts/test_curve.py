"""How far a training had come, and counts that need no clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from goldsplit.analyse.counts.curve import counts_per_step, curve
from goldsplit.analyse.intermediate import work_out
from goldsplit.model.experiment.trial import Point
from goldsplit.model.recording import ProcessSample, Recording, SystemSample

S = 1_000_000_000


@pytest.fixture
def run(maker: Any, recording: Callable[..., Recording]) -> Recording:
    driver, worker = maker(7), maker(8, 7)
    for second in range(1, 7):
        driver.spend(S // 2, "act", count=10)
        driver.spend(S // 4, "vec.wait", count=3)
        driver.spend(S // 4, "learn.optimizer", count=5)
        worker.spend(S // 2, "env.step", count=100)
        counted = {
            "vec_env_steps": 100.0 * second,
            "updates:0": 5.0 * second,
            "process_cpu_ns": 0.5 * S * second,
        }
        driver.snapshot(second * S, **counted)
        worker.snapshot(second * S, process_cpu_ns=0.25 * S * second)
    driver.steps(S, int(5.5 * S))
    made = recording(driver, worker, end_ns=6 * S)
    for second in range(0, 7, 2):
        tree = {7: ProcessSample(1.0, 5), 9: ProcessSample(0.1 * second, 5)}
        made.system.append(SystemSample(second * S, 0.0, 1000, tree))
    return made


def test_cumulative_figures_from_the_first_to_the_last_step(run: Recording) -> None:
    found = work_out(run)
    assert found is not None
    points = curve(found)
    assert points[0] == Point(0.0, 100, 5, None, pytest.approx(0.75 + 0.1))
    assert points[2] == Point(2.0, 300, 15, None, pytest.approx(2.25 + 0.3))
    # the last step's count is only known after it
    assert points[-1] == Point(4.5, 600, 30, None, pytest.approx(0.75 * 5.5 + 0.55))


def test_counts_per_env_step(run: Recording) -> None:
    found = work_out(run)
    assert found is not None
    assert counts_per_step(found) == pytest.approx(
        {"calls of act": 0.1, "calls of env.step": 1.0, "calls of learn.optimizer": 0.05, "updates": 0.05}
    )
