"""The benchmark programs' own clocks: the truth about a run, without any profiler.

A program puts `with truth.clock("env.step"):` around each stage of its driver's loop. Time is counted
once: a clock inside another takes its time away from the outer one. For waiting, the other side
times its own work with the same monotonic clock and sends the interval along. The driver notes both, and
after the loop (so that the arithmetic costs the loop nothing) each wait is moved to what it waited for.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from baton import Baton

# Message cost and waiting with no cause are compared as one group: libraries differ in how they name them.
COMMUNICATION = "category:communication"
# The clock around a step covers the observation that the step builds; naming that separately is not wrong.
STEP = "env.step+env.observe"
WORKER_FIGURES = ("busy_seconds", "finished_last", "barrier_seconds")
SNAPSHOT_NS = 200_000_000
# Pure-Python work is a fixed number of turns, never "until the clock says so": a loop that watches the
# clock would do less work under a profiler, and so hide its cost. Some 20 turns take about a microsecond.
SPIN_PER_US = float(os.environ.get("TRUTH_SPIN_PER_US", "20"))
PLACES = tuple(37 * place % 64 for place in range(64))


class Interval(NamedTuple):
    """From start_ns to end_ns of CLOCK_MONOTONIC, which all processes of one machine share."""

    start_ns: int
    end_ns: int


def overlap_ns(first: Interval, second: Interval) -> int:
    return max(0, min(first.end_ns, second.end_ns) - max(first.start_ns, second.start_ns))


class WorkerSpan(NamedTuple):
    """What a worker was doing, by its own clock, while the driver may have waited for it."""

    worker: str
    stage: str
    interval: Interval


def charge_to_cause(wait: Interval, spans: Sequence[WorkerSpan]) -> dict[str, int]:
    """How much of one wait was whose stage, in nanoseconds.

    The worker that finishes last decides the length of the wait, so its stages come first. Where it had
    not begun yet because another worker held the core or the GIL, the instant goes to that one's stage:
    it is what kept the last one from starting. An instant in which no worker worked stays communication.
    """
    charged: dict[str, int] = {}
    open_parts = [wait]
    for span in sorted(spans, key=lambda span: -span.interval.end_ns):
        left = []
        for part in open_parts:
            shared_ns = overlap_ns(part, span.interval)
            if not shared_ns:
                left.append(part)
                continue
            charged[span.stage] = charged.get(span.stage, 0) + shared_ns
            if part.start_ns < span.interval.start_ns:
                left.append(Interval(part.start_ns, span.interval.start_ns))
            if span.interval.end_ns < part.end_ns:
                left.append(Interval(span.interval.end_ns, part.end_ns))
        open_parts = left
    return charged


def _apply(moved_ns: dict[str, int], totals_ns: dict[str, int]) -> None:
    for stage, duration_ns in moved_ns.items():
        totals_ns[stage] = totals_ns.get(stage, 0) + duration_ns
        totals_ns[COMMUNICATION] = totals_ns.get(COMMUNICATION, 0) - duration_ns


def spin(cost_us: float) -> int:
    """Hold the GIL with a fixed amount of pure-Python work that takes about cost_us on an idle core.

    A little game on a board. It makes no objects: a loop that does is faster or slower by where in its memory
    pools it happens to work, which is luck of the launch and no cost of any profiler.
    """
    board, score = [0] * len(PLACES), 0
    for place in itertools.islice(itertools.cycle(PLACES), int(cost_us * SPIN_PER_US)):
        cell = board[place]
        if cell > 5:
            board[place] = 0
            score = (score + cell) & 63
        else:
            board[place] = cell + 1
    return score


def program_arguments(description: str, **extra: Any) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--seconds", type=float, default=12.0, help="length of the steady loop")
    parser.add_argument("--steps", type=int, default=None, help="fixed work: turns of the loop, not seconds")
    parser.add_argument("--startup", type=float, default=2.0, help="seconds asleep before the loop")
    parser.add_argument("--seed", type=int, default=7)
    for name, default in extra.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default)
    return parser


def process_age_seconds() -> float:
    """Seconds since this process was created, by the kernel's own record (10 ms resolution)."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    created = int(fields[19]) / os.sysconf("SC_CLK_TCK")
    return time.clock_gettime(time.CLOCK_BOOTTIME) - created


