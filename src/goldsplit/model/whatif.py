"""Questions to a recorded run, and predictions that answer them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from goldsplit.model.report import finite

WHATIF_FORMAT, WHATIF_VERSION = "goldsplit-whatif", 1


@dataclass(frozen=True, slots=True)
class Scenario:
    """What would be different; None: as recorded."""

    remaining: dict[str, float] = field(default_factory=dict)
    """Stage → the fraction of its cost that remains (0: free)."""
    envs: int | None = None
    """Environments in all."""
    workers: int | None = None
    updates_per_step: float | None = None

    @property
    def empty(self) -> bool:
        return not self.remaining and self.envs is self.workers is self.updates_per_step is None


@dataclass(frozen=True, slots=True)
class Prediction:
    """How many times as many env steps per second."""

    speedup: float
    low: float
    high: float
    """95 %: from the recorded windows and turns, and from the assumptions where others are possible."""
    env_steps_per_second: float | None
    """Predicted; None: env steps were not counted."""
    basis: str
    """What the prediction was computed from."""
    assumptions: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Ceiling:
    """One stage: how much faster the run could be at most."""

    stage: str
    wall_share: float
    free: float | None
    """Speed-up of the run if it cost nothing; None: it is the whole run."""
    twice: float | None
    """Speed-up of the run if it were twice as fast."""
    by_share: float | None
    """What its share alone (Amdahl) would promise."""


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The answer to one question; without a question, the ceilings."""

    run: str
    structure: str
    """In words: who waits for whom."""
    recorded: dict[str, float | None]
    """env_steps_per_second, envs, workers, cores, updates_per_env_step."""
    scenario: Scenario
    prediction: Prediction | None
    ceilings: list[Ceiling]

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        body: dict[str, Any] = finite(asdict(self))
        return {"format": WHATIF_FORMAT, "version": WHATIF_VERSION} | body
