"""Threads and processes beside the wall-time partition: busy, waiting, idle at the barrier. Never summed."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.stacks.samples import Samples
from goldsplit.analyse.wall.account import LEAST_SAMPLES, Account, Group
from goldsplit.analyse.wall.barrier import Barriers, idle_share
from goldsplit.analyse.wall.causes import CauseFinder
from goldsplit.analyse.wall.partition import Partition
from goldsplit.model.profile import Lane, LaneStage
from goldsplit.model.recording import (
    RECORDER_THREADS,
    NativeThread,
    ProcessId,
    Recording,
    ThreadInfo,
    ThreadKey,
)
from goldsplit.model.stage import ACT, ENV_STEP
from goldsplit.model.wire import Counter as Counters

#: Threads that did less than this are not worth a line.
LEAST_SECONDS = 0.005


class ThreadLane(NamedTuple):
    """A lane of the report, and its thread."""

    native: NativeThread
    key: ThreadKey | None
    """None: a process that recorded nothing itself."""
    lane: Lane


def lanes(
    recording: Recording,
    series: dict[ProcessId, Series],
    driver: ThreadKey,
    borders: tuple[int, int],
    finder: CauseFinder,
    split: Partition,
    samples: Samples,
) -> list[ThreadLane]:
    """All threads that did something, the driver first; then processes that are not Python."""
    rows = []
    barriers = Barriers(finder, driver, borders)
    account = Account(samples, driver)
    for process in recording.processes:
        if not process.snapshots:
            continue
        for thread in process.threads.values():
            if thread.name not in RECORDER_THREADS:
                lane = _lane(series[process.id], thread, driver, borders, barriers, split, account)
                if lane is not None:
                    native = NativeThread(process.id, thread.native_id)
                    rows.append(ThreadLane(native, ThreadKey(process.id, thread.index), lane))
    rows.sort(key=lambda row: _rank(row.lane))
    return rows + _foreign(recording)


def busy_outside_spans(series: dict[ProcessId, Series], borders: tuple[int, int]) -> dict[ThreadKey, float]:
    """Each thread's share of the steady phase in which it had a core outside all of its spans."""
    found = {}
    for process, one in series.items():
        start, end = one.border(borders[0], after=True), one.border(borders[1], after=False)
        if start is None or end is None or one.wall_ns(start, end) <= 0:
            continue
        for thread in one.process.threads.values():
            if thread.name not in RECORDER_THREADS:
                owned = one.self_times(thread.index, start, end).items()
                spanned = sum(ns for node, ns in owned if not one.owner_of(thread.index, node).waiting)
                cpu_ns, _ = one.thread_cpu(thread.index, start, end)
                found[ThreadKey(process, thread.index)] = (cpu_ns - spanned) / one.wall_ns(start, end)
    return found


def _rank(lane: Lane) -> tuple[bool, bool, float]:
    return lane.role != "driver", lane.role != "env-worker", -(lane.busy_share or 0.0)