class _Clock:
    """One stage's clock; reused, because making an object per step would cost more than the reading."""

    __slots__ = ("stage", "truth")

    def __init__(self, truth: Truth, stage: str) -> None:
        self.truth = truth
        self.stage = stage

    def __enter__(self) -> None:
        self.truth.enter(self.stage)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.truth.leave()


class Truth:
    """Exclusive wall time per stage of the driver's thread, and the program's own counters."""

    def __init__(self, name: str, seconds: float, steps: int | None) -> None:
        self.name = name
        self.limit_seconds, self.limit_steps = seconds, steps
        self.totals_ns: dict[str, int] = {}
        self.counts: dict[str, int] = {"env_steps": 0, "episodes": 0, "updates": 0}
        self.workers: dict[str, dict[str, float]] = {}
        self.notes: list[str] = []
        self.tolerances: dict[str, float] = {}
        self._clocks: dict[str, _Clock] = {}
        self._worker_waits_ns: dict[str, int] = {}
        self._open: list[str] = []
        self._waits: list[tuple[Interval, Sequence[WorkerSpan]]] = []
        self._mark_ns = 0
        self._turns = 0
        self._turn_starts_ns: list[int] = []
        self._next_snapshot_ns = 0
        self._snapshots: list[dict[str, Any]] = []
        self._begun_ns = 0
        self._baton = Baton.from_environment()

    # --- the loop -----------------------------------------------------------------------------------
    def begin(self) -> None:
        """The end of start-up: call just before the loop's first turn."""
        self.startup_seconds = process_age_seconds()
        self.begun_epoch = time.time()
        self.totals_ns.clear()
        out = os.environ.get("TRUTH_OUT")
        if out:
            Path(out + ".begin").touch()
        self._begun_cpu_ns = time.thread_time_ns()
        self._begun_ns = self._mark_ns = time.perf_counter_ns()
        self._next_snapshot_ns = self._begun_ns

    def keep_going(self) -> bool:
        """True while the loop should take another turn; begins the steady phase at the first call."""
        if not self._begun_ns:
            self.begin()
        if self._baton is not None and self._turns % self._baton.turns_per_lap == 0:
            self._baton.hand_over()
        now_ns = time.perf_counter_ns()
        if now_ns >= self._next_snapshot_ns:
            self._snapshot(now_ns)
        self._turns += 1
        if self.limit_steps is not None:
            self._turn_starts_ns.append(now_ns)  # the same seed gives turn i the same work in every run
            return self._turns <= self.limit_steps
        return (now_ns - self._begun_ns) < self.limit_seconds * 1e9

    def _snapshot(self, now_ns: int) -> None:
        self._next_snapshot_ns = now_ns + SNAPSHOT_NS
        self._snapshots.append({"ns": now_ns, "totals_ns": dict(self.totals_ns), "counts": dict(self.counts)})

    # --- the clocks ---------------------------------------------------------------------------------
    def clock(self, stage: str) -> _Clock:
        found = self._clocks.get(stage)
        if found is None:
            found = self._clocks[stage] = _Clock(self, stage)
        return found

    def enter(self, stage: str) -> None:
        now_ns = time.perf_counter_ns()
        if self._open:
            outer = self._open[-1]
            self.totals_ns[outer] = self.totals_ns.get(outer, 0) + now_ns - self._mark_ns
        self._open.append(stage)
        self._mark_ns = now_ns

    def leave(self) -> None:
        now_ns = time.perf_counter_ns()
        stage = self._open.pop()
        self.totals_ns[stage] = self.totals_ns.get(stage, 0) + now_ns - self._mark_ns
        self._mark_ns = now_ns

    # --- waiting and counting -----------------------------------------------------------------------
    def charge_wait(self, wait: Interval, spans: Sequence[WorkerSpan]) -> None:
        """Note a wait (counted as COMMUNICATION so far) and what the others did; settled at the end."""
        self._waits.append((wait, spans))

    def _settle_waits(self) -> None:
        """Move each wait to its cause, in the totals and in every snapshot taken after it."""
        moved_ns: dict[str, int] = {}
        before: Sequence[WorkerSpan] = ()  # with a prefetcher two waits may share a span: count it once
        snapshots = iter(self._snapshots)
        snapshot = next(snapshots, None)
        for wait, spans in self._waits:
            while snapshot is not None and snapshot["ns"] < wait.end_ns:
                _apply(moved_ns, snapshot["totals_ns"])
                snapshot = next(snapshots, None)
            self._note_workers(wait, [span for span in spans if span not in before])
            before = spans
            for stage, charged_ns in charge_to_cause(wait, spans).items():
                moved_ns[stage] = moved_ns.get(stage, 0) + charged_ns
        while snapshot is not None:
            _apply(moved_ns, snapshot["totals_ns"])
            snapshot = next(snapshots, None)
        _apply(moved_ns, self.totals_ns)
        for worker, waited_ns in self._worker_waits_ns.items():
            self.workers[worker]["wait_seconds"] = waited_ns / 1e9

    def _note_workers(self, wait: Interval, spans: Sequence[WorkerSpan]) -> None:
        """Each worker's busy time, how often it came last, and its idle barrier: done, others not yet."""
        ends_ns: dict[str, int] = {}
        for worker, _, interval in spans:
            lane = self.workers.setdefault(worker, dict.fromkeys(WORKER_FIGURES, 0.0))
            lane["busy_seconds"] += (interval.end_ns - interval.start_ns) / 1e9
            ends_ns[worker] = max(ends_ns.get(worker, 0), interval.end_ns)
        last_ns = max(ends_ns.values(), default=0)
        for worker, end_ns in ends_ns.items():
            self.workers[worker]["finished_last"] += end_ns == last_ns
            self.workers[worker]["barrier_seconds"] += overlap_ns(wait, Interval(end_ns, last_ns)) / 1e9

    def note_worker_wait(self, worker: str, waited_ns: int) -> None:
        """A worker's own clock around its waiting for the next message."""
        self._worker_waits_ns[worker] = self._worker_waits_ns.get(worker, 0) + waited_ns

    def count(self, env_steps: int = 0, episodes: int = 0, updates: int = 0) -> None:
        self.counts["env_steps"] += env_steps
        self.counts["episodes"] += episodes
        self.counts["updates"] += updates

    # --- the result ---------------------------------------------------------------------------------
    def finish(self, before_settling: Callable[[], None] | None = None) -> None:
        """The end of the loop: fix the steady phase and write the JSON that TRUTH_OUT names."""
        end_ns = time.perf_counter_ns()
        driver_cpu_ns = time.thread_time_ns() - self._begun_cpu_ns
        self._snapshot(end_ns)
        if before_settling is not None:
            before_settling()
        self._settle_waits()
        steady_ns = end_ns - self._begun_ns
        shares = {stage: total / steady_ns for stage, total in self.totals_ns.items()}
        result = {
            "program": self.name,
            "pid": os.getpid(),
            "wall_shares": shares,
            "unexplained_share": 1.0 - sum(shares.values()),
            "counts": self.counts,
            "startup_seconds": self.startup_seconds,
            "steady_seconds": steady_ns / 1e9,
            "driver_cpu_seconds": driver_cpu_ns / 1e9,
            "begun_epoch": self.begun_epoch,
            "begun_ns": self._begun_ns,
            "workers": self.workers,
            "turn_ns": [end - start for start, end in itertools.pairwise(self._turn_starts_ns)],
            "snapshots": self._snapshots,
            "notes": self.notes,
            "tolerances": self.tolerances,
        }
        out = os.environ.get("TRUTH_OUT")
        if out:
            # Written beside it and renamed: a reader that waits for the file never reads half of it.
            beside = Path(out + ".part")
            beside.write_text(json.dumps(result))
            beside.rename(out)
        print(f"{self.name}: {self.counts} in {steady_ns / 1e9:.2f} s")
