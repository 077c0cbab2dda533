"""How long a run of another length would take."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from goldsplit.model.report import finite

HORIZON_FORMAT, HORIZON_VERSION = "goldsplit-horizon", 1


@dataclass(frozen=True, slots=True)
class Trend:
    """How one figure goes on."""

    model: str
    """constant, linear, accelerating or saturating in env steps."""
    first: float
    """Measured, in the first quarter."""
    last: float
    """By the model, at the last recorded env step."""
    at_horizon: float
    full_at_env_steps: float | None = None
    """Where a saturating one stops growing."""
    stage: str | None = None
    """The stage that grows most; None: no single one."""


@dataclass(frozen=True, slots=True)
class Horizon:
    """Expected wall time at another horizon, with both effects: more expensive steps and longer episodes."""

    run: str
    unit: str
    """episodes, env_steps or updates."""
    target: float
    recorded: float
    """How many of them the run had."""
    factor: float
    """target / recorded: how far this extrapolates."""
    wall_seconds: float
    """Expected, start-up included."""
    low_seconds: float
    high_seconds: float
    """95 %: windows drawn at random; beyond 1.5 times the run also growth that stops or becomes faster."""
    env_steps: float
    """Expected at the horizon."""
    naive_seconds: float
    """The recorded wall time in proportion."""
    naive_error: float
    """naive_seconds / wall_seconds - 1: how far proportion would be off."""
    recorded_seconds: float
    cost_us: Trend
    """Wall microseconds per env step."""
    episode_steps: Trend | None
    """Env steps per episode; None: not needed, or not counted."""
    fixed_seconds: float = 0.0
    """Start-up and shutdown, part of all of these: once, however long the run."""
    warnings: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        body: dict[str, Any] = finite(asdict(self))
        return {"format": HORIZON_FORMAT, "version": HORIZON_VERSION} | body
