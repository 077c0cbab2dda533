"""When was a thread not looked at that works? A fast thread fills its part of a raw window early.

Nobody seen at work says something only while everybody who works is seen.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from goldsplit.analyse.wall.timeline import GAP, SegmentRow, ThreadTimeline
from goldsplit.model.recording import ProcessRecord


def unseen_work(timelines: Iterable[ThreadTimeline]) -> SegmentRow:
    """The time in which some thread that works was between two of its raw windows, or behind the last."""
    holes = sorted(hole for one in timelines if len(one.work) for hole in _holes(one))
    starts, ends = array("q"), array("q")
    for start, end in holes:
        if ends and start <= ends[-1]:
            ends[-1] = max(ends[-1], end)
        else:
            starts.append(start)
            ends.append(end)
    return SegmentRow(starts, ends, array("q", [GAP] * len(starts)))


def _holes(timeline: ThreadTimeline) -> list[tuple[int, int]]:
    ends = [window.end_ns for window in timeline.windows]
    next_starts = [*(window.start_ns for window in timeline.windows[1:]), _last_sign(timeline.process)]
    return [(end, start) for end, start in zip(ends, next_starts, strict=True) if start > end]


def _last_sign(process: ProcessRecord) -> int:
    """When a process was alive for certain, at last."""
    written = process.snapshots[-1].t_ns if process.snapshots else 0
    return process.end_ns or written
