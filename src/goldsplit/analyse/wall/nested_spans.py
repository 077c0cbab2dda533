"""Single spans of a raw window, cut so that they nest: viewers drop slices that overlap.

A span that is open for long is written in every raw window that it crosses, with its true start; and the
ticks in which spans are packed can make one end a moment after the span around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from goldsplit.analyse.wall.ownership import is_task
from goldsplit.model.detail import SpanWindow, StageSpan
from goldsplit.model.recording import NativeThread, NodeKey, ProcessRecord, RawWindow, Recording
from goldsplit.model.wire import COUNTED, Header

Row = tuple[int, int, int]
"""Node, start and end."""


def span_windows(recording: Recording, place_of: dict[NativeThread, int]) -> list[SpanWindow]:
    """The single spans of the raw windows, by thread (`place_of`: its place in the detail) and time."""
    origin_ns = int(recording.run.get(Header.START_NS) or 0)
    found = []
    for process in recording.processes:
        shown = _shown(process)
        for window in process.raw:
            thread = process.threads.get(window.thread)
            if thread is None:
                continue
            place = place_of.get(NativeThread(process.id, thread.native_id))
            if place is not None:
                found.append(_span_window(window, place, shown, origin_ns))
    return sorted(found, key=lambda window: (window.thread, window.start))


def _shown(process: ProcessRecord) -> dict[NodeKey, tuple[str, str]]:
    """Stage and detail of the nodes that are shown; coroutines are left out, because they overlap."""
    return {
        key: (info.stage, info.detail)
        for key, info in process.nodes.items()
        if info.stage and info.stage != COUNTED and not is_task(process, *key)
    }


def _span_window(
    window: RawWindow, place: int, shown: dict[NodeKey, tuple[str, str]], origin_ns: int
) -> SpanWindow:
    names = {
        node: shown[window.thread, node] for node in set(window.spans.nodes) if (window.thread, node) in shown
    }
    rows = nested((row for row in window.spans.rows() if row[0] in names), window.start_ns, window.end_ns)
    spans = [
        StageSpan(*names[node], (start_ns - origin_ns) / 1e9, (end_ns - start_ns) / 1e9)
        for node, start_ns, end_ns in rows
    ]
    seconds = (window.end_ns - window.start_ns) / 1e9
    return SpanWindow(place, (window.start_ns - origin_ns) / 1e9, seconds, spans)


def nested(spans: Iterable[Row], start_ns: int, end_ns: int) -> Iterator[Row]:
    """The spans cut to their window and to the span around them, in order of start, parents first."""
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
