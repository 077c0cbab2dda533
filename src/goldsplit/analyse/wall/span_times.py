"""The own time of a thread's spans, without what recording cost there."""

from __future__ import annotations

from collections import Counter

from goldsplit.analyse.counts.histogram import percentile_ns
from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.wall.ownership import ROOT


def without_recorder(
    series: Series, thread: int, start_ns: int, end_ns: int
) -> tuple[dict[int, float], float]:
    """Each node's own time (ROOT: outside all spans) less what recording cost there, and that cost.

    What a span costs lies outside its own clocks, so it would count for the stage around it. It is measured
    in this very run (median).
    """
    own: dict[int, float] = dict(series.self_times(thread, start_ns, end_ns))
    own[ROOT] = max(0.0, series.wall_ns(start_ns, end_ns) - sum(own.values()))
    cost_ns = percentile_ns(series.process.costs.get(thread, {}), 0.5) or series.process.warm_span_ns
    calls: Counter[int] = Counter()
    for (owner, node), info in series.process.nodes.items():
        if owner == thread and info.parent in own:
            key = (thread, node)
            calls[info.parent] += series.node(key, end_ns).count - series.node(key, start_ns).count
    taken = 0.0
    for node, number in calls.items():
        part = min(number * cost_ns, 0.9 * max(0.0, own[node]))
        own[node] -= part
        taken += part
    return own, taken
