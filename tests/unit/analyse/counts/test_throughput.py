"""What each window of the run knows beside its stages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from goldsplit.analyse.profile import analyse
from goldsplit.model.recording import ProcessSample, Recording, SystemSample

S = 1_000_000_000


def test_windows_know_calls_costs_and_the_process_tree(
    maker: Any, recording: Callable[..., Recording]
) -> None:
    driver, worker = maker(7), maker(8, 7)
    for one in (driver, worker):
        one.snapshot(0)
    for second in range(1, 7):
        driver.spend(S // 2, "replay.sample", count=10)
        worker.spend(S // 4 * second, "env.step", count=50)
        driver.snapshot(second * S, **{"vec_env_steps": 100 * second})
        worker.snapshot(second * S)
    driver.steps(1, 6 * S)
    run = recording(driver, worker, end_ns=6 * S)
    for second in range(0, 7, 3):
        tree = {pid: ProcessSample(1.0, 5, files=4 + second) for pid in (7, 8)}
        run.system.append(SystemSample(second * S, 0.0, 1000 * (1 + second), tree))
    windows = analyse(run).throughput.windows
    assert [window.calls["env.step"] for window in windows] == [50] * len(windows)
    assert windows[-1].call_us["env.step"] == pytest.approx(6 * 250_000 / 50)
    assert windows[-1].call_us["env.step"] > 2 * windows[0].call_us["env.step"], "a worker's step grows"
    assert [window.env_steps_before for window in windows] == [100 * (1 + i) for i in range(len(windows))]
    assert (windows[0].rss_bytes, windows[-1].rss_bytes) == (1000, 7000), "the nearest sample"
    assert (windows[-1].open_files, windows[-1].processes) == (20, 2)


def test_what_was_not_sampled_is_none(maker: Any, recording: Callable[..., Recording]) -> None:
    one = maker(7)
    for second in range(4):
        one.spend(S // 2, "act", count=10)
        one.snapshot(second * S, own_env_steps=10 * second)
    one.steps(1, 3 * S)
    for window in analyse(recording(one, end_ns=3 * S)).throughput.windows:
        assert (window.rss_bytes, window.open_files, window.processes) == (None, None, None)
