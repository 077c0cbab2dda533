"""Waiting between processes: semaphores, with a short spin in front where every process has its own core."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

LIVENESS_SECONDS = 0.1  # how often a waiting side looks whether the other side is still there
SPIN_US = 200.0


def available_cores() -> int:
    """Cores that this process may use: its affinity, cut by a container's quota where there is one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()[:2]
        if quota != "max":
            cores = min(cores, max(1, int(quota) // int(period)))
    except (OSError, ValueError):
        pass
    return cores


def default_spin_us(workers: int) -> float:
    """Spin only with a core for every worker and one for the caller: elsewhere it takes time from work."""
    return SPIN_US if workers + 1 <= available_cores() else 0.0


def pretend(work_ns: int) -> None:
    """Take so much CPU time, or, when negative, so much time asleep: a step's cost without its effects."""
    if work_ns < 0:
        time.sleep(-work_ns / 1e9)
        return
    end_ns = time.thread_time_ns() + work_ns
    while time.thread_time_ns() < end_ns:
        pass


def acquire(semaphore: Any, timeout_seconds: float | None, spin_us: float) -> bool:
    """Take the semaphore, spinning first; False when the time is over (None: never)."""
    if spin_us > 0.0:
        deadline_ns = time.perf_counter_ns() + int(spin_us * 1000)
        while True:
            if semaphore.acquire(False):
                return True
            if time.perf_counter_ns() > deadline_ns:
                break
    return bool(semaphore.acquire(True, timeout_seconds))
