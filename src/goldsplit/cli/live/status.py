"""What a run is doing now, in a few figures, from the last seconds of its recording."""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass

from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.counts.steps_and_updates import Counting
from goldsplit.analyse.wall.steady import find_driver
from goldsplit.model.recording import ProcessId, ProcessRecord, Recording, ThreadKey
from goldsplit.model.stage import WAITING
from goldsplit.store.tail import RunTail

#: "Now" is this last part of the run.
NOW_NS = 5_000_000_000
#: A process that has written nothing for so long has ended, or hangs. Snapshots are at most 5 s apart.
SILENT_NS = 15_000_000_000

AllSeries = dict[ProcessId, Series]
Borders = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Status:
    """What a status line needs. None: not known (yet)."""

    processes: int
    env_steps: int | None
    steps_per_second: float | None
    top_stage: str | None
    has_stacks: bool


class LiveStatus:
    """The status of a run that is still being written, worked out when something new was written."""

    def __init__(self, tail: RunTail) -> None:
        self.tail = tail
        self.status = Status(0, None, None, None, has_stacks=False)

    def look(self) -> Status:
        """Read what is new and say what is going on now."""
        if self.tail.read() or not self.status.processes:
            self.status = current_status(self.tail.recording(), self.tail.has_stacks)
        return self.status


def current_status(recording: Recording, has_stacks: bool) -> Status:
    """The status now, which is between two snapshots of the process that drives the training."""
    series = {process.id: Series(process) for process in recording.processes if process.snapshots}
    if not series:
        return Status(len(recording.processes), None, None, None, has_stacks)
    counting = Counting(recording, series)
    latest_ns = max(one.times[-1] for one in series.values())
    driver = find_driver(dataclasses.replace(recording, processes=running(series, latest_ns)), series)
    borders = None if driver is None else now_borders(series[driver.process])
    return Status(
        processes=len(recording.processes),
        env_steps=counting.at(latest_ns).env_steps,
        steps_per_second=None if borders is None else steps_per_second(counting, borders),
        top_stage=None if driver is None or borders is None else top_stage(series, driver, borders),
        has_stacks=has_stacks,
    )


def running(series: AllSeries, latest_ns: int) -> list[ProcessRecord]:
    """The processes that have not ended, as far as their snapshots show."""
    return [
        one.process
        for one in series.values()
        if one.process.end_ns is None and one.times[-1] >= latest_ns - SILENT_NS
    ]


def now_borders(series: Series) -> Borders | None:
    """The snapshots at which "now" begins and ends; None while there is only one."""
    times = [snapshot.t_ns for snapshot in series.process.snapshots]
    before = [t_ns for t_ns in times if t_ns <= times[-1] - NOW_NS] or times[:1]
    return (before[-1], times[-1]) if before[-1] < times[-1] else None


def steps_per_second(counting: Counting, borders: Borders) -> float | None:
    """Env steps by wall time."""
    made = counting.between([borders]).env_steps
    return None if made is None else max(0, made) * 1e9 / (borders[1] - borders[0])


def top_stage(series: AllSeries, driver: ThreadKey, borders: Borders) -> str | None:
    """What the driver does most; while it waits, what all other threads do most."""
    top = largest(stage_times(series[driver.process], driver.thread, borders))
    if top not in WAITING:
        return top
    others: Counter[str] = Counter()
    for process, one in series.items():
        for thread in one.process.threads:
            if (process, thread) != driver:
                others.update(stage_times(one, thread, borders))
    behind = largest(Counter({stage: ns for stage, ns in others.items() if stage not in WAITING}))
    return f"waiting for {behind}" if behind else top


def stage_times(series: Series, thread: int, borders: Borders) -> Counter[str]:
    """Nanoseconds of a thread's own time, by the stage that owns them."""
    times: Counter[str] = Counter()
    for node, ns in series.self_times(thread, *borders).items():
        times[series.owner_of(thread, node).stage] += ns
    return times


def largest(times: Counter[str]) -> str | None:
    """The stage with most time; time in no stage is left out."""
    named = {stage: ns for stage, ns in times.items() if stage and ns > 0}
    return max(named, key=lambda stage: named[stage], default=None)
