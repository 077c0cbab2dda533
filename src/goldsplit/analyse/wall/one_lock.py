"""Threads that share one interpreter's lock: many seem to be at work, one computes.

A thread that waits for the lock stays in the span (or between two spans) in which it lost it, for
milliseconds; the one that has the lock goes from span to span meanwhile. So of all threads that seem to be at
work at an instant, the one whose segment is as long as its work needs has the lock, and the instant is its.
What the work needs is the usual length of such segments; where clocks of the processor show that threads
mostly stand still in them (NumPy gives the lock away in each call), it is the part in which they do not.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter

from goldsplit.analyse.wall.ownership import ROOT, TASKS, is_task, owner_of
from goldsplit.analyse.wall.timeline import Segment, ThreadTimeline
from goldsplit.model.recording import RECORDER_THREADS, NodeTotals, ProcessId, ProcessRecord, ThreadKey

#: Threads that have a core (or queue for one) for less than this part of their time in spans share a lock.
_MOST_ON_CORE = 0.85
#: So do threads that together had a core for hardly longer than one of them was in its spans.
_MOST_OF_ONE = 1.15
#: A segment so many times as long as always: its thread had not the lock, or no core.
_STUCK = 50.0
#: A thread that worked less than this, or than this part of the busiest one's work, is none of them.
_LEAST_WORK_NS = 50_000_000
_LEAST_PART = 0.2
#: Calls with a clock of the processor, and their mean length, from which on these clocks say how long a stage
#: has a core; and the least that they can say.
_LEAST_CLOCKED, _LEAST_CLOCKED_NS = 8, 500_000
_LEAST_ON_CORE = 0.005


def processes_under_one_lock(processes: Iterable[ProcessRecord]) -> frozenset[ProcessId]:
    """The processes in which several threads work in spans, and are held up there: neither have they a core
    nor do they queue for one."""
    found = set()
    for process in processes:
        threads = [one.index for one in process.threads.values() if one.name not in RECORDER_THREADS]
        if len(threads) < 2 or not process.snapshots:
            continue
        worked = {one: ns for one, ns in _worked_ns(process).items() if one in threads}
        least_ns = max(_LEAST_WORK_NS, _LEAST_PART * max(worked.values(), default=0))
        team = {one: ns for one, ns in worked.items() if ns >= least_ns}
        if len(team) > 1 and _is_held_up(process, team):
            found.add(process.id)
    return frozenset(found)


def _is_held_up(process: ProcessRecord, worked: dict[int, int]) -> bool:
    """Whether threads, each with its time in spans, did not compute beside each other."""
    figures: dict[int, tuple[int, int]] = {}
    for snapshot in process.snapshots:
        figures |= snapshot.threads
    if not worked.keys() <= figures.keys():
        return False
    computed = sum(min(ns, figures[thread][0]) for thread, ns in worked.items())
    running = sum(min(ns, sum(figures[thread])) for thread, ns in worked.items())
    return running <= _MOST_ON_CORE * sum(worked.values()) or computed <= _MOST_OF_ONE * max(worked.values())


def _worked_ns(process: ProcessRecord) -> dict[int, int]:
    """Each thread's time in spans that do not wait, over the whole run."""
    totals: dict[tuple[int, int], int] = {}
    for snapshot in process.snapshots:
        totals |= {key: figures.total_ns for key, figures in snapshot.nodes.items()}
    worked: dict[int, int] = defaultdict(int)
    for (thread, node), ns in totals.items():
        info = process.nodes.get((thread, node))
        if info is None or node in (ROOT, TASKS) or is_task(process, thread, node):
            continue
        if not owner_of(process, thread, node).waiting:
            worked[thread] += ns
        if info.parent not in (ROOT, TASKS) and not owner_of(process, thread, info.parent).waiting:
            worked[thread] -= ns
    return worked


def on_core_by_stage(timelines: Iterable[ThreadTimeline]) -> dict[str, float]:
    """Stage → the part of its time in which threads had a core, by clocks of the processor around single
    calls, of all these threads together; stages with too few or too short ones are left out."""
    clocked: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for timeline in timelines:
        totals: dict[int, NodeTotals] = {}
        for snapshot in timeline.process.snapshots:
            totals |= {
                node: one for (thread, node), one in snapshot.nodes.items() if thread == timeline.thread
            }
        for node, stage in timeline.working.items():
            if node in totals:
                one = totals[node]
                for place, value in enumerate((one.cpu_count, one.cpu_ns, one.cpu_wall_ns)):
                    clocked[stage][place] += value
    return {
        stage: max(_LEAST_ON_CORE, min(1.0, cpu_ns / wall_ns))
        for stage, (calls, cpu_ns, wall_ns) in clocked.items()
        if calls >= _LEAST_CLOCKED and wall_ns >= _LEAST_CLOCKED_NS * calls
    }


def holders(
    timelines: dict[ThreadKey, ThreadTimeline], on_core: Mapping[str, float], start_ns: int, end_ns: int
) -> Iterator[tuple[ThreadKey, Segment]]:
    """Who of some threads had the lock, instant by instant. Instants at which one of them was not looked at,
    or none went on with its work, are left out. `on_core`: see `on_core_by_stage`."""
    events: list[tuple[int, float, ThreadKey, Segment]] = []
    last_ns = end_ns
    for key, timeline in timelines.items():
        row, typical = timeline.between(start_ns, end_ns), timeline.typical_ns
        for one in row:
            length = one.end_ns - one.start_ns
            needed = typical[one.node] * on_core.get(timeline.working.get(one.node, ""), 1.0)
            events.append((one.start_ns, length / max(needed, 1.0), key, one))
        last_ns = min(last_ns, row[-1].end_ns if row else start_ns)
    events.sort(key=itemgetter(0))
    times = sorted({start_ns, last_ns, *(at for at, *_ in events if start_ns < at < last_ns)})
    working: list[tuple[float, ThreadKey, Segment]] = []
    place = 0
    for at, until in itertools.pairwise(times):
        while place < len(events) and events[place][0] <= at:
            _, stay, key, segment = events[place]
            if segment.node in timelines[key].working:
                working.append((stay, key, segment))
            place += 1
        working = [one for one in working if one[2].end_ns > at]
        if not working:
            continue
        stay, key, segment = min(working, key=itemgetter(0))
        if len(working) == 1 or stay <= _STUCK:
            yield key, Segment(at, until, segment.node)