def _lane(
    series: Series,
    thread: ThreadInfo,
    driver: ThreadKey,
    borders: tuple[int, int],
    barriers: Barriers,
    split: Partition,
    account: Account,
) -> Lane | None:
    # Each process took its own snapshots: shares are of the time between two of them.
    start, end = series.border(borders[0], after=True), series.border(borders[1], after=False)
    if start is None or end is None or end <= start:
        return None
    wall = series.wall_ns(start, end)
    if wall <= 0:
        return None
    process = series.process
    key = ThreadKey(process.id, thread.index)
    stages: Counter[str] = Counter()
    waiting = 0
    for node, ns in series.self_times(thread.index, start, end).items():
        owner = series.owner_of(thread.index, node)
        if owner.waiting:
            waiting += ns
        else:
            stages[owner.stage] += ns
    cpu_ns, delay_ns = series.thread_cpu(thread.index, start, end)
    spanned = sum(stages.values())
    if key != driver and (spanned + cpu_ns) / 1e9 < LEAST_SECONDS:
        return None
    outside = max(0, wall - spanned - waiting)
    busy = spanned + (outside if key == driver else min(outside, max(0, cpu_ns - spanned)))
    stages = _finest(stages, busy - spanned, account, account.kind(key))
    if key == driver:  # as in the partition: it stood still there, and other threads have that time
        lost = round(split.lost_lock_ns)
        busy, waiting = max(0, busy - lost), waiting + lost
    barrier = idle_share(barriers.stays(key))
    driver_waits = split.waiting_ns / split.wall_ns if split.wall_ns > 0 else 0.0
    before, after = (series.summed(Counters.OWN_ENV_STEPS, t_ns) for t_ns in (start, end))
    return Lane(
        pid=process.pid,
        process=process_name(process.argv),
        role=role_of(key, driver, stages),
        thread=thread.name,
        thread_id=thread.native_id,
        busy_share=min(1.0, busy / wall),
        wait_share=min(1.0, waiting / wall),
        barrier_share=None if barrier is None else min(waiting / wall, barrier * driver_waits, 1.0),
        charged_share=None if key == driver else min(1.0, split.charged[key] / wall),
        cpu_seconds=cpu_ns / 1e9,
        env_steps=None if after is None else round(after - (before or 0)),
        stages=[LaneStage(stage, min(1.0, ns / wall)) for stage, ns in stages.most_common(6) if ns > 0],
        no_core_share=min(1.0, without_core(busy, cpu_ns, delay_ns) / wall),
    )


def without_core(busy_ns: float, cpu_ns: int, delay_ns: int) -> float:
    """The part of a thread's work in which it was ready, but had no core. It had one for the rest at most; a
    thread that is woken and gets no core at once is still waiting."""
    return min(max(0.0, busy_ns - cpu_ns), delay_ns)


def _finest(spans: Counter[str], outside_ns: float, account: Account, kind: str) -> Counter[str]:
    """A thread's work by the finest stages of the samples in its spans and outside them."""
    found: Counter[str] = Counter()
    groups = account.groups(kind, {stage: ns for stage, ns in spans.items() if ns > 0})
    for stage, ns in spans.items():
        for part in groups.get(stage, Group()).divide(ns, stage):
            found[part.stage or stage] += round(part.ns)
    outside = account.at_work_outside(kind)
    if outside.count >= LEAST_SAMPLES:
        for part in outside.divide(outside_ns, None):
            if part.stage is not None:
                found[part.stage] += round(part.ns)
    return found


def role_of(key: ThreadKey, driver: ThreadKey, stages: Counter[str]) -> str:
    """What a thread is in the run."""
    if key == driver:
        return "driver"
    if stages[ENV_STEP] > 0:
        return "actor" if stages[ACT] > 0 else "env-worker"
    return "other"


def process_name(argv: tuple[str, ...]) -> str:
    """A process in a few words: its script or module."""
    for place, argument in enumerate(argv[1:], start=1):
        if argument == "-m" and place + 1 < len(argv):
            return argv[place + 1]
        if argument == "-c":
            code = argv[place + 1] if place + 1 < len(argv) else ""
            return "multiprocessing" if "multiprocessing" in code else "python -c"
        if not argument.startswith("-"):
            return argument.rpartition("/")[2]
    return argv[0].rpartition("/")[2] if argv else "python"


def _foreign(recording: Recording) -> list[ThreadLane]:
    """Processes that recorded nothing themselves: servers, tools; known from outside only."""
    known = {process.pid for process in recording.processes if process.snapshots}
    rows: dict[int, Lane] = {}
    for sample in recording.system:
        for pid, seen in sample.processes.items():
            if pid in known or seen.cpu_seconds < 0.2:
                continue
            name = seen.name or (rows[pid].process if pid in rows else "process")
            rows[pid] = Lane(pid, name, "server", "", pid, None, None, None, None, seen.cpu_seconds, None, [])
    ranked = sorted(rows.values(), key=lambda lane: -(lane.cpu_seconds or 0))
    return [ThreadLane(NativeThread(ProcessId(lane.pid), lane.pid), None, lane) for lane in ranked]
