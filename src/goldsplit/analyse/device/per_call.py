"""The device's work for one call of each stage, from windows of torch's profiler.

Windows are few and short, and phases of a training are long: what is measured is the work for one call of a
stage, which does not depend on where windows lie. How often each stage was called is known exactly.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.device.device_causes import KernelLook
from goldsplit.analyse.device.device_line import stage_of_work
from goldsplit.analyse.device.host_line import work_stage
from goldsplit.analyse.wall.ownership import Owner

#: With fewer whole calls in the windows, the host's time in a stage says more. It says less where there are
#: calls: the profiler slows the host down, not the device.
LEAST_CALLS = 3


@dataclass(slots=True)
class PerCall:
    """Sums over windows, by stage ("" is outside all spans)."""

    work_ns: Counter[str] = field(default_factory=Counter)
    launches: Counter[str] = field(default_factory=Counter)
    host_ns: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    """Calls that lie in a window from beginning to end, and below what the device did for these alone: a call
    that a window cuts would count as much work as there happens to be on this side of the cut."""
    work_of_calls_ns: Counter[str] = field(default_factory=Counter)
    launches_of_calls: Counter[str] = field(default_factory=Counter)

    def total_ns(self, stage: str, calls: int, host_ns: float) -> float:
        """The device's work for all calls of a stage in the run; by the host's time where few were seen."""
        if self.calls[stage] >= LEAST_CALLS and calls:
            return self.work_of_calls_ns[stage] / self.calls[stage] * calls
        if self.host_ns[stage]:
            return self.work_ns[stage] / self.host_ns[stage] * host_ns
        return 0.0


def per_call(looks: Iterable[KernelLook]) -> PerCall:
    """Add up windows. The device may be behind the host: calls count up to the last work that it came to."""
    found = PerCall()
    for look in looks:
        asked = [work.asked_ns for work in look.window.work if work.asked_ns is not None]
        if asked:
            _add_window(found, look, max(asked))
    return found


def _add_window(found: PerCall, look: KernelLook, reached: int) -> None:
    whole = _whole_calls(look, reached)
    for stage, calls in whole.items():
        found.calls[stage] += len(calls)
    covered = {stage: _Covered(calls) for stage, calls in whole.items()}
    for work in look.window.work:
        if work.asked_ns is None:
            continue
        stage = stage_of_work(work.asked_ns, look.host)
        found.work_ns[stage] += work.end_ns - work.start_ns
        found.launches[stage] += 1
        if stage in covered and covered[stage].has(work.asked_ns):
            found.work_of_calls_ns[stage] += work.end_ns - work.start_ns
            found.launches_of_calls[stage] += 1
    for part in look.host.between(look.window.start_ns, reached):
        found.host_ns[work_stage(part.owner)] += part.end_ns - part.start_ns


def _whole_calls(look: KernelLook, reached: int) -> dict[str, list[tuple[int, int]]]:
    """Stage → its calls that the window saw from beginning to end."""
    owners = {part.node: part.owner for part in look.host.parts}
    calls: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for node, start, end in look.window.spans.rows():
        owner = owners.get(node)
        if owner is not None and _is_a_call(owner) and start >= look.window.start_ns and end <= reached:
            calls[work_stage(owner)].append((start, end))
    return calls


def _is_a_call(owner: Owner) -> bool:
    """A wait inside a stage is a part of that stage's call, not one more of them."""
    return not owner.waiting or not owner.enclosing


class _Covered:
    """Whether an instant lies in any of some periods; a period may lie in another."""

    def __init__(self, periods: Iterable[tuple[int, int]]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(periods):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(self._ends[-1], end)
            else:
                self._starts.append(start)
                self._ends.append(end)

    def has(self, t_ns: int) -> bool:
        place = bisect_right(self._starts, t_ns) - 1
        return place >= 0 and t_ns <= self._ends[place]


def calls_in_run(series: Series, thread: int, borders: tuple[int, int]) -> Counter[str]:
    """How often each stage was called by the driver in the steady phase."""
    found: Counter[str] = Counter()
    for (owner_thread, node), info in series.process.nodes.items():
        if owner_thread == thread and info.stage:
            owner = series.owner_of(thread, node)
            if _is_a_call(owner):
                before, after = (series.node((thread, node), border) for border in borders)
                found[work_stage(owner)] += after.count - before.count
    return found


def host_times(series: Series, thread: int, borders: tuple[int, int]) -> Counter[str]:
    """The driver's own time by stage; waits for the device belong to the stage around them."""
    found: Counter[str] = Counter()
    for node, ns in series.self_times(thread, *borders).items():
        found[work_stage(series.owner_of(thread, node))] += ns
    found[""] += max(0, series.wall_ns(*borders) - sum(found.values()))
    return found
