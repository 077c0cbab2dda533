"""What `end_to_end.py` makes of its figures: intervals, bars, and the table as text and as Markdown."""

from __future__ import annotations

import math
import platform
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from games_table import processor

LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. `held` is None where there is no bar."""

    name: str
    plain: str
    fast: str
    outcome: str
    bar: str = ""
    held: bool | None = None
    figures: dict[str, Any] = field(default_factory=dict)
    """The numbers behind the texts, for JSON."""

    @property
    def missed(self) -> bool:
        return self.held is False


class Difference(NamedTuple):
    """Mean of the second side minus that of the first, with its 95 % interval."""

    mean: float
    low: float
    high: float

    @property
    def holds_zero(self) -> bool:
        return self.low <= 0.0 <= self.high

    def __str__(self) -> str:
        return f"{self.mean:+.3g} ({self.low:+.3g} to {self.high:+.3g})"


def welch(first: Sequence[float], second: Sequence[float]) -> Difference:
    """Difference of two means whose spreads differ (Welch's t). At least two values a side."""
    parts = [statistics.variance(side) / len(side) for side in (first, second)]
    mean = statistics.fmean(second) - statistics.fmean(first)
    error = math.sqrt(sum(parts))
    if error == 0.0:
        return Difference(mean, mean, mean)
    freedom = sum(parts) ** 2 / sum(
        part**2 / (len(side) - 1) for part, side in zip(parts, (first, second), strict=True)
    )
    half = t_quantile(1.0 - LEVEL / 2, freedom) * error
    return Difference(mean, mean - half, mean + half)


def t_quantile(probability: float, freedom: float) -> float:
    """The value below which Student's t stays with this probability (above one half)."""
    low, high = 0.0, 1e6
    while high - low > 1e-9 * (1.0 + high):
        middle = (low + high) / 2
        low, high = (middle, high) if _t_below(middle, freedom) < probability else (low, middle)
    return (low + high) / 2


def _t_below(value: float, freedom: float) -> float:
    """P(T <= value) for a value of 0 or more: Simpson's rule over the angle, which has no tail to cut off."""
    # With t = sqrt(freedom) tan(angle) the density is a power of the cosine.
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)
    end, pieces = math.atan(value / math.sqrt(freedom)), 400
    step = end / pieces
    heights = [math.cos(step * place) ** (freedom - 1) for place in range(pieces + 1)]
    area = heights[0] + heights[-1] + 4 * sum(heights[1:-1:2]) + 2 * sum(heights[2:-1:2])
    return 0.5 + scale * area * step / 3


HEADINGS = ("measured", "plain", "fast", "fast against plain", "bar", "")


def cells(row: Row) -> tuple[str, ...]:
    """One line of the table as texts."""
    held = "" if row.held is None else "held" if row.held else "MISSED"
    return row.name, row.plain, row.fast, row.outcome, row.bar, held


def as_text(rows: Sequence[Row]) -> str:
    lines = [HEADINGS, *map(cells, rows)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(HEADINGS))]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def as_markdown(rows: Sequence[Row], command: str) -> str:
    """The table with the command that measured it."""
    lines = [HEADINGS, ("---",) * len(HEADINGS), *map(cells, rows)]
    made = f"Made by `{command}` with Python {platform.python_version()} on {processor()}.\n\n"
    return made + "".join("| " + " | ".join(line) + " |\n" for line in lines)
