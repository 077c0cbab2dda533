"""Start py-spy on one process, wait for it, and read what it left."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import resource
import select
import shutil
import signal
import subprocess
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldsplit.record.outside.stack_folding import ChunkResult

#: A sampler gets priority over the program only if it takes no more than this share of all processors.
MOST_TO_PUT_FIRST = 0.1
#: It gets none if it pauses more threads than these for each sample. It stops one thread after another, and
#: each needs a core to stop. If the sampler holds that core, the last ones still run while the first stand.
MOST_THREADS_TO_PAUSE_FIRST = 4
#: With a free core, pausing so many threads still takes well below a millisecond.
MOST_THREADS_TO_PAUSE = 8
DUMP_TIMEOUT_SECONDS = 2.0
_SUMMARY = re.compile(r"Samples: (\d+) Errors: (\d+)")
_BEHIND = re.compile(r"behind in sampling")


@dataclass(frozen=True, slots=True)
class Started:
    """A py-spy that runs."""

    pid: int
    """The process that it samples."""
    rate: int
    process: subprocess.Popen[str]
    output: Path


def find_py_spy() -> str | None:
    """The py-spy beside this interpreter, or on the path."""
    beside = Path(sysconfig.get_path("scripts")) / "py-spy"
    return str(beside) if beside.is_file() else shutil.which("py-spy")


def start(
    py_spy: str, pid: int, rate: int, seconds: int, options: list[str], output: Path, pause: bool
) -> Started:
    """Begin to sample one process."""
    command = [py_spy, "record", "--pid", str(pid), "--idle", "--threads", *options]
    command += [] if pause else ["--nonblocking"]
    command += ["--full-filenames", "--format", "speedscope", "--output", str(output)]
    command += ["--rate", str(rate), "--duration", str(seconds)]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return Started(pid, rate, process, output)


def main_stack(program: str, pid: int) -> list[dict[str, Any]]:
    """The stack of a process's main thread now, outermost frame first, in the form of a chunk's frames; empty
    if it cannot be read."""
    command = [program, "dump", "--pid", str(pid), "--nonblocking", "--json"]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=DUMP_TIMEOUT_SECONDS
        )
        threads = json.loads(done.stdout)
        return [
            {"name": frame["name"], "file": frame["filename"], "line": frame["line"]}
            for thread in threads
            if thread["os_thread_id"] == pid
            for frame in reversed(thread["frames"])
        ]
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError):
        return []


def wait_for(
    started: Started, wanted: Callable[[], bool], woken: int, check_milliseconds: int | None
) -> tuple[ChunkResult | None, str]:
    """What py-spy found, or what it said instead. It is asked to end early once that is `wanted`."""
    usage = _until_end(started.process, wanted, woken, check_milliseconds)
    assert started.process.stdout is not None
    with started.process.stdout:
        text = started.process.stdout.read()
    try:
        speedscope = json.loads(started.output.read_text())
    except (OSError, ValueError):
        return None, _explain(text)
    finally:
        started.output.unlink(missing_ok=True)
    counted = _SUMMARY.search(text)
    samples, failed = (int(counted[1]), int(counted[2])) if counted else (0, 0)
    late = len(_BEHIND.findall(text))
    cpu_seconds = usage.ru_utime + usage.ru_stime
    return ChunkResult(speedscope, samples, failed, late, cpu_seconds, started.pid, started.rate), ""


def _until_end(
    process: subprocess.Popen[str], wanted: Callable[[], bool], woken: int, check_milliseconds: int | None
) -> resource.struct_rusage:
    """Wait for a child and return what it used; ask it to end early once that is wanted. Whether it is wanted
    is checked when `woken` can be read, and every `check_milliseconds` where given."""
    handle = os.pidfd_open(process.pid)
    news = select.poll()
    news.register(handle, select.POLLIN)
    news.register(woken, select.POLLIN)
    asked = False
    while True:
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            os.close(handle)
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage
        if not asked and wanted():
            asked = True
            news.unregister(woken)  # it stays readable
            os.kill(process.pid, signal.SIGINT)  # py-spy then writes what it has
        news.poll(None if asked else check_milliseconds)


def _explain(text: str) -> str:
    """py-spy's own error message in one line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    error = next((line for line in lines if "rror" in line), lines[-1] if lines else "no output")
    return f"py-spy could not sample: {error[:200]}"


def may_go_first(share_of_a_core: float, threads_to_pause: int) -> bool:
    """Whether sampling takes and disturbs so little that it may have priority over the program."""
    share = share_of_a_core / len(os.sched_getaffinity(0))
    return share <= MOST_TO_PUT_FIRST and threads_to_pause <= MOST_THREADS_TO_PAUSE_FIRST


def should_pause(threads: int, free_cores: float, goes_first: bool) -> bool:
    """Whether to stop a process for each of its samples.

    Unpaused, stacks that change fastest fail or tear most: a function of many short calls that took 14.5 % of
    the time had 8 % of the samples. Paused it had 14.4 %. But a sampler that has no core in the middle of a
    sample leaves the program standing.
    """
    if goes_first:
        return threads <= MOST_THREADS_TO_PAUSE_FIRST
    return free_cores >= 1.0 and threads <= MOST_THREADS_TO_PAUSE


@functools.cache
def priority_allowed() -> bool:
    """Whether the system lets this process put another one first: tried once, on the calling thread."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    except OSError:
        return False
    return True


def put_first(pid: int) -> None:
    """Let a process run whenever it wants to, where the system allows that.

    Otherwise, if all cores are busy, a sampler would run mostly when the program waits for something, and
    would see waiting far too often.
    """
    with contextlib.suppress(OSError):  # refused, or it has ended
        for task in os.scandir(f"/proc/{pid}/task"):
            os.sched_setscheduler(int(task.name), os.SCHED_FIFO, os.sched_param(1))


def threads_of(pid: int) -> int:
    """How many threads a process has; 0 when it has ended."""
    try:
        return sum(1 for _ in os.scandir(f"/proc/{pid}/task"))
    except OSError:
        return 0
