"""The driver's waits in the raw windows, and what the threads it waited for did in the meantime.

A *turn* runs from the end of one wait to the end of the next. Waits that follow each other with nothing but
messages between them (one answer per worker) are one wait: the barrier.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from goldsplit.analyse.wall.causes import CauseFinder
from goldsplit.analyse.wall.timeline import Segment, ThreadTimeline
from goldsplit.model.recording import ThreadKey
from goldsplit.model.stage import VEC, VEC_SEND
from goldsplit.model.wire import WaitDetail

#: So much of the driver's own work between two waits, or a message that it sends, makes them two.
LONGEST_GAP_NS = 200_000
#: A worker that begins later than the first by less than this only got its message later.
SHORTEST_DELAY_NS = 50_000
#: A worker whose code belongs to no stage is at work where nothing is seen of it for so long: between taking
#: a message and sending its answer.
SHORTEST_WORK_NS = 20_000
#: So many other workers are checked for which of them held one up; beyond the cores they are all alike.
MOST_OTHERS = 8


@dataclass(slots=True)
class WaitGroup:
    """Waits that belong together, from the first message that asks for what is waited for."""

    turn_start_ns: int
    start_ns: int
    end_ns: int
    waited_ns: int
    """Sending included: a worker that is woken may take the driver's core, so that sending waits too."""
    details: list[tuple[str, int, int]] = field(default_factory=list)
    """Who ended each single wait (see record/inside/hooks/waiting.py), when it ended, and how long it was."""

    @property
    def first_wait_ns(self) -> int:
        """When the first wait began: everything had been sent."""
        _, end_ns, length_ns = self.details[0]
        return end_ns - length_ns


@dataclass(slots=True)
class TurnWork:
    """What one thread did in one turn."""

    stages: Counter[str]
    finish_ns: int
    """End of its last work or message, 0 where it did none."""
    first_ns: int
    """Start of its first work."""

    def add(self, stage: str, segment: Segment) -> None:
        self.stages[stage] += segment.end_ns - segment.start_ns
        self.finish_ns = segment.end_ns
        self.first_ns = self.first_ns or segment.start_ns


