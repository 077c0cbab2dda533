"""Waiting between processes: semaphores, with a spin in front where every process has its own core."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

LIVENESS_SECONDS = 0.1  # how often a waiting side looks whether the other side is still there
SPARE_SPIN_US = 200.0
SHORT_SPIN_US = 50.0  # about what sleeping and waking up costs: at worst that is paid twice
MOST_IN_VAIN = 6  # spins in vain that are counted: then one wait in 65 spins


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


def default_spin_us(processes: int, stepping: int) -> float:
    """Long with a core to spare beside those that step, short with one each, else not at all."""
    cores = available_cores()
    if stepping < cores:
        return SPARE_SPIN_US
    return SHORT_SPIN_US if processes <= cores else 0.0


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

    After a spin that was in vain the next waits do without, ever more of them: where the other side is slow,
    or its core is taken, spinning only takes time from somebody.
    """

    def __init__(self, spin_us: float) -> None:
        self._spin_ns = round(spin_us * 1000)
        self._in_vain = self._skips = 0

    def acquire(self, semaphore: Any, timeout_seconds: float | None) -> bool:
        """Take the semaphore; False when the time is over (None: never)."""
        if self._spin_ns and self._spin(semaphore):
            return True
        return bool(semaphore.acquire(True, timeout_seconds))

    def _spin(self, semaphore: Any) -> bool:
        if self._skips:
            self._skips -= 1
            return False
        deadline_ns = time.perf_counter_ns() + self._spin_ns
        while not semaphore.acquire(False):
            if time.perf_counter_ns() > deadline_ns:
                self._in_vain = min(self._in_vain + 1, MOST_IN_VAIN)
                self._skips = 2**self._in_vain
                return False
        self._in_vain = 0
        return True
