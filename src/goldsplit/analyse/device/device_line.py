"""What the device was doing at any instant of a short window: the stages that its work belongs to."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from statistics import median
from typing import NamedTuple

from goldsplit.analyse.device.host_line import HostLine, work_stage
from goldsplit.model.device.device_record import KernelRecord, MarkWindow


class Busy(NamedTuple):
    """The device works for one stage; times are of the host's clock."""

    start_ns: int
    end_ns: int
    stage: str


class DeviceLine:
    """Busy periods in order, none inside another."""

    def __init__(self, periods: Iterable[Busy]) -> None:
        self.periods: list[Busy] = []
        reached = 0
        for start, end, stage in sorted(periods):
            start = max(start, reached)
            if end > start:
                self.periods.append(Busy(start, end, stage))
                reached = end
        self._ends = [period.end_ns for period in self.periods]

    def during(self, start_ns: int, end_ns: int) -> Counter[str]:
        """Stage → how long the device worked for it in a period."""
        found: Counter[str] = Counter()
        for place in range(bisect_right(self._ends, start_ns), len(self.periods)):
            period = self.periods[place]
            if period.start_ns >= end_ns:
                break
            found[period.stage] += min(period.end_ns, end_ns) - max(period.start_ns, start_ns)
        return found


#: The device comes to a mark, and the host is told, this much later at least; where waits are long, a small
#: part of them changes nothing (a host that sleeps meanwhile is woken late).
_LATENCY_NS, _PART_OF_WAIT = 100_000, 0.02


def from_marks(window: MarkWindow, host: HostLine) -> tuple[DeviceLine, bool]:
    """The device's line by its marks, and whether its clock could be set against the host's.

    No mark is reached before it was put into the queue: the mark that waited least sets the clock. A read
    waits until the device has come to the mark at its start: that shows whether the device was ever idle.
    Between two marks the device had the work of what lies between them on the host; all of it counts as busy,
    so this line says when the host waited for which work, not how much of the time kernels ran.
    """
    times, device = window.times_ns, window.device_ns
    offset = max(at - reached for at, reached in zip(times, device, strict=True))
    periods = []
    latest: int | None = None
    waits: list[int] = []
    for place in range(len(times) - 1):
        start, end = device[place] + offset, device[place + 1] + offset
        part = host.at((times[place] + times[place + 1]) // 2)
        if part is None:
            continue
        periods.append(Busy(max(start, times[place]), end, work_stage(part.owner)))
        if part.waits and part.end_ns <= window.end_ns:
            slack = part.end_ns - start
            latest = slack if latest is None else min(latest, slack)
            waits.append(part.end_ns - part.start_ns)
    is_set = latest is not None and latest <= max(_LATENCY_NS, _PART_OF_WAIT * median(waits))
    return DeviceLine(periods), is_set


def from_kernels(window: KernelRecord, host: HostLine) -> DeviceLine:
    """The device's line by what torch's profiler saw."""
    return DeviceLine(
        Busy(work.start_ns, work.end_ns, stage_of_work(work.asked_ns, host)) for work in window.work
    )


def stage_of_work(asked_ns: int | None, host: HostLine) -> str:
    """The stage in which the host asked for some work; "" where it is not known."""
    part = host.at(asked_ns) if asked_ns is not None else None
    return work_stage(part.owner) if part is not None else ""
