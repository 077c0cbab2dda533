"""Time in the driver's own spans during which another thread of its process had the interpreter's lock.

A learner beside a busy Python thread (a game server in a loop of its own, say) stands still in the middle of
its work: its spans are long, and it hardly computes. What holds it up is the work of the other thread. Spans
and CPU clocks tell how long it stood still, the CPU clocks of the other threads how much of that they
computed. Small losses are left where they are: there clocks of spans and threads are too coarse.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.wall.account import DRIVER, Account, Waits
from goldsplit.analyse.wall.ownership import ROOT
from goldsplit.analyse.wall.timeline import IN_NO_STAGE
from goldsplit.model.recording import RECORDER_THREADS, ThreadKey

#: Losses below this part of the wall time stay in the stages in which they were.
LEAST_LOST = 0.2
#: Threads that together compute longer than this part of the wall time do so beside each other: no lock.
MOST_OF_ONE_CORE = 1.15


@dataclass(slots=True)
class LostLock:
    """What the driver's stages lost, and to whom."""

    taken: dict[str, float] = field(default_factory=dict)
    """Stage of the driver's spans → nanoseconds in which it stood still."""
    given: dict[tuple[ThreadKey, str], float] = field(default_factory=dict)
    """Thread and stage of its span → nanoseconds that it had the lock meanwhile."""


def lost_lock(
    series: Series,
    driver: ThreadKey,
    borders: tuple[int, int],
    still_ns: float,
    charged: Mapping[ThreadKey, int],
    account: Account,
) -> LostLock:
    """How much of the driver's spans was really the work of other threads. `still_ns`: how long it neither
    computed nor queued for a core nor waited in a known way; `charged`: what its waits gave them already."""
    wall_ns, (cpu_ns, _) = series.wall_ns(*borders), series.thread_cpu(driver.thread, *borders)
    computed = {
        thread: ns
        for index, one in series.process.threads.items()
        if index != driver.thread and one.name not in RECORDER_THREADS
        for thread in [ThreadKey(driver.process, index)]
        if (ns := series.thread_cpu(index, *borders)[0] - charged.get(thread, 0)) > 0
    }
    stood_still = standing_still(series, driver, borders, account)
    lost_ns = min(still_ns, sum(stood_still.values()), sum(computed.values()))
    beside_each_other = cpu_ns + sum(computed.values()) > MOST_OF_ONE_CORE * wall_ns
    if lost_ns <= 0 or lost_ns < LEAST_LOST * wall_ns or beside_each_other:
        return LostLock()
    part = lost_ns / sum(stood_still.values())
    found = LostLock({stage: ns * part for stage, ns in stood_still.items()})
    for thread, ns in computed.items():
        for stage, share in worked_in(series, thread, borders, ns).items():
            found.given[thread, stage] = lost_ns * share * ns / sum(computed.values())
    return found


def charge_lock(
    lost: LostLock, direct: dict[str, float], waits: Waits, charged: Counter[ThreadKey], account: Account
) -> float:
    """Give what the driver's stages lost to the threads that had the lock meanwhile; how much that was."""
    for stage, ns in lost.taken.items():
        direct[stage] -= min(ns, direct[stage])
    for (thread, stage), ns in lost.given.items():
        waits[account.kind(thread), stage].ns += ns
        charged[thread] += int(ns)
    return sum(lost.given.values())


def standing_still(
    series: Series, driver: ThreadKey, borders: tuple[int, int], account: Account
) -> dict[str, float]:
    """Stage → time in the driver's spans without a core, where samples do not show it asleep there."""
    direct: dict[str, float] = defaultdict(float)
    still: dict[str, float] = defaultdict(float)
    for node, ns in series.self_times(driver.thread, *borders).items():
        owner, totals = series.owner_of(driver.thread, node), series.node((driver.thread, node), borders[1])
        if owner.stage and not owner.waiting and ns > 0 and totals.cpu_wall_ns:
            direct[owner.stage] += ns
            still[owner.stage] += ns * (1.0 - min(1.0, totals.cpu_ns / totals.cpu_wall_ns))
    groups = account.groups(DRIVER, direct)
    for stage in still:
        rows = groups[stage].rows if stage in groups else []
        asleep = sum(count for row, count in rows if row.meaning.waiting)
        still[stage] *= 1.0 - (asleep / sum(count for _, count in rows) if asleep else 0.0)
    return {stage: ns for stage, ns in still.items() if ns > 0}


def worked_in(series: Series, thread: ThreadKey, borders: tuple[int, int], cpu_ns: int) -> dict[str, float]:
    """Stage of a thread's spans → part of the time that it computed; the rest was outside of them."""
    spans: dict[str, float] = defaultdict(float)
    for node, ns in series.self_times(thread.thread, *borders).items():
        owner = series.owner_of(thread.thread, node)
        if node != ROOT and owner.stage and not owner.waiting and ns > 0:
            spans[owner.stage] += ns
    whole = max(float(cpu_ns), sum(spans.values()))
    parts = {stage: ns / whole for stage, ns in spans.items()}
    rest = 1.0 - sum(parts.values())
    return {**parts, IN_NO_STAGE: rest} if rest > 0 else parts
