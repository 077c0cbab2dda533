"""What an analysis says about a run. Field names are those of the report JSON; None means "not measured"."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from goldsplit.model.deep import DeepLook
from goldsplit.model.finding import Place


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What was run, where, and how it ended."""

    id: str
    name: str
    command: list[str]
    exit_code: int | None
    status: str
    started: float
    wall_seconds: float
    host: str
    python: str
    packages: dict[str, str]
    git: dict[str, Any] | None
    seed: int | None
    environment: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Phases:
    """Start-up is everything before the first environment step, and compilation wherever it happens."""

    startup_seconds: float | None
    steady_seconds: float
    shutdown_seconds: float | None


@dataclass(frozen=True, slots=True)
class Window:
    """One stretch of the steady phase."""

    start: float
    seconds: float
    env_steps: int | None
    env_steps_per_second: float | None
    episodes: int | None
    updates: int | None
    stages: dict[str, float]
    """Stage → share of this window's wall time, waiting not yet charged to its cause."""


@dataclass(frozen=True, slots=True)
class Throughput:
    """Counts are of the whole run; rates are of the steady phase."""

    env_steps: int | None
    env_steps_per_second: float | None
    seconds_per_1000_env_steps: float | None
    episodes: int | None
    episodes_per_second: float | None
    updates: int | None
    updates_per_second: float | None
    updates_per_env_step: float | None
    eval_env_steps: int | None
    counters: dict[str, float]
    metrics: dict[str, dict[str, float]]
    windows: list[Window]

    @staticmethod
    def not_measured() -> Throughput:
        """Nothing was counted."""
        return Throughput(None, None, None, None, None, None, None, None, None, {}, {}, [])


@dataclass(frozen=True, slots=True)
class StageRow:
    """One stage's part of the steady phase's wall time, and what it cost in threads."""

    stage: str
    category: str
    source: str
    wall_seconds: float
    wall_share: float
    wall_share_low: float
    wall_share_high: float
    calls: int | None
    mean_us: float | None
    p50_us: float | None
    p95_us: float | None
    p99_us: float | None
    us_per_env_step: float | None
    thread_seconds: float | None
    cpu_seconds: float | None
    ceiling_speedup: float | None
    waited_share: float
    """The part of wall_share in which the driver waited while another thread was in this stage."""


@dataclass(frozen=True, slots=True)
class Unattributed:
    wall_seconds: float
    wall_share: float


@dataclass(frozen=True, slots=True)
class LaneStage:
    stage: str
    share: float


@dataclass(frozen=True, slots=True)
class Lane:
    """One thread (or foreign process) beside the wall-time partition; shares are of the steady phase."""

    pid: int
    process: str
    role: str
    thread: str
    thread_id: int
    busy_share: float | None
    wait_share: float | None
    barrier_share: float | None
    """Waiting while the driver waited for another worker: the idle barrier of lock-step environments."""
    charged_share: float | None
    """Share of the driver's wall time spent waiting for this thread."""
    cpu_seconds: float | None
    env_steps: int | None
    stages: list[LaneStage]


@dataclass(frozen=True, slots=True)
class Hotspot:
    """One function; shares are of the steady phase's wall time."""

    function: str
    file: str
    line: int
    stage: str | None
    self_share: float
    total_share: float
    samples: int
    calls_per_env_step: float | None
    kind: str


@dataclass(frozen=True, slots=True)
class Drift:
    """How throughput changed from the first to the last quarter of the steady phase."""

    throughput_change: float | None
    growing_stages: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class SystemFigures:
    cpu_percent: float | None
    cores: int
    rss_peak_bytes: int | None
    gpu: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Trust:
    """How far to believe the rest."""

    attributed_share: float
    overhead_share: float | None
    overhead_low: float | None
    overhead_high: float | None
    samples: int
    late_samples: int
    failed_samples: int
    sample_rate_hz: float | None
    waited_for_cpu_share: float | None
    """Share of the driver's wall time in which it was ready but the machine ran something else."""
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Fact:
    """Something countable that a hook saw beside time; which kinds there are: record/hooks/facts.py."""

    kind: str
    detail: str
    pid: int
    role: str
    count: float
    amount: float
    """The sum of what the kind measures: bytes, rows, seconds; 0 where it only counts."""
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Profile:
    """Where a run's wall time went."""

    run: RunInfo
    phases: Phases
    throughput: Throughput
    stages: list[StageRow]
    unattributed: Unattributed
    lanes: list[Lane]
    hotspots: list[Hotspot]
    drift: Drift
    system: SystemFigures
    trust: Trust
    facts: list[Fact] = field(default_factory=list)
    deep: DeepLook | None = None
    """None: no deep look was taken."""
