"""Charge waiting to what was waited for.

In raw windows all threads are seen span by span. For each wait of the driver the thread that ended it is
known (who notified, who holds the pipe's other end); what that thread was doing meanwhile is the cause.
The split found there is applied to the exact waiting times of the whole run.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from goldsplit.analyse.wall.between_messages import handovers
from goldsplit.analyse.wall.one_lock import holders, on_core_by_stage, processes_under_one_lock
from goldsplit.analyse.wall.timeline import GAP, Segment, SegmentRow, ThreadTimeline
from goldsplit.analyse.wall.unseen import unseen_work
from goldsplit.model.recording import RECORDER_THREADS, ProcessId, ProcessRecord, ThreadKey
from goldsplit.model.stage import VEC_SEND
from goldsplit.model.wire import WaitDetail

if TYPE_CHECKING:
    from goldsplit.analyse.device.device_causes import DeviceCauses

MAX_DEPTH = 4
#: So many threads that worked while another one was waited for are looked at.
MOST_HOLDING_UP = 6
#: A gap between spans this long is not the recorder's: the thread ran other code, or had lost the lock.
LOCK_LOSS_NS = 500_000
#: How far back to look for the message that ended a wait.
SENT_WITHIN_NS = 20_000_000
#: So many waits are explained, spread over at least so many raw windows.
MOST_WAITS, LEAST_WINDOWS = 12_000, 100


class Cause(NamedTuple):
    """What some waiting was for. An empty stage: nothing was seen to explain it."""

    stage: str
    thread: ThreadKey | None


UNKNOWN = Cause("", None)


@dataclass(slots=True)
class WaitEvidence:
    """What raw windows say about one waiting node of the driver."""

    by_window: list[Counter[Cause]] = field(default_factory=list)

    def shares(self) -> dict[Cause, float]:
        """Cause → share of the waiting that was seen."""
        total: Counter[Cause] = Counter()
        for window in self.by_window:
            total.update(window)
        seen = sum(total.values())
        return {cause: ns / seen for cause, ns in total.items()} if seen else {}

    def half_widths(self, shares: Mapping[Cause, float]) -> dict[Cause, float]:
        """How far a cause's share varies between raw windows: 1.96 standard errors of a ratio of sums."""
        if len(self.by_window) < 2:
            return {}
        totals = [sum(window.values()) for window in self.by_window]
        mean_total = sum(totals) / len(totals)
        if not mean_total:
            return {}
        widths = {}
        for cause, share in shares.items():
            pairs = zip(self.by_window, totals, strict=True)
            errors = [window[cause] - share * total for window, total in pairs]
            variance = sum(error * error for error in errors) / (len(errors) - 1)
            widths[cause] = 1.96 * (variance / len(errors)) ** 0.5 / mean_total
        return widths


