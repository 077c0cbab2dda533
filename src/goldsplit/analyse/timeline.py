"""Raw windows as a gapless row of segments per thread: at each instant, which node was innermost."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from goldsplit.analyse.ownership import is_task
from goldsplit.model.recording import ProcessRecord, RawSpan, RawWindow

GAP = -1


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of one thread's time with one innermost node (GAP: no stage was open)."""

    start_ns: int
    end_ns: int
    node: int


def flatten(spans: list[RawSpan], start_ns: int, end_ns: int) -> list[Segment]:
    """Nested spans as segments that cover the window exactly once, innermost first."""
    segments: list[Segment] = []
    open_spans: list[RawSpan] = []
    at = start_ns

    def advance(to: int) -> None:
        nonlocal at
        while open_spans and open_spans[-1].end_ns <= to:
            inner = open_spans.pop()
            if inner.end_ns > at:
                segments.append(Segment(at, inner.end_ns, inner.node))
                at = inner.end_ns
        if to > at:
            segments.append(Segment(at, to, open_spans[-1].node if open_spans else GAP))
            at = to

    for span in sorted(spans, key=lambda s: (s.start_ns, -s.end_ns)):
        if span.end_ns <= start_ns or span.start_ns >= end_ns:
            continue
        advance(min(max(span.start_ns, start_ns), end_ns))
        end = min(span.end_ns, end_ns)
        if open_spans:
            end = min(end, open_spans[-1].end_ns)  # clock ticks of packing may make a child end late
        if end > at:
            open_spans.append(RawSpan(span.node, at, end))
    advance(end_ns)
    return segments


class ThreadTimeline:
    """One thread's raw windows, searchable by time."""

    def __init__(self, process: ProcessRecord, thread: int) -> None:
        self.process = process
        self.thread = thread
        self.windows: list[RawWindow] = sorted(
            (window for window in process.raw if window.thread == thread), key=lambda w: w.start_ns
        )
        self.segments: list[Segment] = []
        self._window_starts = [window.start_ns for window in self.windows]
        self._tasks: list[list[Segment]] = []  # by window: a task that lasts is in each window's list
        for window in self.windows:
            spans = [s for s in window.spans if not is_task(process, thread, s.node)]
            self.segments += flatten(spans, window.start_ns, window.end_ns)
            self._tasks.append(
                [
                    Segment(span.start_ns, span.end_ns, span.node)
                    for span in sorted(window.spans, key=lambda span: span.start_ns)
                    if is_task(process, thread, span.node)
                ]
            )
        self._ends = [segment.end_ns for segment in self.segments]

    def between(self, start_ns: int, end_ns: int) -> list[Segment]:
        """The segments inside an interval, cut to it; parts outside raw windows are absent."""
        found = []
        place = bisect_left(self._ends, start_ns + 1)
        while place < len(self.segments) and self.segments[place].start_ns < end_ns:
            segment = self.segments[place]
            found.append(Segment(max(segment.start_ns, start_ns), min(segment.end_ns, end_ns), segment.node))
            place += 1
        return found

    def covers(self, start_ns: int, end_ns: int) -> bool:
        """Whether one raw window holds the whole interval."""
        place = bisect_right(self._window_starts, start_ns) - 1
        return place >= 0 and end_ns <= self.windows[place].end_ns

    def task_at(self, t_ns: int) -> int | None:
        """The coroutine stage that was open at an instant (the one begun last), if any."""
        window = bisect_right(self._window_starts, t_ns) - 1
        if window < 0:
            return None
        tasks = self._tasks[window]
        begun = bisect_right(tasks, t_ns, key=lambda task: task.start_ns)
        return next((task.node for task in reversed(tasks[:begun]) if task.end_ns > t_ns), None)
