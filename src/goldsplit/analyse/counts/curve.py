"""How far a training had come at each instant, for comparing trials over the same env steps."""

from __future__ import annotations

from bisect import bisect_right

from goldsplit.analyse.counts.facts import facts
from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.intermediate import Intermediate
from goldsplit.analyse.wall.ownership import ROOT, TASKS
from goldsplit.model.experiment.trial import Point
from goldsplit.model.fact_wire import FactKind
from goldsplit.model.recording import Recording
from goldsplit.model.stage import WAITING
from goldsplit.model.wire import Counter

MOST_POINTS = 200
_END = 1 << 62


def curve(found: Intermediate) -> list[Point]:
    """Cumulative figures from the first env step to the last step or update."""
    steady = found.steady
    first, last = steady.first_step_ns, steady.last_step_ns
    inside = [t for t in found.own.times if first < t < last]
    every = -(-len(inside) // MOST_POINTS) or 1
    foreign = _foreign_cpu(found.recording)
    return [_point(found, foreign, t) for t in [first, *inside[::every], last]]


def _point(found: Intermediate, foreign: list[tuple[int, float]], t_ns: int) -> Point:
    first, last = found.steady.first_step_ns, found.steady.last_step_ns
    # A count is known at snapshots. That of the last step is in the one after it, that of the first is 0.
    asked = _END if t_ns == last else t_ns
    made = found.counting.at(asked)
    own = [cpu for series in found.series.values() if (cpu := _cpu_seconds(series, t_ns)) is not None]
    return Point(
        round((t_ns - first) / 1e9, 6),
        made.env_steps,
        made.updates,
        made.episodes,
        round(sum(own) + _between(foreign, t_ns), 6) if own else None,
    )


def _cpu_seconds(series: Series, t_ns: int) -> float | None:
    """A process's CPU seconds at an instant between two of its snapshots; None: it counted none."""
    name = f"0:{Counter.PROCESS_CPU_NS}"
    if name not in series.counters():
        return None
    times = series.times
    place = bisect_right(times, t_ns)
    if place == 0:
        return 0.0
    if place == len(times):
        return series.count(name, times[-1]) / 1e9
    known = [(t, series.count(name, t) / 1e9) for t in times[place - 1 : place + 1]]
    return _between(known, t_ns)


def _foreign_cpu(recording: Recording) -> list[tuple[int, float]]:
    """CPU seconds of the processes that did not record themselves (servers, emulators), over time."""
    own = {process.pid for process in recording.processes}
    most: dict[int, float] = {}
    found = []
    for sample in recording.system:
        for pid, process in sample.processes.items():
            if pid not in own:
                most[pid] = max(most.get(pid, 0.0), process.cpu_seconds)
        found.append((sample.t_ns, sum(most.values())))
    return found


def _between(known: list[tuple[int, float]], t_ns: int) -> float:
    """A figure that grows, at an instant: on the line between the two known ones around it."""
    place = bisect_right(known, (t_ns, float("inf")))
    if place == 0:
        return 0.0
    if place == len(known):
        return known[-1][1]
    (t0, a), (t1, b) = known[place - 1], known[place]
    return a + (b - a) * (t_ns - t0) / max(1, t1 - t0)


def counts_per_step(found: Intermediate) -> dict[str, float]:
    """What does not depend on the machine, per env step of the whole run: calls of each stage, updates,
    episodes, bytes sent."""
    made = found.counting.at(_END)
    if not made.env_steps:
        return {}
    totals: dict[str, float] = {}
    if made.updates is not None:
        totals["updates"] = made.updates
    if made.episodes is not None:
        totals["episodes"] = made.episodes
    for series in found.series.values():
        for key, info in series.process.nodes.items():
            if key[1] not in (ROOT, TASKS) and info.stage not in WAITING:
                name = f"calls of {info.stage}"
                totals[name] = totals.get(name, 0) + series.node(key, _END).count
    sent = [fact.amount for fact in facts(found.series, {}) if fact.kind == FactKind.MESSAGE]
    if sent:
        totals["bytes sent"] = sum(sent)
    return {name: total / made.env_steps for name, total in sorted(totals.items())}
