"""Sample the stacks of the whole process tree with py-spy, some seconds at a time.

py-spy writes its output only at the end, so it is run in chunks; each is folded into counts at once and its
file deleted. How often and how long is in pacing.py, which workers in worker_kinds.py.
"""

from __future__ import annotations

import dataclasses
import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldsplit.model.recording import STACKS_AFTER_SECONDS
from goldsplit.model.wire import File, Stacks
from goldsplit.record.outside import py_spy
from goldsplit.record.outside.hot_functions import HotFunctions
from goldsplit.record.outside.pacing import Pace, Situation, first_guess, measured_tick, next_pace
from goldsplit.record.outside.process_tree import ProcessTree, parent_of
from goldsplit.record.outside.stack_folding import (
    ChunkResult,
    StackTable,
    entry_in,
    entry_of,
    fold,
    loop_samples,
)
from goldsplit.record.outside.worker_kinds import (
    Kind,
    kinds_of,
    look_at,
    next_workers,
    samples_of,
    to_look_at,
)
from goldsplit.record.writer import LineWriter

#: How often to check whether spans have begun to tell the stages.
CHECK_MILLISECONDS = 250
#: py-spy gets priority only after its start, which needs much processor time.
STARTING_SECONDS = 0.4


@dataclass(frozen=True, slots=True)
class LoopView:
    """What spans show of the training loop so far."""

    began_ns: int = 0
    """When the first environment step or update was made; 0: none was counted yet."""
    threads: int = 1
    """Python threads in the process with the most of them."""


