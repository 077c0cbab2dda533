"""Waiting between processes: semaphores, with a spin in front where every process has its own core."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

LIVENESS_SECONDS = 0.1  # how often a waiting side looks whether the other side is still there
SPIN_US = 150.0  # a few times what sleeping and waking up costs: shares of equal work differ by so much
LONG_WAITS_TO_SLEEP = 2  # in a row: one alone may be a pause of the machine


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


def busy_cores(seconds: float = 0.1) -> float:
    """How many of the cores that this process may use others keep busy, over a moment in which it sleeps."""
    before = _busy_ticks()
    time.sleep(seconds)
    return (_busy_ticks() - before) / (os.sysconf("SC_CLK_TCK") * seconds)


def _busy_ticks() -> int:
    """Ticks that were neither idle nor waiting for a disk, of the cores that this process may use."""
    try:
        lines = Path("/proc/stat").read_text().splitlines()
        mine = {f"cpu{core}" for core in os.sched_getaffinity(0)}
    except (AttributeError, OSError):
        return 0
    rows = [line.split() for line in lines if line.split(" ", 1)[0] in mine]
    return sum(sum(map(int, row[1:4])) + sum(map(int, row[6:9])) for row in rows)


def default_spin_us(processes: int) -> float:
    """Spinning is for processes that have a core each: else it takes the core of one that works."""
    return SPIN_US if processes <= available_cores() else 0.0


def pretend(work_ns: int) -> None:
    """Take so much CPU time, or, when negative, so much time asleep: a step's cost without its effects."""
    if work_ns < 0:
        time.sleep(-work_ns / 1e9)
        return
    end_ns = time.thread_time_ns() + work_ns
    while time.thread_time_ns() < end_ns:
        pass


class Waiting:
    """Waits on semaphores: spins first for as long as that pays, then sleeps.

    Waking a sleeper takes time on both sides, and may put it on the core of whoever woke it. How long waits
    were, spun or slept, decides how the next one begins: after long ones asleep, until one is short again.
    Where the other side is slow, or its core is taken, spinning only takes time from another process.
    """

    def __init__(self, spin_us: float, clock_ns: Callable[[], int] = time.perf_counter_ns) -> None:
        self._spin_ns = round(spin_us * 1000)
        self._clock_ns = clock_ns
        self._long_waits = 0  # in a row

    def acquire(self, semaphore: Any, timeout_seconds: float | None) -> bool:
        """Take the semaphore; False when the time is over (None: never)."""
        if not self._spin_ns:
            return bool(semaphore.acquire(True, timeout_seconds))
        limit_ns = self._clock_ns() + self._spin_ns
        spins = self._long_waits < LONG_WAITS_TO_SLEEP
        taken = (spins and self._spin(semaphore, limit_ns)) or bool(semaphore.acquire(True, timeout_seconds))
        self._long_waits = 0 if self._clock_ns() < limit_ns else self._long_waits + 1
        return taken

    def _spin(self, semaphore: Any, limit_ns: int) -> bool:
        while not semaphore.acquire(False):
            if self._clock_ns() >= limit_ns:
                return False
        return True
