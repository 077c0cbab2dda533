"""Stages summed by category."""

from __future__ import annotations

import math
from collections.abc import Iterable

from goldsplit.model.profile import CategoryRow, StageRow


def categories_of(stages: list[StageRow]) -> list[CategoryRow]:
    """The stages summed by category, the largest first; ceilings by shares alone. A category is known as well
    as its stages are; or as well as all others, where together they are the whole."""
    found = []
    whole = sum(row.wall_share for row in stages) >= 0.995
    for category in dict.fromkeys(row.category for row in stages):
        share = min(1.0, sum(row.wall_share for row in stages if row.category == category))
        inside = _spread(row for row in stages if row.category == category)
        others = _spread(row for row in stages if row.category != category)
        width = min(inside, others) if whole else inside
        ceiling = 1.0 / (1.0 - share) if share < 0.999 else None
        low, high = max(0.0, share - width), min(1.0, share + width)
        found.append(CategoryRow(category, share, low, high, ceiling))
    return sorted(found, key=lambda row: -row.wall_share)


def _spread(rows: Iterable[StageRow]) -> float:
    """The half width of a sum's interval, as of independent figures."""
    return math.hypot(*((row.wall_share_high - row.wall_share_low) / 2 for row in rows))
