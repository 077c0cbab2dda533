"""Of a run of hours only some raw windows are used: evenly chosen, the same instants in every process.

Single spans show who waited for whom; some hundred windows say that as well as thousands, and every span in
them costs time and memory wherever a run is explained. With a handful of processes, runs of up to about ten
minutes keep all of theirs.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

from goldsplit.model.recording import ProcessRecord

MOST_WINDOWS, MOST_SPANS = 400, 300_000


def thin_out(
    processes: Iterable[ProcessRecord], most: int = MOST_WINDOWS, most_spans: int = MOST_SPANS
) -> None:
    """Leave out all but every k-th window, if there are more than `most` instants with one, or more single
    spans than `most_spans` in them."""
    processes = list(processes)
    moments = sorted({(window.start_ns, window.end_ns) for process in processes for window in process.raw})
    if not moments:
        return
    # Windows of several processes that overlap are one: whoever waited and whoever worked stay together.
    open_until = [moments[0][0], *accumulate((end for _, end in moments), max)]
    begins = [start > until for (start, _), until in zip(moments, open_until, strict=False)]
    number = dict(zip(moments, accumulate(begins), strict=True))
    spans = sum(len(window.spans) for process in processes for window in process.raw)
    every = max(-(-(number[moments[-1]] + 1) // most), -(-spans // most_spans))
    if every > 1:
        for process in processes:
            process.raw = [w for w in process.raw if number[w.start_ns, w.end_ns] % every == 0]
