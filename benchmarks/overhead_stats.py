"""Paired ratios and what can be said about them. Pure functions."""

from __future__ import annotations

import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]
"""One tool on one program: for each thing that is measured a list of figures, one per relay."""

RESAMPLES = 4000
#: With fewer pairs the bootstrap interval of a median is too narrow to decide anything.
FEWEST_PAIRS = 5


@dataclass(frozen=True, slots=True)
class Spread:
    """A median over pairs, with its extremes and a bootstrap interval of the median."""

    median: float
    lowest: float
    highest: float
    low95: float
    high95: float
    pairs: int


def spread(values: Sequence[float], seed: int = 1) -> Spread:
    low95, high95 = bootstrap_median(values, seed)
    return Spread(statistics.median(values), min(values), max(values), low95, high95, len(values))


def bootstrap_median(values: Sequence[float], seed: int = 1) -> tuple[float, float]:
    """95 % percentile interval of the median over resampled pairs; seeded, so that it repeats."""
    if not values:
        raise ValueError("no pairs to resample")
    dice = random.Random(seed)
    resamples = RESAMPLES if len(values) > 1 else 1
    medians = sorted(statistics.median(dice.choices(values, k=len(values))) for _ in range(resamples))
    return medians[int(0.025 * (len(medians) - 1))], medians[int(0.975 * (len(medians) - 1))]


def ratios(tool: Sequence[float], bare: Sequence[float]) -> list[float]:
    """Relay by relay: the tool's value over the bare one's."""
    return [t / b for t, b in zip(tool, bare, strict=True)]


def added_us_per_step(tool: Sequence[float], bare: Sequence[float], steps: int) -> list[float]:
    """Relay by relay, of so many env steps: what it added per step, nanoseconds to microseconds."""
    return [(t - b) / steps / 1e3 for t, b in zip(tool, bare, strict=True)]


def judge(found: Spread, limit: float) -> str:
    """'ok' or 'MISS' only where the whole interval of the median lies on one side of the limit."""
    if found.pairs < FEWEST_PAIRS or found.low95 <= limit < found.high95:
        return "unsure"
    return "ok" if found.high95 <= limit else "MISS"


def merge(rows: list[Row]) -> list[Row]:
    """One row for each program and tool, with the relays of all."""
    merged: dict[tuple[str, str], Row] = {}
    for row in rows:
        found = merged.setdefault(
            (row["program"], row["tool"]), {key: row[key] for key in ("program", "tool")}
        )
        for key, value in row.items():
            if isinstance(value, list):
                found[key] = [*found.get(key, []), *value]
            elif key == "minute":
                found[key] = value
    return list(merged.values())
