"""Who drives the run, and when it runs steadily."""

from __future__ import annotations

from dataclasses import dataclass

from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.wall.causes import ThreadKey
from goldsplit.analyse.wall.ownership import owner_of, self_times
from goldsplit.model.recording import RECORDER_THREADS, Recording
from goldsplit.model.stage import ACT, LEARN, ROLLOUT, VEC_COPY


@dataclass(frozen=True, slots=True)
class Steady:
    """The steady phase, between two snapshots of the driver's process so that totals there are exact."""

    start_ns: int
    end_ns: int
    first_step_ns: int
    last_step_ns: int
    whole_run: bool
    """Neither an environment step nor a loop's stacks were seen, so start-up could not be split off."""


def find_driver(recording: Recording, series: dict[int, Series]) -> ThreadKey | None:
    """The thread that runs the training loop: the one that acts and learns most; else the first main one."""
    best: tuple[float, ThreadKey] | None = None
    for process in recording.processes:
        if not process.snapshots:
            continue
        for thread in process.threads.values():
            if thread.name in RECORDER_THREADS:
                continue
            seconds = 0.0
            own = self_times(series[process.pid], thread.index, 0, process.snapshots[-1].t_ns)
            for node, ns in own.items():
                stage = owner_of(process, thread.index, node).stage
                if stage.startswith((LEARN, ACT, ROLLOUT, VEC_COPY)):
                    seconds += ns / 1e9
            if seconds > 0.005 and (best is None or seconds > best[0]):
                best = (seconds, (process.pid, thread.index))
    if best is not None:
        return best[1]
    known = {process.pid for process in recording.processes}
    roots = [p for p in recording.processes if p.snapshots and p.ppid not in known]
    for process in roots or [p for p in recording.processes if p.snapshots]:
        for thread in process.threads.values():
            if thread.native_id == process.pid:
                return process.pid, thread.index
    return None


def find_steady(recording: Recording, series: Series) -> Steady | None:
    """From the first environment step anywhere to the last step or update, cut to the driver's snapshots."""
    times = series.times
    if len(times) < 2:
        return None
    firsts = [p.first_step_ns for p in recording.processes if p.first_step_ns]
    lasts = [p.last_step_ns for p in recording.processes if p.last_step_ns]
    loop_chunks = [chunk for chunk in recording.chunks if not chunk.startup]
    first = min(firsts, default=loop_chunks[0].start_ns if loop_chunks else 0)
    last = max(lasts, default=loop_chunks[-1].end_ns if loop_chunks and not firsts else 0)
    start = series.border(first, after=True) if first else times[0]
    end = series.border(last, after=False) if last else times[-1]
    # Where cutting to the snapshots inside would lose much of a short run, take those around it.
    most = max(0, (last or times[-1]) - (first or times[0])) / 5
    if start is None or start - first > most > 0:
        start = series.border(first, after=False) or times[0]
    if end is None or last - end > most or end <= start:
        end = series.border(last, after=True) or times[-1]
    if end <= start:
        start, end = times[0], times[-1]
    return Steady(start, end, first or start, last or end, whole_run=not first)
