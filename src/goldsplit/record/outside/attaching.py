"""Watch a process that is already running, from outside alone."""

from __future__ import annotations

import contextlib
import signal
import time
from pathlib import Path

import psutil

from goldsplit.errors import AttachError
from goldsplit.record.outside.launch import Tick, python_target
from goldsplit.record.outside.sampler import StackSampler, is_python
from goldsplit.record.outside.system import SystemMonitor


def attachable(pid: int) -> psutil.Process:
    """The process, if it exists and Python is in it or below it."""
    try:
        process = psutil.Process(pid)
        name = process.name()
    except (psutil.NoSuchProcess, ValueError) as error:  # psutil asks for numbers above -1
        raise AttachError(f"there is no process {pid}", "find it with: pgrep -af python") from error
    if pid == 1 and not is_python(pid):
        raise AttachError(
            f"process 1 ({name}) is the system's first process: everything runs below it",
            "give the PID of the training's python process: pgrep -af python",
        )
    _refuse_stopped(process)
    target = python_target(pid)
    if target is None:
        raise AttachError(
            f"process {pid} ({name}) is not Python and has no Python child",
            "give the PID of the training's python process: pgrep -af python",
        )
    if target != pid:
        with contextlib.suppress(psutil.NoSuchProcess):
            _refuse_stopped(psutil.Process(target))
    return process


def _refuse_stopped(process: psutil.Process) -> None:
    if process.status() in (psutil.STATUS_STOPPED, psutil.STATUS_TRACING_STOP):
        raise AttachError(
            f"process {process.pid} ({process.name()}) is stopped, so there is nothing to see",
            f"let it go on with: kill -CONT {process.pid}; a debugger that holds it must let it go first",
        )


def attach(
    process: psutil.Process, run_dir: Path, rate_hz: int, duration_seconds: float | None, tick: Tick
) -> tuple[str, list[str]]:
    """Sample a process that is already running until it ends, the time is up, or Ctrl-C. Somebody sits before
    it: the first stacks come soon."""
    monitor = SystemMonitor(process.pid, run_dir)
    sampler = StackSampler(
        lambda: python_target(process.pid), monitor.load, run_dir, rate_hz, is_watched=True
    )
    stop: list[int] = []
    previous = {
        n: signal.signal(n, lambda number, _: stop.append(number)) for n in (signal.SIGINT, signal.SIGTERM)
    }
    deadline = None if duration_seconds is None else time.monotonic() + duration_seconds
    monitor.start()
    sampler.start()
    try:
        while not stop and sampler.running() and is_alive(process):
            if deadline is not None and time.monotonic() > deadline:
                break
            tick()
            time.sleep(0.1)
    finally:
        monitor.stop(still_runs=True)
        sampler.stop()
        for number, handler in previous.items():
            signal.signal(number, handler)
    if not sampler.chunks:
        raise AttachError(
            f"process {process.pid} could not be sampled: {sampler.problem or 'no sample was taken'}",
            "run as the same user or root; `goldsplit doctor` says whether ptrace is allowed here",
        )
    return ("interrupted" if stop else "complete"), []


def is_alive(process: psutil.Process) -> bool:
    """Whether a process still runs (a zombie does not)."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
