"""Which thread drives the run, and when the run is steady."""

from __future__ import annotations

from dataclasses import dataclass

from goldsplit.analyse.counts.series import Series
from goldsplit.model.recording import RECORDER_THREADS, ProcessId, ProcessRecord, Recording, ThreadKey
from goldsplit.model.stage import DRIVING, LEARN, LEARN_BACKWARD, LEARN_OPTIMIZER, LEARN_RETURNS
from goldsplit.model.wire import WaitDetail

#: A thread that took so many answers is served by those that gave them.
_ROUNDS = 8
#: A snapshot so little of the phase beyond its end has hardly anything else in it: what lies between the last
#: one before the end and the end (seconds, in the middle of a run) is then not left out of the shares.
_HARDLY_MORE = 0.01
_MESSAGES = (WaitDetail.THREAD, WaitDetail.PIPE, WaitDetail.SEMAPHORE)


@dataclass(frozen=True, slots=True)
class Steady:
    """The steady phase, between two snapshots of the driver's process so that totals there are exact."""

    start_ns: int
    end_ns: int
    first_step_ns: int
    last_step_ns: int
    whole_run: bool
    """Neither a step nor any other stage of a training nor a loop's stacks were seen, so start-up could not
    be split off."""


def find_driver(recording: Recording, series: dict[ProcessId, Series]) -> ThreadKey | None:
    """The thread that runs the training loop: the one that acts and learns most; else the first main one.
    What only acts, while a main thread learns or takes its answers, is a worker, however much it does."""
    best: tuple[float, ThreadKey] | None = None
    with_snapshots = [process for process in recording.processes if process.snapshots]
    learners = [process for process in with_snapshots if _learns(process)]
    for process in learners or with_snapshots:
        main = [thread for thread in process.threads.values() if thread.native_id == process.pid]
        learning = [thread for thread in main if _learns(process, thread.index)]
        for thread in learning or process.threads.values():
            if thread.name in RECORDER_THREADS:
                continue
            seconds = 0.0
            one = series[process.id]
            for node, ns in one.self_times(thread.index, 0, process.snapshots[-1].t_ns).items():
                if one.owner_of(thread.index, node).stage.startswith(DRIVING):
                    seconds += ns / 1e9
            if seconds > 0.005 and (best is None or seconds > best[0]):
                best = (seconds, ThreadKey(process.id, thread.index))
    if best is not None:
        return best[1] if learners else _served(best[1], recording, series)
    known = {process.pid for process in recording.processes}
    last_lives = [p for p in recording.processes if p.snapshots and not p.life]
    roots = [process for process in last_lives if process.ppid not in known]
    for process in roots or last_lives:
        for thread in process.threads.values():
            if thread.native_id == process.pid:
                return ThreadKey(process.id, thread.index)
    return None


def _served(worker: ThreadKey, recording: Recording, series: dict[ProcessId, Series]) -> ThreadKey:
    """The main thread that takes a thread's answers, round after round: that of its own process, or that of
    a process above it; else the thread itself. A learner serves nobody who does not learn."""
    by_pid = {process.pid: process for process in recording.processes if process.snapshots}
    process: ProcessRecord | None = series[worker.process].process
    seen: set[int] = set()
    while process is not None and process.pid not in seen:
        seen.add(process.pid)
        main = next((one.index for one in process.threads.values() if one.native_id == process.pid), None)
        if main is not None and (process.id, main) != worker:
            one = series[process.id]
            keeps = _learning_ns(series[worker.process], worker.thread) > 0 == _learning_ns(one, main)
            if _answers_taken(one, main) >= _ROUNDS and not keeps:
                return ThreadKey(process.id, main)
        process = by_pid.get(process.ppid)
    return worker


def _answers_taken(series: Series, thread: int) -> int:
    """How many waits of a thread another one ended; waiting for a process to end takes no answer."""
    end_ns = series.times[-1] if series.times else 0
    return sum(
        series.node((index, node), end_ns).count
        for (index, node), info in series.process.nodes.items()
        if index == thread and info.detail.startswith(_MESSAGES) and series.owner_of(index, node).waiting
    )


def _learning_ns(series: Series, thread: int) -> int:
    """How long a thread learned; what it takes to prepare that (returns) may be a worker's part."""
    own = series.self_times(thread, 0, series.times[-1] if series.times else 0)
    stages = {node: series.owner_of(thread, node).stage for node in own}
    return sum(
        ns for node, ns in own.items() if stages[node].startswith(LEARN) and stages[node] != LEARN_RETURNS
    )


def _learns(process: ProcessRecord, thread: int | None = None) -> bool:
    """Whether a process (one thread of it) made backward passes or steps of an optimizer."""
    return any(
        info.stage in (LEARN_BACKWARD, LEARN_OPTIMIZER) and thread in (None, index)
        for (index, _), info in process.nodes.items()
    )


def find_steady(recording: Recording, series: Series) -> Steady | None:
    """From the first environment step anywhere to the last step or update, cut to the driver's snapshots.
    Where no step is known, from the first choice of an action, update and the like."""
    times = series.times
    if len(times) < 2:
        return None
    firsts = [p.first_step_ns for p in recording.processes if p.first_step_ns]
    lasts = [p.last_step_ns for p in recording.processes if p.last_step_ns]
    firsts = firsts or _first_stages(recording)
    loop_chunks = [chunk for chunk in recording.chunks if not chunk.startup]
    first = min(firsts, default=loop_chunks[0].start_ns if loop_chunks else 0)
    last = max(lasts, default=loop_chunks[-1].end_ns if loop_chunks and not firsts else 0)
    start = series.border(first, after=True) if first else times[0]
    end = series.border(last, after=False) if last else times[-1]
    beyond = series.border(last, after=True) if last else None
    if beyond is not None and beyond - last <= _HARDLY_MORE * (last - (first or times[0])):
        end = beyond
    # Where cutting to the snapshots inside would lose much of a short run, take those around it.
    most = max(0, (last or times[-1]) - (first or times[0])) / 5
    if start is None or start - first > most > 0:
        start = series.border(first, after=False) or times[0]
    if end is None or last - end > most or end <= start:
        end = series.border(last, after=True) or times[-1]
    if end <= start:
        start, end = times[0], times[-1]
    return Steady(start, end, first or start, last or end, whole_run=not first)


def _first_stages(recording: Recording) -> list[int]:
    """For each process the last snapshot before the first span of a stage of training."""
    found = []
    for process in recording.processes:
        training = {key for key, info in process.nodes.items() if info.stage.startswith(DRIVING)}
        before = process.start_ns
        for snapshot in process.snapshots:
            if any(key in training and totals.count for key, totals in snapshot.nodes.items()):
                found.append(before)
                break
            before = snapshot.t_ns
    return found
