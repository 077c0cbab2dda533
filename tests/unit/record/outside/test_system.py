"""The process tree measured from outside."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import psutil

from goldsplit.record.outside.system import LEAST_SECONDS, SystemMonitor, open_files


def test_open_files_are_counted(tmp_path: Path) -> None:
    monitor = SystemMonitor(os.getpid(), tmp_path)
    before = monitor.measure()["processes"][str(os.getpid())]["files"]
    handles = [(tmp_path / f"{i}").open("w") for i in range(20)]
    after = monitor.measure()["processes"][str(os.getpid())]["files"]
    for handle in handles:
        handle.close()
    assert after - before == 20


def test_files_that_may_not_be_counted_are_not_measured() -> None:
    class Foreign:
        def num_fds(self) -> int:
            raise psutil.AccessDenied(1)

    foreign: Any = Foreign()
    assert open_files(foreign) is None


def test_a_program_that_goes_on_is_measured_once_more(tmp_path: Path) -> None:
    monitor = SystemMonitor(os.getpid(), tmp_path)
    monitor.start()
    while not (tmp_path / "system.jsonl").exists():
        threading.Event().wait(0.01)
    monitor.time_before -= LEAST_SECONDS
    monitor.stop(still_runs=True)
    assert len((tmp_path / "system.jsonl").read_text().splitlines()) == 2


def test_the_main_thread_s_time_with_and_without_a_core_is_seen_from_outside(tmp_path: Path) -> None:
    row = SystemMonitor(os.getpid(), tmp_path).measure()["processes"][str(os.getpid())]
    figures = Path(f"/proc/{os.getpid()}/schedstat")
    if figures.exists():
        on_core, ready = row["main"]
        later = [int(word) / 1e9 for word in figures.read_text().split()[:2]]
        assert 0 < on_core <= later[0] + 0.001
        assert 0 <= ready <= later[1] + 0.001
