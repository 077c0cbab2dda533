"""Single spans of a stretch, cut so that they nest: viewers drop slices that overlap.

A span that is open for long is written in every raw window that it crosses, with its true start; and the
ticks in which spans are packed can let one end a moment after the span around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from goldsplit.analyse.wall.ownership import is_task
from goldsplit.model.detail import RawStretch, StageSpan, ThreadName
from goldsplit.model.recording import ProcessRecord, RawWindow, Recording

Row = tuple[int, int, int]
"""Node, start and end."""


def raw_stretches(recording: Recording, threads: list[ThreadName]) -> list[RawStretch]:
    """The single spans of the raw windows, by thread and time."""
    origin_ns = int(recording.run.get("start_ns") or 0)
    place_of = {(thread.pid, thread.thread_id): place for place, thread in enumerate(threads)}
    found = []
    for process in recording.processes:
        shown = _shown(process)
        for window in process.raw:
            thread = process.threads.get(window.thread)
            place = place_of.get((process.pid, thread.native_id)) if thread is not None else None
            if place is not None:
                found.append(_stretch(window, place, shown, origin_ns))
    return sorted(found, key=lambda stretch: (stretch.thread, stretch.start))


def _shown(process: ProcessRecord) -> dict[tuple[int, int], tuple[str, str]]:
    """Stage and detail of the nodes that are shown; coroutines are left out, because they overlap."""
    return {
        key: (info.stage, info.detail)
        for key, info in process.nodes.items()
        if info.stage and info.stage != "counted" and not is_task(process, *key)
    }


def _stretch(
    window: RawWindow, place: int, shown: dict[tuple[int, int], tuple[str, str]], origin_ns: int
) -> RawStretch:
    names = {
        node: shown[window.thread, node] for node in set(window.spans.nodes) if (window.thread, node) in shown
    }
    rows = nested((row for row in window.spans.rows() if row[0] in names), window.start_ns, window.end_ns)
    spans = [
        StageSpan(*names[node], (start_ns - origin_ns) / 1e9, (end_ns - start_ns) / 1e9)
        for node, start_ns, end_ns in rows
    ]
    seconds = (window.end_ns - window.start_ns) / 1e9
    return RawStretch(place, (window.start_ns - origin_ns) / 1e9, seconds, spans)


def nested(spans: Iterable[Row], start_ns: int, end_ns: int) -> Iterator[Row]:
    """The spans cut to their stretch and to the span around them, in order of start, parents first."""
    open_ends: list[int] = []
    # Of two that are alike the parent comes first: its node was numbered before its children's.
    ordered = sorted((max(start_ns, start), -end, start, node) for node, start, end in spans)
    for begun, negative_end, _, node in ordered:
        while open_ends and open_ends[-1] <= begun:
            open_ends.pop()
        ended = min(-negative_end, open_ends[-1] if open_ends else end_ns)
        if ended > begun:
            yield node, begun, ended
            open_ends.append(ended)
