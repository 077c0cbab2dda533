"""What all experiments of a place said: predicted beside measured, and throughput by commit."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One variant of one experiment."""

    experiment: str
    variant: str
    metric: str
    predicted: float | None
    measured: float | None
    low: float | None
    high: float | None
    pairs: int
    verdict: str
    decision: str

    @property
    def more_than_predicted(self) -> bool:
        """Whether the whole interval lies above the prediction."""
        return self.low is not None and self.predicted is not None and self.low > self.predicted


@dataclass(frozen=True, slots=True)
class CommitRow:
    """All recordings of one git commit."""

    revision: str
    changed: bool
    """With uncommitted changes."""
    runs: int
    command: str
    env_steps_per_second: float
    """Median over runs."""
    lowest: float
    highest: float
    started: float
    """Of the first of them."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """Everything, oldest first."""

    rows: list[LedgerRow]
    commits: list[CommitRow]
    within: int
    """Predictions whose measured interval holds them."""
    predictions: int
    unreadable: int = 0

    def to_json(self) -> dict[str, Any]:
        return {"format": "goldsplit-ledger", "version": 1, **asdict(self)}
