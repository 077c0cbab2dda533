"""Durations counted in logarithmic buckets, each about 13 % wide."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from goldsplit.model.wire import SPAN_BUCKETS_PER_E


def merge(histograms: Iterable[dict[int, int]]) -> Counter[int]:
    """All histograms as one."""
    merged: Counter[int] = Counter()
    for histogram in histograms:
        merged.update(histogram)
    return merged


def percentile_ns(histogram: dict[int, int], share: float) -> float | None:
    """The duration below which `share` of the counted ones lie, to a bucket's width; None if empty."""
    total = sum(histogram.values())
    if not total:
        return None
    seen = 0
    for bucket in sorted(histogram):
        seen += histogram[bucket]
        if seen >= share * total:
            return math.exp((bucket + 0.5) / SPAN_BUCKETS_PER_E)
    return None