class TurnReader:
    """Finds turns in the timelines that a CauseFinder holds."""

    def __init__(self, finder: CauseFinder, driver: ThreadKey) -> None:
        self.finder = finder
        self.driver = driver

    def groups(self, borders: tuple[int, int]) -> Iterator[WaitGroup]:
        """The driver's waits in the steady phase; the first of each raw window is cut off by its border."""
        timeline = self.finder.timelines.get(self.driver)
        for window in timeline.windows if timeline is not None else ():
            start, end = max(window.start_ns, borders[0]), min(window.end_ns, borders[1])
            found = list(self._groups_between(timeline, start, end)) if timeline is not None else []
            yield from (group for group in found[1:] if not self._in_deep_look(group))

    def _in_deep_look(self, group: WaitGroup) -> bool:
        """Whether the deep look slowed something down in this turn."""
        return any(
            start < group.end_ns and group.turn_start_ns < end
            for process in self.finder.processes.values()
            for start, end in process.deep_windows
        )

    def _groups_between(self, timeline: ThreadTimeline, start_ns: int, end_ns: int) -> Iterator[WaitGroup]:
        group: WaitGroup | None = None
        turn_start, apart_ns = start_ns, 0
        sent: Segment | None = None
        for segment in timeline.between(start_ns, end_ns):
            owner = timeline.owners.get(segment.node)
            length = segment.end_ns - segment.start_ns
            if owner is not None and owner.waiting:
                if group is None:
                    begun = sent.start_ns if sent is not None else segment.start_ns
                    group = WaitGroup(turn_start, begun, segment.end_ns, segment.start_ns - begun)
                group.end_ns = segment.end_ns
                group.waited_ns += length
                group.details.append((owner.detail, segment.end_ns, length))
                apart_ns = 0
                continue
            stage = owner.stage if owner is not None else ""
            apart_ns += 0 if stage.startswith(VEC) else length
            if group is not None and (stage == VEC_SEND or apart_ns > LONGEST_GAP_NS):
                yield group
                turn_start, group, sent = group.end_ns, None, None
            if group is None:
                if stage == VEC_SEND:
                    sent, apart_ns = sent or segment, 0
                elif apart_ns > LONGEST_GAP_NS:
                    sent = None  # it asked, and then did something else: the message is long sent
        # what is open at the window's end is cut off: no turn

    def wakers(self, groups: list[WaitGroup]) -> dict[ThreadKey, bool]:
        """The threads that ended the driver's waits, and whether one of these was at a pipe."""
        found: dict[ThreadKey, bool] = defaultdict(bool)
        known: dict[str, ThreadKey | None] = {}
        for group in groups:
            for detail, end_ns, _ in group.details:
                if detail not in known or known[detail] is None:
                    known[detail] = self.finder.waker(self.driver, detail, end_ns)
                thread = known[detail]
                if thread is None:
                    thread = self.finder.last_at_work(self.driver, group.start_ns, end_ns)
                if thread is not None and thread != self.driver:
                    found[thread] |= detail.startswith(WaitDetail.PIPE)
        return found

    def covered(self, thread: ThreadKey, start_ns: int, end_ns: int) -> bool:
        """Whether a thread was seen span by span in a period: a fast one's raw window ends early."""
        return self.finder.timelines[thread].covers(start_ns, end_ns)

    def work_in(self, worker: ThreadKey, start_ns: int, end_ns: int) -> TurnWork:
        """A thread's work between two instants, by stage; sending counts, waiting does not."""
        result = TurnWork(Counter(), 0, 0)
        timeline = self.finder.timelines[worker]
        for segment in timeline.between(start_ns, end_ns):
            owner = timeline.owners.get(segment.node)
            stage = owner.stage if owner is not None and not owner.waiting else ""
            if segment.node not in timeline.working:
                if stage.startswith(VEC) and not result.first_ns:
                    continue  # the rest of the answer before
                task = timeline.task_at((segment.start_ns + segment.end_ns) // 2)
                stage = timeline.process.nodes[worker.thread, task].stage if task is not None else stage
            else:
                stage = timeline.working[segment.node]
            if stage:
                result.add(stage, segment)
        return result

    def held_up(self, others: list[ThreadKey], start_ns: int, end_ns: int) -> Counter[str]:
        """Why a worker began later than the first one: with fewer cores than workers, because of what the
        busiest of the others did meanwhile."""
        if end_ns - start_ns < SHORTEST_DELAY_NS or not others:
            return Counter()
        stages = (self.work_in(other, start_ns, end_ns).stages for other in others[:MOST_OTHERS])
        return max(stages, key=lambda found: found.total())

    def drivers_work(self, start_ns: int, end_ns: int) -> Counter[str]:
        """The driver's own time between two instants by stage, "" where no stage was open."""
        spent: Counter[str] = Counter()
        timeline = self.finder.timelines[self.driver]
        for segment in timeline.between(start_ns, end_ns):
            owner = timeline.owners.get(segment.node)
            if owner is None or not owner.waiting:
                spent[owner.stage if owner is not None else ""] += segment.end_ns - segment.start_ns
        return spent

    def sending_ns(self, start_ns: int, end_ns: int) -> int:
        """How long the driver was sending between two instants."""
        timeline = self.finder.timelines[self.driver]
        return sum(
            segment.end_ns - segment.start_ns
            for segment in timeline.between(start_ns, end_ns)
            if (owner := timeline.owners.get(segment.node)) is not None and owner.stage == VEC_SEND
        )

    def overlap_share(self, thread: ThreadKey, groups: list[WaitGroup]) -> float:
        """Share of a thread's work in which the driver was at work too, not waiting and not sending."""
        theirs, mine = self.finder.timelines[thread].work, self.finder.timelines[self.driver].work
        work = beside = 0
        for group in groups:
            if not self.covered(thread, group.turn_start_ns, group.end_ns):
                continue
            for segment in theirs.between(group.turn_start_ns, group.end_ns):
                work += segment.end_ns - segment.start_ns
                beside += mine.length_ns(segment.start_ns, segment.end_ns)
        return beside / work if work else 0.0
