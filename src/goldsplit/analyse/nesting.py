"""Single spans of a stretch, cut so that they nest: viewers drop slices that overlap.

A span that is open for long is written in every raw window that it crosses, with its true start; and the
ticks in which spans are packed can let one end a moment after the span around it.
"""

from __future__ import annotations

import dataclasses

from goldsplit.model.detail import StageSpan


def nested(spans: list[StageSpan], start: float, end: float) -> list[StageSpan]:
    """The spans cut to their stretch and to the span around them, in order of start, parents first."""
    kept: list[StageSpan] = []
    open_ends: list[float] = []
    for span in sorted(spans, key=lambda span: (max(start, span.start), -(span.start + span.seconds))):
        begun = max(start, span.start)
        while open_ends and open_ends[-1] <= begun:
            open_ends.pop()
        ended = min(span.start + span.seconds, open_ends[-1] if open_ends else end)
        if ended > begun:
            kept.append(dataclasses.replace(span, start=begun, seconds=ended - begun))
            open_ends.append(ended)
    return kept
