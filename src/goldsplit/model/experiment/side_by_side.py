"""Two recordings side by side, per env step. None means "not measured"."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


class Change:
    CHEAPER = "cheaper"
    EXPENSIVE = "more expensive"
    NOISE = "within noise"
    NEW = "only in B"
    GONE = "only in A"
    FEW_IN_FIRST = "too few samples in A"
    FEW_IN_SECOND = "too few samples in B"


@dataclass(frozen=True, slots=True)
class SideRow:
    """A stage or function in both runs."""

    name: str
    where: str
    """File and line of a function; "" for a stage."""
    first_us: float | None
    """Wall time per env step in A."""
    second_us: float | None
    noise_us: float | None
    """Differences up to this are noise."""
    change: str
    first_calls: float | None = None
    """Per env step."""
    second_calls: float | None = None

    @property
    def difference_us(self) -> float:
        return (self.second_us or 0.0) - (self.first_us or 0.0)


@dataclass(frozen=True, slots=True)
class SideRun:
    """One of the two runs, in figures."""

    id: str
    command: list[str]
    env_steps: int | None
    us_per_env_step: float | None
    cpu_us_per_env_step: float | None
    updates_per_env_step: float | None
    samples: int
    waited_for_cpu_share: float | None
    revision: str | None


@dataclass(frozen=True, slots=True)
class SideBySide:
    """A and B. `speedup`: how many times faster B made an env step."""

    first: SideRun
    second: SideRun
    speedup: float | None
    stages: list[SideRow]
    functions: list[SideRow]
    warnings: list[str]

    def to_json(self) -> dict[str, Any]:
        return {"format": "goldsplit-compare", "version": 1, **asdict(self)}
