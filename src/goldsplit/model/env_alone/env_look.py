"""What `goldsplit env` says about an environment alone, in the fields of its JSON. None: not measured."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from goldsplit.model.report import Report, finite

ENV_FORMAT = "goldsplit-env"
#: Additions keep the version; a changed or removed field raises it.
ENV_VERSION = 1


@dataclass(frozen=True, slots=True)
class Asked:
    """How the environment was driven."""

    target: str
    environment: str
    policy: str
    seed: int
    vector: int
    """Environments stepped in turn."""
    batch: int | None
    """Environments that one call of step steps together; None: it steps one."""
    mask: str | None
    """Where the valid actions came from."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Env steps per second of the environment's own time: steps, resets and masks, without the driver."""

    steps_per_second: float | None
    low: float | None
    high: float | None
    """The middle four fifths of the windows."""
    windows: int


@dataclass(frozen=True, slots=True)
class Spread:
    """How long one call took; percentiles are within 2 %."""

    calls: int
    mean_us: float | None
    p50_us: float | None
    p95_us: float | None
    p99_us: float | None
    max_us: float | None
    slowest_share: float | None
    """Share of the time that the slowest 5 % of the calls took."""


@dataclass(frozen=True, slots=True)
class Episodes:
    """Episodes that ended."""

    ended: int | None
    mean_steps: float | None
    p50_steps: float | None
    shortest_steps: int | None
    longest_steps: int | None


@dataclass(frozen=True, slots=True)
class TrajectoryHash:
    """Equal play has an equal hash."""

    value: str
    steps: int
    complete: bool
    """False: the run ended before the hash had all its steps."""
    repeated: bool | None
    """Whether a second process, which was not recorded, got the same hash; None: not compared."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What ended the run early."""

    message: str
    hint: str
    trace: str


@dataclass(frozen=True, slots=True)
class EnvLook:
    """An environment alone."""

    asked: Asked
    finished: bool
    steps: int
    """Of the second pass, which was recorded: the hash, the hot functions and the findings are of it."""
    timed_steps: int
    """Of the first pass, which was not recorded: all times are of it."""
    timed_seconds: float
    warm_up_steps: int
    """The first of those; they are in no distribution."""
    speed: Speed
    step: Spread
    reset: Spread
    first_reset_us: float | None
    reset_share: float | None
    """Of the environment's own time."""
    mask_us: float | None
    mask_share: float | None
    driver_share: float | None
    """Of wall time: choosing actions, accounting and hashing; in none of the figures above."""
    hash_share: float | None
    episodes: Episodes
    hash: TrajectoryHash | None
    notes: list[str] = field(default_factory=list)
    failure: Failure | None = None


def to_json(look: EnvLook, report: Report | None, path: str | None) -> dict[str, Any]:
    """Everything as plain data: the look, then the hot functions and findings of its report."""
    beside = ("hotspots", "findings", "deep", "trust")
    explained = dict.fromkeys(beside) if report is None else report.to_json()
    run = None if report is None else {"id": report.profile.run.id, "path": path}
    head = {"format": ENV_FORMAT, "version": ENV_VERSION, "run": run}
    figures: dict[str, Any] = finite(asdict(look))
    return head | figures | {key: explained[key] for key in beside}
