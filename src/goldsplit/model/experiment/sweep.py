"""A sweep: the same command at several settings, measured in blocks, beside what was predicted."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """One setting. Gains are ratios to the first setting."""

    variant: str
    settings: dict[str, str]
    value: float | None
    """Median of the metric."""
    gain: float | None
    low: float | None
    high: float | None
    pairs: int
    predicted: float | None = None
    predicted_low: float | None = None
    predicted_high: float | None = None


@dataclass(frozen=True, slots=True)
class Sweep:
    """All settings, in the order in which they were given."""

    name: str
    metric: str
    points: list[SweepPoint]
    unpredicted: str
    """Why there is no prediction; "": there is one."""
    notes: list[str]

    def to_json(self) -> dict[str, Any]:
        return {"format": "goldsplit-sweep", "version": 1, **asdict(self)}