class CauseFinder:
    """Knows all threads' timelines and who is at the other end of each channel."""

    def __init__(
        self, processes: list[ProcessRecord], works_outside: frozenset[ThreadKey] = frozenset()
    ) -> None:
        """`works_outside`: threads that samples show at work in no span."""
        self.processes = {process.id: process for process in processes}
        self.timelines: dict[ThreadKey, ThreadTimeline] = {}
        self.by_native_id: dict[int, ThreadKey] = {}
        self.main_thread: dict[int, ThreadKey] = {}
        users: dict[int, list[ThreadKey]] = defaultdict(list)
        for process in processes:
            for thread in process.threads.values():
                if thread.name in RECORDER_THREADS:
                    continue
                key = ThreadKey(process.id, thread.index)
                self.timelines[key] = ThreadTimeline(process, thread.index, key in works_outside)
                self.by_native_id[thread.native_id] = key
                if thread.native_id == process.pid:
                    self.main_thread[process.pid] = key  # of the last life: processes are in order
            for (index, _), info in process.nodes.items():
                inode = number_in(info.detail, WaitDetail.PIPE)
                if inode is not None:
                    key = ThreadKey(process.id, index)
                    if key in self.timelines and key not in users[inode]:
                        users[inode].append(key)
        self.device: DeviceCauses | None = None
        """What the driver's waits for the device were for; None: no device was looked at."""
        self.users_of_inode = users
        self.other_end: dict[int, int] = {}
        for process in processes:
            for near, far in process.pipes:
                self.other_end[near], self.other_end[far] = far, near
        self._under_one_lock = processes_under_one_lock(processes)
        self._on_core: dict[ProcessId, dict[str, float]] = {}
        self._unseen = unseen_work(self.timelines.values())
        self._sends: dict[tuple[ThreadKey, str], SegmentRow] = {}
        self._explained: dict[tuple[ThreadKey, int, int], dict[int, Counter[Cause]]] = {}
        self._gaps: dict[tuple[ThreadKey, int, int], Counter[Cause]] = {}

    def waker(self, waiter: ThreadKey, detail: str, end_ns: int = 0) -> ThreadKey | None:
        """The thread at the other side of a wait that ended at `end_ns`, if its detail names one."""
        thread_id = number_in(detail, WaitDetail.THREAD)
        if thread_id is not None:
            return self.by_native_id.get(thread_id)
        pid = number_in(detail, WaitDetail.PROCESS)
        if pid is not None:
            return self.main_thread.get(pid)
        inode = number_in(detail, WaitDetail.PIPE)
        if inode is None:
            return None
        far = self.other_end.get(inode, inode)
        users = [key for key in self.users_of_inode.get(far, []) if key != waiter]
        if len(users) > 1:  # a queue: the thread that sent last before the wait ended
            return max(users, key=lambda key: self._sent_before(key, f"{WaitDetail.PIPE}{far}", end_ns))
        return users[0] if users else None

    def _sent_before(self, sender: ThreadKey, channel: str, end_ns: int) -> int:
        """When a thread last began to send through a channel before an instant; 0 if never."""
        if (sender, channel) not in self._sends:
            timeline = self.timelines[sender]
            nodes = {
                node
                for (index, node), info in timeline.process.nodes.items()
                if index == sender.thread and info.stage == VEC_SEND and info.detail == channel
            }
            self._sends[sender, channel] = timeline.row.only(nodes)
        sent = self._sends[sender, channel].last(end_ns - SENT_WITHIN_NS, end_ns)
        return sent[0] if sent is not None else 0

    def evidence(self, driver: ThreadKey, start_ns: int, end_ns: int) -> dict[int, WaitEvidence]:
        """For each waiting node of the driver: its causes, window by window."""
        found: dict[int, WaitEvidence] = defaultdict(WaitEvidence)
        for seen in self.seen(driver, start_ns, end_ns):
            key = (driver, *seen)
            if key not in self._explained:
                self._explained[key] = self._explain_window(driver, *seen)
            for node, causes in self._explained[key].items():
                found[node].by_window.append(causes)
        return found

    def seen(self, driver: ThreadKey, start_ns: int, end_ns: int) -> list[tuple[int, int]]:
        """The driver's raw windows in a period, cut to it: what lies outside (start-up, above all) says
        nothing about it."""
        timeline = self.timelines.get(driver)
        return [
            (max(window.start_ns, start_ns), min(window.end_ns, end_ns))
            for window in (timeline.windows[:: self._every(driver)] if timeline is not None else ())
            if window.end_ns > start_ns and window.start_ns < end_ns
        ]

    def _every(self, driver: ThreadKey) -> int:
        """Every how many raw windows one is explained: a run of hours has far more waits than are needed."""
        timeline = self.timelines[driver]
        wanted = -(-len(timeline.waits) // MOST_WAITS)
        return max(1, min(wanted, len(timeline.windows) // LEAST_WINDOWS))

    def _explain_window(self, driver: ThreadKey, start_ns: int, end_ns: int) -> dict[int, Counter[Cause]]:
        """The causes of each waiting node in (a part of) one raw window."""
        timeline = self.timelines[driver]
        found: dict[int, Counter[Cause]] = defaultdict(Counter)
        for wait in timeline.waits.between(start_ns, end_ns):
            if not _in_deep_look(timeline.process, wait.start_ns):
                detail = timeline.owners[wait.node].detail
                found[wait.node].update(self.explain(driver, wait.start_ns, wait.end_ns, detail, 0))
        return found

    def explain(
        self, waiter: ThreadKey, start_ns: int, end_ns: int, detail: str, depth: int
    ) -> Counter[Cause]:
        """Split one wait by what the thread that ended it was doing meanwhile."""
        waker = self.waker(waiter, detail, end_ns) or self.last_at_work(waiter, start_ns, end_ns)
        causes: Counter[Cause] = Counter()
        if waker is None or waker == waiter:
            causes[UNKNOWN] = self._seen_ns(start_ns, end_ns)
            return +causes
        timeline = self.timelines[waker]
        for segment in timeline.between(start_ns, end_ns):
            length = segment.end_ns - segment.start_ns
            owner = timeline.owners.get(segment.node)
            if segment.node in timeline.working and waker.process in self._under_one_lock:
                causes.update(self._under_lock(waiter, waker, segment))
            elif segment.node in timeline.working and segment.node != GAP:
                causes[Cause(timeline.working[segment.node], waker)] += length
            elif (task := timeline.task_at((segment.start_ns + segment.end_ns) // 2)) is not None:
                causes[Cause(timeline.process.nodes[waker.thread, task].stage, waker)] += length
            elif segment.node in timeline.working:
                causes[Cause(timeline.working[segment.node], waker)] += length
            elif owner is not None and owner.waiting and owner.detail and depth < MAX_DEPTH:
                causes.update(self.explain(waker, segment.start_ns, segment.end_ns, owner.detail, depth + 1))
            else:
                sending = owner.stage if owner is not None and not owner.waiting else ""
                causes.update(self._held_up(waiter, Cause(sending, waker), segment))
        return causes

    def _under_lock(self, waiter: ThreadKey, waker: ThreadKey, wait: Segment) -> Counter[Cause]:
        """Split a wait for one of several threads under one lock by who had the lock meanwhile."""
        team = {
            key: timeline
            for key, timeline in self.timelines.items()
            if key.process == waker.process and key != waiter and timeline.work
        }
        causes: Counter[Cause] = Counter()
        if waker.process not in self._on_core:
            self._on_core[waker.process] = on_core_by_stage(team.values())
        for key, segment in holders(team, self._on_core[waker.process], wait.start_ns, wait.end_ns):
            causes[Cause(team[key].working[segment.node], key)] += segment.end_ns - segment.start_ns
        return causes

    def _held_up(
        self, waiter: ThreadKey, otherwise: Cause, wait: Segment, without: frozenset[ThreadKey] = frozenset()
    ) -> Counter[Cause]:
        """The thread waited for was not at work itself. Threads that were at work meanwhile held it up (they
        had the processor, or the interpreter's lock), or had to be waited for anyway; where none was, the
        cause is `otherwise`."""
        causes: Counter[Cause] = Counter()
        other = None
        if len(without) < MOST_HOLDING_UP:
            other = self.last_at_work(waiter, wait.start_ns, wait.end_ns, without=without)
        if other is None:
            causes[otherwise] += self._seen_ns(wait.start_ns, wait.end_ns)
            return +causes
        timeline = self.timelines[other]
        at = wait.start_ns
        work = timeline.work.between(wait.start_ns, wait.end_ns)
        for segment in (*work, Segment(wait.end_ns, wait.end_ns, GAP)):
            if segment.start_ns > at:
                rest = Segment(at, segment.start_ns, wait.node)
                causes.update(self._held_up(waiter, otherwise, rest, without | {other}))
            if segment.end_ns > segment.start_ns:
                causes[Cause(timeline.working[segment.node], other)] += segment.end_ns - segment.start_ns
            at = segment.end_ns
        return causes

    def _seen_ns(self, start_ns: int, end_ns: int) -> int:
        """How much of a period all threads that work were seen in: only then it means something that none
        was at work."""
        return end_ns - start_ns - self._unseen.length_ns(start_ns, end_ns)

    def work_of(self, thread: ThreadKey, during: Segment) -> Counter[Cause]:
        """What one thread worked at during a period."""
        causes: Counter[Cause] = Counter()
        timeline = self.timelines[thread]
        for segment in timeline.work.between(during.start_ns, during.end_ns):
            causes[Cause(timeline.working[segment.node], thread)] += segment.end_ns - segment.start_ns
        return causes

    def last_at_work(
        self,
        waiter: ThreadKey,
        start_ns: int,
        end_ns: int,
        process: ProcessId | None = None,
        without: frozenset[ThreadKey] = frozenset(),
    ) -> ThreadKey | None:
        """The thread (of one process, or any) whose work inside a period ended last."""
        best: tuple[int, ThreadKey] | None = None
        for key, timeline in self.timelines.items():
            if key == waiter or key in without or (process is not None and key.process != process):
                continue
            worked = timeline.work.last(start_ns, end_ns)
            if worked is not None and (best is None or worked[1] > best[0]):
                best = (worked[1], key)
        return best[1] if best else None

    def gaps(self, driver: ThreadKey, start_ns: int, end_ns: int) -> WaitEvidence:
        """What the gaps between the driver's spans were for. With a thread: it had the interpreter's lock, so
        that the driver could not go on; with a stage only: messages; with neither: not known."""
        evidence = WaitEvidence()
        for seen in self.seen(driver, start_ns, end_ns):
            key = (driver, *seen)
            if key not in self._gaps:
                self._gaps[key] = self._gaps_in(driver, *seen)
            evidence.by_window.append(self._gaps[key])
        return evidence

    def _gaps_in(self, driver: ThreadKey, start_ns: int, end_ns: int) -> Counter[Cause]:
        """The gaps between the driver's spans in (a part of) one raw window."""
        causes: Counter[Cause] = Counter()
        timeline = self.timelines[driver]
        row = timeline.between(start_ns, end_ns)
        for gap in row:
            if gap.node != GAP:
                continue
            causes.update(self._lost_in(driver, gap))
            causes[UNKNOWN] += gap.end_ns - gap.start_ns
        for gap, stage in handovers(row, timeline.owners):
            causes[Cause(stage, None)] += gap.end_ns - gap.start_ns
        causes[UNKNOWN] -= sum(ns for cause, ns in causes.items() if cause != UNKNOWN)
        return causes

    def _lost_in(self, driver: ThreadKey, gap: Segment) -> Counter[Cause]:
        """Who worked in the driver's process during a long gap.

        The interpreter's lock is lost where functions begin, so mostly just outside a span. The caller
        checks by the driver's CPU time whether it really stood still.
        """
        if gap.end_ns - gap.start_ns < LOCK_LOSS_NS:
            return Counter()
        other = self.last_at_work(driver, gap.start_ns, gap.end_ns, process=driver.process)
        return self.work_of(other, gap) if other is not None else Counter()


def _in_deep_look(process: ProcessRecord, t_ns: int) -> bool:
    """Whether an instant lies in a window of the deep look, where nothing takes its usual time."""
    return any(start <= t_ns < end for start, end in process.deep_windows)


def number_in(detail: str, kind: str) -> int | None:
    """The number after the beginning of a wait's detail; None where the detail is of another kind."""
    if not detail.startswith(kind):
        return None
    number = detail.removeprefix(kind)
    return int(number) if number.isdecimal() else None
