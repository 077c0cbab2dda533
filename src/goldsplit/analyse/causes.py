"""Charge waiting to what was waited for.

In raw windows all threads are seen span by span. For each wait of the driver the thread that ended it is
known (who notified, who holds the pipe's other end); what that thread was doing meanwhile is the cause.
The split found there is applied to the exact waiting times of the whole run.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TypeGuard

from goldsplit.analyse.ownership import Owner, owner_of
from goldsplit.analyse.timeline import GAP, Segment, ThreadTimeline
from goldsplit.model.recording import RECORDER_THREADS, ProcessRecord

ThreadKey = tuple[int, int]
"""Process id and thread index."""

MAX_DEPTH = 4
#: A gap between spans this long is no bookkeeping: the thread ran other code, or had lost the lock.
LOCK_LOSS_NS = 500_000
#: How far back to look for the message that ended a wait.
SENT_WITHIN_NS = 20_000_000


@dataclass(frozen=True, slots=True)
class Cause:
    """What a stretch of waiting was for. An empty stage: nothing was seen to explain it."""

    stage: str
    thread: ThreadKey | None


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


def works(owner: Owner | None) -> TypeGuard[Owner]:
    """Whether a thread is at work in a stage: neither waiting nor merely passing messages."""
    return (
        owner is not None and bool(owner.stage) and not owner.waiting and not owner.stage.startswith("vec.")
    )


class CauseFinder:
    """Knows all threads' timelines and who is at the other end of each channel."""

    def __init__(self, processes: list[ProcessRecord]) -> None:
        self.processes = {process.pid: process for process in processes}
        self.timelines: dict[ThreadKey, ThreadTimeline] = {}
        self.by_native_id: dict[int, ThreadKey] = {}
        self.main_thread: dict[int, ThreadKey] = {}
        users: dict[int, list[ThreadKey]] = defaultdict(list)
        for process in processes:
            for thread in process.threads.values():
                if thread.name in RECORDER_THREADS:
                    continue
                key = (process.pid, thread.index)
                self.timelines[key] = ThreadTimeline(process, thread.index)
                self.by_native_id[thread.native_id] = key
                if thread.native_id == process.pid:
                    self.main_thread[process.pid] = key
            for (index, _), info in process.nodes.items():
                if info.detail.startswith("pipe:") and info.detail[5:].isdecimal():
                    inode = int(info.detail[5:])
                    if (process.pid, index) not in users[inode]:
                        users[inode].append((process.pid, index))
        self.users_of_inode = users
        self.other_end: dict[int, int] = {}
        for process in processes:
            for near, far in process.pipes:
                self.other_end[near], self.other_end[far] = far, near

    def waker(self, waiter: ThreadKey, detail: str, end_ns: int = 0) -> ThreadKey | None:
        """The thread at the other side of a wait that ended at `end_ns`, if its detail names one."""
        kind, _, value = detail.partition(":")
        if not value.isdecimal():
            return None
        if kind == "t":
            return self.by_native_id.get(int(value))
        if kind == "pid":
            return self.main_thread.get(int(value))
        if kind == "pipe":
            inode = int(value)
            far = self.other_end.get(inode, inode)
            users = [key for key in self.users_of_inode.get(far, []) if key != waiter]
            if len(users) > 1:  # a queue: whoever sent last before the wait ended
                return max(users, key=lambda key: self._sent_before(key, f"pipe:{far}", end_ns))
            return users[0] if users else None
        return None

    def _sent_before(self, thread: ThreadKey, channel: str, end_ns: int) -> int:
        """When a thread last began to send through a channel before an instant; 0 if never."""
        timeline = self.timelines[thread]
        for segment in reversed(timeline.between(end_ns - SENT_WITHIN_NS, end_ns)):
            info = timeline.process.nodes.get((thread[1], segment.node))
            if info is not None and info.stage == "vec.send" and info.detail == channel:
                return segment.start_ns
        return 0

    def evidence(self, driver: ThreadKey, start_ns: int, end_ns: int) -> dict[int, WaitEvidence]:
        """For each waiting node of the driver: its causes, window by window."""
        timeline = self.timelines.get(driver)
        found: dict[int, WaitEvidence] = defaultdict(WaitEvidence)
        if timeline is None:
            return found
        owners: dict[int, Owner] = {}
        for window in timeline.windows:
            if window.end_ns <= start_ns or window.start_ns >= end_ns:
                continue
            in_window: dict[int, Counter[Cause]] = defaultdict(Counter)
            for segment in timeline.between(window.start_ns, window.end_ns):
                if segment.node == GAP or _was_looked_at(timeline.process, segment.start_ns):
                    continue
                owner = owners.setdefault(segment.node, owner_of(timeline.process, driver[1], segment.node))
                if owner.waiting:
                    causes = self.explain(driver, segment.start_ns, segment.end_ns, owner.detail, 0)
                    in_window[segment.node].update(causes)
            for node, causes in in_window.items():
                found[node].by_window.append(causes)
        return found

    def explain(
        self, waiter: ThreadKey, start_ns: int, end_ns: int, detail: str, depth: int
    ) -> Counter[Cause]:
        """Split one wait by what the thread that ended it was doing meanwhile."""
        waker = self.waker(waiter, detail, end_ns) or self.last_at_work(waiter, start_ns, end_ns)
        causes: Counter[Cause] = Counter()
        if waker is None or waker == waiter:
            causes[Cause("", None)] = end_ns - start_ns
            return causes
        timeline = self.timelines[waker]
        for segment in timeline.between(start_ns, end_ns):
            length = segment.end_ns - segment.start_ns
            task = timeline.task_at((segment.start_ns + segment.end_ns) // 2)
            owner = owner_of(timeline.process, waker[1], segment.node) if segment.node != GAP else None
            if works(owner):
                causes[Cause(owner.stage, waker)] += length
            elif task is not None:
                causes[Cause(timeline.process.nodes[waker[1], task].stage, waker)] += length
            elif owner is not None and owner.waiting and owner.detail and depth < MAX_DEPTH:
                causes.update(self.explain(waker, segment.start_ns, segment.end_ns, owner.detail, depth + 1))
            else:
                sending = owner.stage if owner is not None and not owner.waiting else ""
                causes.update(self._held_up(waiter, Cause(sending, waker), segment))
        return causes

    def _held_up(self, waiter: ThreadKey, otherwise: Cause, wait: Segment) -> Counter[Cause]:
        """The thread waited for was not at work itself. Whoever was at work meanwhile held it up (it had
        the processor, or the interpreter's lock), or was to be waited for anyway; where nobody was, it is
        `otherwise`."""
        causes: Counter[Cause] = Counter()
        left = wait.end_ns - wait.start_ns
        other = self.last_at_work(waiter, wait.start_ns, wait.end_ns)
        if other is not None:
            for cause, length in self._work_of(other, wait).items():
                causes[cause] += length
                left -= length
        if left > 0:
            causes[otherwise] += left
        return causes

    def _work_of(self, thread: ThreadKey, during: Segment) -> Counter[Cause]:
        """What one thread worked at during a stretch of time."""
        causes: Counter[Cause] = Counter()
        timeline = self.timelines[thread]
        for segment in timeline.between(during.start_ns, during.end_ns):
            owner = owner_of(timeline.process, thread[1], segment.node) if segment.node != GAP else None
            if works(owner):
                causes[Cause(owner.stage, thread)] += segment.end_ns - segment.start_ns
        return causes

    def last_at_work(
        self, waiter: ThreadKey, start_ns: int, end_ns: int, process: int | None = None
    ) -> ThreadKey | None:
        """The thread (of one process, or any) whose work inside a stretch of time ended last."""
        best: tuple[int, ThreadKey] | None = None
        for key, timeline in self.timelines.items():
            if key == waiter or (process is not None and key[0] != process):
                continue
            for segment in reversed(timeline.between(start_ns, end_ns)):
                if segment.node != GAP and works(owner_of(timeline.process, key[1], segment.node)):
                    if best is None or segment.end_ns > best[0]:
                        best = (segment.end_ns, key)
                    break
        return best[1] if best else None

    def lock_losses(self, driver: ThreadKey, start_ns: int, end_ns: int) -> WaitEvidence:
        """Long gaps between the driver's spans while another thread of its process worked.

        The interpreter's lock is lost where functions begin, so mostly just outside a span. Whether the
        driver really stood still is for the caller to check by its CPU time.
        """
        evidence = WaitEvidence()
        timeline = self.timelines.get(driver)
        if timeline is None:
            return evidence
        for window in timeline.windows:
            if window.end_ns <= start_ns or window.start_ns >= end_ns:
                continue
            causes: Counter[Cause] = Counter()
            for gap in timeline.between(window.start_ns, window.end_ns):
                length = gap.end_ns - gap.start_ns
                if gap.node != GAP:
                    continue
                other = None
                if length >= LOCK_LOSS_NS:
                    other = self.last_at_work(driver, gap.start_ns, gap.end_ns, process=driver[0])
                worked = self._work_of(other, gap) if other is not None else Counter()
                causes.update(worked)
                causes[Cause("", None)] += length - sum(worked.values())
            evidence.by_window.append(causes)
        return evidence

    def barrier_share(self, worker: ThreadKey, driver: ThreadKey) -> float | None:
        """Of a worker's waiting, the share in which the driver was waiting too: this one had finished, so it
        was for another."""
        mine, drivers = self.timelines.get(worker), self.timelines.get(driver)
        if mine is None or drivers is None:
            return None
        waiting = both = 0
        for segment in mine.segments:
            if segment.node == GAP or not owner_of(mine.process, worker[1], segment.node).waiting:
                continue
            for other in drivers.between(segment.start_ns, segment.end_ns):
                length = other.end_ns - other.start_ns
                waiting += length
                if other.node != GAP and owner_of(drivers.process, driver[1], other.node).waiting:
                    both += length
        return both / waiting if waiting else None


def _was_looked_at(process: ProcessRecord, t_ns: int) -> bool:
    """Whether an instant lies in a window of the deep look, where nothing takes its usual time."""
    return any(start <= t_ns < end for start, end in process.deep_windows)
