"""Raw windows as a gapless row of segments per thread: at each instant, which node was innermost."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from itertools import accumulate
from operator import itemgetter, sub
from statistics import median
from typing import NamedTuple, TypeGuard

from goldsplit.analyse.wall.ownership import Owner, is_task, owner_of
from goldsplit.model.recording import ProcessRecord, RawWindow
from goldsplit.model.stage import TRANSFER_WAIT, VEC

GAP = -1
#: The stage of a thread that was at work in no span; samples tell at what.
IN_NO_STAGE = "(no stage)"


class Segment(NamedTuple):
    """A part of one thread's time with one innermost node (GAP: no stage was open)."""

    start_ns: int
    end_ns: int
    node: int


def works(owner: Owner | None) -> TypeGuard[Owner]:
    """Whether a thread is at work in a stage: neither waiting nor only passing messages."""
    return owner is not None and bool(owner.stage) and not owner.waiting and not owner.stage.startswith(VEC)


def flatten(spans: Iterable[tuple[int, int, int]], start_ns: int, end_ns: int) -> tuple[list[int], list[int]]:
    """Nested spans (node, start, end) as segments that cover the window exactly once, innermost first: the
    end and the node of each; it starts where the one before it ends."""
    ends: list[int] = []
    nodes: list[int] = []
    inside = [span for span in spans if span[2] > start_ns and span[1] < end_ns]
    inside.sort(key=itemgetter(2), reverse=True)
    inside.sort(key=itemgetter(1))  # of those that start together the longest stays first
    around: list[tuple[int, int]] = []  # end and node of the spans around the innermost one
    limit, outer = end_ns, GAP
    at = start_ns
    for inner, start, end in inside:
        while limit <= start:
            if limit > at:
                ends.append(limit)
                nodes.append(outer)
                at = limit
            limit, outer = around.pop()
        if start > at:
            ends.append(start)
            nodes.append(outer)
            at = start
        if end > at:
            around.append((limit, outer))
            limit, outer = min(end, limit), inner  # clock ticks of packing may make a child end late
    for end, node in ((limit, outer), *reversed(around)):
        if end > at:
            ends.append(end)
            nodes.append(node)
            at = end
    return ends, nodes


class SegmentRow:
    """Segments of one thread in order of time, searchable. Kept as columns: a long run has millions."""

    def __init__(self, starts: array[int], ends: array[int], nodes: array[int]) -> None:
        self._starts, self._ends, self._nodes = starts, ends, nodes

    def __iter__(self) -> Iterator[Segment]:
        return map(Segment, self._starts, self._ends, self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)

    def only(self, nodes: Collection[int]) -> SegmentRow:
        """The segments of some nodes."""
        places = [place for place, node in enumerate(self._nodes) if node in nodes]
        columns = (self._starts, self._ends, self._nodes)
        return SegmentRow(*(array("q", [column[place] for place in places]) for column in columns))

    @cached_property
    def _before(self) -> array[int]:
        """By place: how long all segments before it are together."""
        return array("q", accumulate(map(sub, self._ends, self._starts), initial=0))

    def between(self, start_ns: int, end_ns: int) -> list[Segment]:
        """The segments inside an interval, cut to it."""
        inside = slice(bisect_right(self._ends, start_ns), bisect_left(self._starts, end_ns))
        found = list(map(Segment, self._starts[inside], self._ends[inside], self._nodes[inside]))
        if found and found[0].start_ns < start_ns:
            found[0] = Segment(start_ns, found[0].end_ns, found[0].node)
        if found and found[-1].end_ns > end_ns:
            found[-1] = Segment(found[-1].start_ns, end_ns, found[-1].node)
        return found

    def last(self, start_ns: int, end_ns: int) -> tuple[int, int] | None:
        """Start and end of the last segment inside an interval, cut to it."""
        place = bisect_left(self._starts, end_ns) - 1
        if place < 0 or self._ends[place] <= start_ns:
            return None
        return max(self._starts[place], start_ns), min(self._ends[place], end_ns)

    def length_ns(self, start_ns: int, end_ns: int) -> int:
        """How much of an interval the segments cover."""
        return self._length_until(end_ns) - self._length_until(start_ns)

    def _length_until(self, t_ns: int) -> int:
        place = bisect_right(self._starts, t_ns)
        return self._before[place] - (max(0, self._ends[place - 1] - t_ns) if place else 0)


