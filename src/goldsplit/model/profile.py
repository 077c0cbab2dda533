"""What an analysis says about a run. Field names are those of the report JSON; None means "not measured"."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from goldsplit.model.deep import DeepLook
from goldsplit.model.device.device_use import DeviceUse
from goldsplit.model.finding import Place
from goldsplit.model.hot_code.function_cost import FunctionCost
from goldsplit.model.hot_code.source_look import SourceLook
from goldsplit.model.overlays.overlay import OverlayUse
from goldsplit.model.progress import Drift, Throughput
from goldsplit.model.structure import Structure


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
    overlays: list[OverlayUse] = field(default_factory=list)
    """What was changed from outside, in the order of the command line."""
    folder: str = ""
    """The folder that the command was started in; "" where an old run does not say it."""
    path: str = ""
    """The run's directory, as the user would type it."""
    profile: dict[str, Any] = field(default_factory=dict)
    """What `--profile` set: `file`, `settings` and `variables`; empty: nothing."""


@dataclass(frozen=True, slots=True)
class Phases:
    """Start-up is everything before the first environment step, and compilation wherever it happens."""

    startup_seconds: float | None
    steady_seconds: float
    shutdown_seconds: float | None


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
    samples: int | None = None
    """The stack samples that put time into it; None: spans alone did."""
    place: Place | None = None
    """The user's own function that the row is named by, where no stage is known; else None."""
    map_with: str | None = None
    """What makes it a stage in the next recording: the value of `--stage`, ready to paste. None: it has a
    stage, or no function that a mapping could name."""
    device_share: float = 0.0
    """The part of wall_share in which the driver waited while the device did this stage's work."""


@dataclass(frozen=True, slots=True)
class CategoryRow:
    """All stages of one category together."""

    category: str
    wall_share: float
    wall_share_low: float
    wall_share_high: float
    ceiling_speedup: float | None
    """Speed-up of the run if all of them took no time; None: they are the whole run."""


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
    """Done with its part of a round while another worker was not: the idle barrier of lock-step."""
    charged_share: float | None
    """Share of the driver's wall time spent waiting for this thread."""
    cpu_seconds: float | None
    env_steps: int | None
    stages: list[LaneStage]
    no_core_share: float | None = None
    """The part of `busy_share` in which it was ready to run, but other threads had the cores."""

    @property
    def at_work_share(self) -> float | None:
        """What is printed as busy: without the time for which there was no core."""
        if self.busy_share is None:
            return None
        return max(0.0, self.busy_share - (self.no_core_share or 0.0))


@dataclass(frozen=True, slots=True)
class Hotspot:
    """One function of the user's own in one stage, with the library code that it calls; a library's function
    where no code of the user's is around it. Shares are of the steady phase's wall time."""

    function: str
    file: str
    line: int
    stage: str | None
    self_share: float
    total_share: float
    samples: int
    calls_per_env_step: float | None
    kind: str
    library: str | None = None
    """The library's function that it calls and that takes most of its time; None: none was seen."""
    library_file: str | None = None
    library_share: float | None = None
    """The part of `self_share` inside it."""
    ceiling_speedup: float | None = None
    """Speed-up of the run if the function's own code cost nothing; None: not known, or the whole run."""


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
    """In a known stage, or under a function of the user's own."""
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
    own_function_share: float = 0.0
    """Of `attributed_share`: in no known stage, only named by the user's own function."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Something countable that a hook saw beside time; its kinds are in model/wire.py."""

    kind: str
    detail: str
    pid: int
    role: str
    count: float
    amount: float
    """The sum of what the kind measures: bytes, rows, seconds; 0 where it only counts."""
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class ProcessFigures:
    """One process that recorded itself, over the steady phase."""

    pid: int
    role: str
    seconds: float
    cpu_seconds: float
    python_cpu_seconds: float
    """Of its Python threads; the rest is that of native threads (OpenMP, BLAS)."""
    memory: list[tuple[float, float]]
    """(seconds since the steady phase began, resident bytes), at most a few dozen."""
    native_threads: int | None = None
    """Threads that Python knows nothing of, at the end."""


@dataclass(frozen=True, slots=True)
class UserLine:
    """A line of the user's own code with the time that it and the library code below it took."""

    place: Place
    stage: str | None
    share: float
    """Of the steady phase's wall time; all of the function's lines in this stage together."""
    samples: int
    with_callees: float | None = None
    """The same with the user's own functions that it calls; None: not known."""


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
    structure: Structure | None = None
    """Who waits for whom; None: only stacks were recorded, so that ceilings are by shares alone (Amdahl)."""
    processes: list[ProcessFigures] = field(default_factory=list)
    user_lines: list[UserLine] = field(default_factory=list)
    """Where user code spends each stage: the innermost function of user code, at its most sampled line."""
    withdrawn: list[str] = field(default_factory=list)
    """Claims that others of this profile contradicted, in words: the weaker one was dropped."""
    categories: list[CategoryRow] = field(default_factory=list)
    """The stages summed by category, the largest first."""
    functions: list[FunctionCost] = field(default_factory=list)
    """The user's functions with all that they call, over all stages, the most expensive first."""
    devices: list[DeviceUse] = field(default_factory=list)
    """The GPU of the training process; empty: it used none that could be looked at."""
    source: SourceLook = field(default_factory=SourceLook)
    """What the source of hot functions says; empty where it could not be read."""


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
