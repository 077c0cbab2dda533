"""Stages and lanes window by window, and single spans, from hand-made recordings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from goldsplit.analyse.detail import look_closer
from goldsplit.analyse.wall.barrier import Stay
from goldsplit.analyse.wall.over_time import barrier_shares, nearest
from goldsplit.model.recording import Recording

SECOND = 1_000_000_000


@pytest.fixture
def lock_step(maker: type, recording: Callable[..., Recording]) -> Recording:
    """A driver that waits for one worker half of the time; the second half of the run is slower."""
    driver, worker = maker(10), maker(20, ppid=10)
    for process in (driver, worker):
        process.steps(1, 8 * SECOND)
    steps = 0
    for t in range(1, 9):
        driver.spend(SECOND // 2, "act")
        driver.spend(SECOND // 2, "vec.wait", detail="pid:20")
        worker.spend(SECOND // 2, "env.step")
        worker.spend(SECOND // 2, "wait", detail="pid:10")
        steps += 200 if t <= 4 else 100
        driver.snapshot(t * SECOND, own_env_steps=steps)
        worker.snapshot(t * SECOND + 3_000_000)  # a little after the driver, as in real runs
    act, wait = driver.node("act"), driver.node("vec.wait", detail="pid:20")
    step, rest = worker.node("env.step"), worker.node("wait", detail="pid:10")
    for t in (2, 5):
        at, half = t * SECOND, SECOND // 2
        driver.raw(at, at + SECOND, (act, at, at + half), (wait, at + half, at + SECOND))
        worker.raw(at, at + SECOND, (rest, at, at + half), (step, at + half, at + SECOND))
    return recording(driver, worker, end_ns=9 * SECOND)


def test_every_window_adds_up_and_waiting_is_charged(lock_step: Recording) -> None:
    windows = look_closer(lock_step).windows
    assert len(windows) >= 6
    for window in windows:
        assert sum(window.stages.values()) + window.unattributed_share == pytest.approx(1.0)
        assert window.stages["act"] == pytest.approx(0.5, abs=0.01)
        assert window.stages["env.step"] == pytest.approx(0.5, abs=0.01), (
            "raw windows lie in two of them only"
        )
    assert windows[1].env_steps_per_second == pytest.approx(200)
    assert windows[-1].env_steps_per_second == pytest.approx(100)


def test_strips_follow_the_report_and_start_with_the_driver(lock_step: Recording) -> None:
    detail = look_closer(lock_step)
    first, second = detail.strips
    assert detail.threads[first.thread].role == "driver"
    assert detail.threads[second.thread].role == "env-worker"
    for cell in first.cells + second.cells:
        assert cell.busy_share == pytest.approx(0.5, abs=0.02)
        assert cell.wait_share == pytest.approx(0.5, abs=0.02)
    assert all(cell.barrier_share is None for cell in first.cells)
    measured = [cell.barrier_share for cell in second.cells if cell.barrier_share is not None]
    assert measured, "raw windows tell in two windows"
    assert measured == pytest.approx([0.0] * len(measured)), "the driver acted while the worker waited"


def test_raw_spans_come_in_order_with_their_stages(lock_step: Recording) -> None:
    detail = look_closer(lock_step)
    windows = [window for window in detail.raw if detail.threads[window.thread].role == "driver"]
    assert [window.start for window in windows] == [2.0, 5.0]
    spans: list[Any] = windows[0].spans
    assert [(span.stage, span.start, span.seconds) for span in spans] == [
        ("act", 2.0, 0.5),
        ("vec.wait", 2.5, 0.5),
    ]


def test_the_nearest_snapshot() -> None:
    assert nearest([10, 20, 30], 24) == 20
    assert nearest([10, 20, 30], 26) == 30
    assert nearest([10, 20, 30], 99) == 30
    assert nearest([10, 20, 30], 1) == 10
    assert nearest([], 5) == 5


def test_nothing_recorded_gives_nothing(recording: Callable[..., Recording]) -> None:
    detail = look_closer(recording())
    assert (detail.flames, detail.sources, detail.strips, detail.windows, detail.raw) == ([], [], [], [], [])


def test_rounds_are_sorted_into_the_windows_in_which_they_ended() -> None:
    stays = [Stay(5, 10, 9), Stay(15, 10, 4), Stay(20, 10, 0), Stay(31, 10, 9)]
    assert barrier_shares(stays, [0.5, 0.5], [10, 20, 30]) == [pytest.approx(0.5 * 4 / 20), None]