class ThreadTimeline:
    """One thread's raw windows, searchable by time."""

    def __init__(self, process: ProcessRecord, thread: int, works_outside: bool = False) -> None:
        """`works_outside`: samples show it at work outside its spans, so that its gaps are work."""
        self.process = process
        self.thread = thread
        self.windows: list[RawWindow] = sorted(
            (window for window in process.raw if window.thread == thread), key=lambda w: w.start_ns
        )
        self._window_starts = [window.start_ns for window in self.windows]
        nodes = set().union(*(window.spans.nodes for window in self.windows))
        tasks = {node for node in nodes if is_task(process, thread, node)}
        self.owners = {node: owner_of(process, thread, node) for node in nodes}
        """The owner of each node that was seen; a gap has none."""
        self.working = {node: owner.stage for node, owner in self.owners.items() if works(owner)}
        """The stage of each node in which the thread is at work."""
        if works_outside:
            self.working[GAP] = IN_NO_STAGE
        self._tasks = [_spans_of(tasks, window) for window in self.windows] if tasks else []
        columns = (array("q"), array("q"), array("q"))
        for window in self.windows:
            spans = window.spans.rows()
            if tasks:
                spans = (span for span in spans if span[0] not in tasks)
            ends, inner = flatten(spans, window.start_ns, window.end_ns)
            for column, part in zip(columns, ([window.start_ns, *ends][:-1], ends, inner), strict=True):
                column += array("q", part)
        self.row = SegmentRow(*columns)

    @cached_property
    def work(self) -> SegmentRow:
        """The segments in which the thread was at work in a stage."""
        return self.row.only(self.working)

    @cached_property
    def typical_ns(self) -> dict[int, float]:
        """The median length of each node's segments."""
        lengths: dict[int, list[int]] = defaultdict(list)
        for segment in self.row:
            lengths[segment.node].append(segment.end_ns - segment.start_ns)
        return {node: median(found) for node, found in lengths.items()}

    @cached_property
    def waits(self) -> SegmentRow:
        """The segments in which it waited for another thread or process."""
        waiting = {n for n, one in self.owners.items() if one.waiting and one.stage != TRANSFER_WAIT}
        return self.row.only(waiting)

    def between(self, start_ns: int, end_ns: int) -> list[Segment]:
        """The segments inside an interval, cut to it; parts outside raw windows are absent."""
        return self.row.between(start_ns, end_ns)

    def covers(self, start_ns: int, end_ns: int) -> bool:
        """Whether one raw window holds the whole interval."""
        place = bisect_right(self._window_starts, start_ns) - 1
        return place >= 0 and end_ns <= self.windows[place].end_ns

    def task_at(self, t_ns: int) -> int | None:
        """The coroutine stage that was open at an instant (the one begun last), if any."""
        window = bisect_right(self._window_starts, t_ns) - 1
        if window < 0 or not self._tasks:
            return None
        tasks = self._tasks[window]
        begun = bisect_right(tasks, t_ns, key=lambda task: task.start_ns)
        return next((task.node for task in reversed(tasks[:begun]) if task.end_ns > t_ns), None)


def _spans_of(nodes: Collection[int], window: RawWindow) -> list[Segment]:
    """A window's spans of some nodes as they are, in order of their start."""
    found = [Segment(start, end, node) for node, start, end in window.spans.rows() if node in nodes]
    return sorted(found, key=lambda span: span.start_ns)