class StackSampler:
    """Runs py-spy chunk after chunk on one process and its children, in its own thread."""

    def __init__(
        self,
        target: Callable[[], int | None],
        load: Callable[[], tuple[int, float]],
        run_dir: Path,
        rate: int | None,
        loop_view: Callable[[], LoopView] | None = None,
        is_watched: bool = False,
    ) -> None:
        self.target = target
        self.load = load
        self.run_dir = run_dir
        self.fixed_rate = rate
        self.loop_view = loop_view or LoopView
        self.is_attached = loop_view is None
        self.is_watched = is_watched
        self.loop_began_ns = 0
        self.hooked = False
        self.samples: Counter[int] = Counter()
        """In-loop samples of each process's main thread."""
        self.entries: dict[int, str] = {}
        self.tick_seconds: dict[int, float] = {}
        """What a sample of a process cost last time."""
        self.spent_seconds = 0.0
        self.writer = LineWriter(str(run_dir / File.STACKS))
        self.table = StackTable()
        self.hot = HotFunctions(run_dir)
        self.problem = ""
        self.chunks = 0
        self._stopping = threading.Event()
        self._woken = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._thread = threading.Thread(target=self._run, name="goldsplit-stacks", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the current chunk, keep what it has, and return when it is written."""
        self._stopping.set()
        os.eventfd_write(self._woken, 1)
        if self._thread.ident is not None:
            self._thread.join(timeout=15)

    def running(self) -> bool:
        """Whether sampling goes on; it ends where the system refuses it."""
        return self._thread.is_alive()

    def _run(self) -> None:
        program = py_spy.find_py_spy()
        if program is None:
            self.problem = "py-spy is not installed; no stacks were sampled"
            return
        failures = 0
        self._wait_for_loop()
        while not self._stopping.is_set() and failures < 3:
            pid = self.target()
            if pid is None:
                self._stopping.wait(0.1)
                continue
            view, started = self.loop_view(), time.perf_counter_ns()
            self._notice(view, started)
            results, self.problem = self._chunk(program, pid, view)
            if not results:
                failures += 1
                self._stopping.wait(0.3)
                continue
            failures = 0
            self.chunks += 1
            self._write(results, (started, time.perf_counter_ns()))

    def _notice(self, view: LoopView, now_ns: int) -> None:
        """Spans have begun to tell the stages: from now on each process is sampled for itself."""
        if view.began_ns and not self.hooked:
            self.hooked = True
            self.loop_began_ns = self.loop_began_ns or min(now_ns, view.began_ns)
            self.tick_seconds.clear()  # they were of the whole tree

    def _wait_for_loop(self) -> None:
        """Do not sample start-up: it is split off anyway, and an interpreter that starts is hard to read."""
        if self.is_attached:
            return
        deadline = time.monotonic() + STACKS_AFTER_SECONDS
        while not self.loop_view().began_ns and time.monotonic() < deadline:
            if self._stopping.wait(0.25):
                return

    def _chunk(self, program: str, root: int, view: LoopView) -> tuple[list[ChunkResult], str]:
        """Some seconds of sampling.

        Where spans tell the stages, each process gets its own py-spy: following children costs it several
        times more than sampling. Where only stacks can tell them, one py-spy follows the whole tree, so that
        its samples belong together, and always pauses the program.
        """
        hooked, below = view.began_ns > 0, python_children(root)
        kinds = self._kinds(program, below) if hooked else []
        workers = next_workers(kinds, self.samples)
        pace = self._pace(root, kinds, workers, view)
        rates = {root: pace.rate} | {
            pid: max(1, round(pace.rate / len(some))) for some in workers for pid in some
        }
        _, busy_cores = self.load()
        started = []
        for pid, rate in rates.items():
            threads = sum(map(py_spy.threads_of, [pid] if hooked else [root, *below]))
            goes_first = py_spy.may_go_first(rate * self._tick_seconds(pid, view.threads), threads)
            first = goes_first and py_spy.priority_allowed()
            pause = not hooked or py_spy.should_pause(threads, free_cores(busy_cores), first)
            output = self.run_dir / f"chunk-{self.chunks}-{pid}.json"
            options = [] if hooked else ["--subprocesses"]
            one = py_spy.start(program, pid, rate, pace.seconds, options, output, pause)
            started.append((one, first or (goes_first and not pause)))
        return self._collect(started, hooked)

    def _kinds(self, program: str, pids: list[int]) -> list[Kind]:
        """Which workers are alike. Siblings that have not been sampled are looked at once, because a learner
        among players must not wait for its turn."""
        workers = [look_at(pid, self.entries.get(pid, "")) for pid in pids]
        for pid in to_look_at(workers):
            self.entries[pid] = entry_in(py_spy.main_stack(program, pid))
        return kinds_of([dataclasses.replace(w, entry=self.entries.get(w.pid, "")) for w in workers])

    def _collect(
        self, started: list[tuple[py_spy.Started, bool]], hooked: bool
    ) -> tuple[list[ChunkResult], str]:
        """Wait for the end of a chunk. One in which only stacks tell the stages ends early when spans begin
        to tell them."""

        def wanted() -> bool:
            return self._stopping.is_set() or bool(not hooked and self.loop_view().began_ns)

        if any(first for _, first in started) and not self._stopping.wait(STARTING_SECONDS):
            for one, first in started:
                if first:
                    py_spy.put_first(one.process.pid)
        results, problem = [], ""
        for one, _ in started:
            result, said = py_spy.wait_for(one, wanted, self._woken, None if hooked else CHECK_MILLISECONDS)
            problem = said or problem
            if result is not None:
                results.append(result)
        return results, "" if results else problem

    def _pace(self, root: int, kinds: list[Kind], workers: list[Kind], view: LoopView) -> Pace:
        """Rate and length of the next chunk."""
        _, busy_cores = self.load()
        now = time.perf_counter_ns()
        sampled = [root, *(pid for some in workers for pid in some)]
        costs = [self._tick_seconds(root, view.threads)]
        costs += [sum(self._tick_seconds(pid, 1) for pid in some) / len(some) for some in workers]
        pace = next_pace(
            Situation(
                loop_seconds=(now - self.loop_began_ns) / 1e9 if self.loop_began_ns else None,
                fewest_samples=min([self.samples[root], *(samples_of(kind, self.samples) for kind in kinds)]),
                spent_seconds=self.spent_seconds,
                tick_seconds=sum(costs),
                processes=len(sampled),
                busy_cores=busy_cores,
                free_cores=free_cores(busy_cores),
                spans_tell_stages=view.began_ns > 0,
                chunks_before=0 if self.loop_began_ns else self.chunks,
                is_watched=self.is_watched,
            )
        )
        return Pace(self.fixed_rate, pace.seconds) if self.fixed_rate else pace

    def _tick_seconds(self, pid: int, threads: int) -> float:
        """What a sample of a process costs; one that has not been sampled yet is like the others."""
        if pid in self.tick_seconds or not self.tick_seconds:
            return self.tick_seconds.get(pid, first_guess(threads))
        return sum(self.tick_seconds.values()) / len(self.tick_seconds)

    def _write(self, results: list[ChunkResult], period: tuple[int, int]) -> None:
        """Fold what py-spy left, write it, and learn from it."""
        lines: list[dict[str, Any]] = []
        for result in results:
            pid = result.root_pid
            before = self.tick_seconds.get(pid, first_guess(1))
            self.tick_seconds[pid] = measured_tick(result.cpu_seconds, result.ticks + result.failed, before)
            self.entries[pid] = entry_of(result) or self.entries.get(pid, "")
            self.hot.add(result, self.entries[pid])
            lines += fold(result, period, self.table, loop_seen=self.loop_began_ns > 0)
        self.hot.write()
        for line in lines:
            self.writer.write(line)
        inside = [line for line in lines if not line[Stacks.STARTUP]]
        self.samples += loop_samples(inside)
        self.spent_seconds += sum(line[Stacks.CPU] for line in inside)
        if inside and not self.loop_began_ns:
            self.loop_began_ns = min(line[Stacks.START] for line in inside)


def free_cores(busy_cores: float) -> float:
    """Cores that the program leaves idle."""
    return len(os.sched_getaffinity(0)) - busy_cores


def python_children(root: int) -> list[int]:
    """The Python processes below a process, without multiprocessing's own helpers."""
    return [
        pid
        for pid in ProcessTree(root).below()
        if is_python(pid) and not (parent_of(pid) == root and is_helper(pid))
    ]


def is_helper(pid: int) -> bool:
    """Whether a process is one that multiprocessing starts for itself."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return b"multiprocessing.resource_tracker" in words or b"multiprocessing.forkserver" in words


def is_python(pid: int) -> bool:
    """Whether a process is a Python interpreter, by its program and its mapped libraries."""
    try:
        executable = Path(f"/proc/{pid}/exe").readlink()
    except OSError:
        return False
    if "python" in executable.name:
        return True
    try:
        return "libpython" in Path(f"/proc/{pid}/maps").read_text()
    except OSError:
        return False
