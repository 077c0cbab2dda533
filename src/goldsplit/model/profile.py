"""What an analysis says about a run. Field names are those of the report JSON; None means "not measured"."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from goldsplit.model.deep import DeepLook
from goldsplit.model.finding import Place
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


@dataclass(frozen=True, slots=True)
class Phases:
    """Start-up is everything before the first environment step, and compilation wherever it happens."""

    startup_seconds: float | None
    steady_seconds: float
    shutdown_seconds: float | None


@dataclass(frozen=True, slots=True)
class Window:
    """One part of the steady phase."""

    start: float
    seconds: float
    env_steps: int | None
    env_steps_per_second: float | None
    episodes: int | None
    updates: int | None
    stages: dict[str, float]
    """Stage → share of this window's wall time, waiting not yet charged to its cause."""
    calls: dict[str, int] = field(default_factory=dict)
    """Stage → calls, in all threads and processes."""
    call_us: dict[str, float] = field(default_factory=dict)
    """Stage → mean duration of one of these calls, inner stages included."""
    env_steps_before: int | None = None
    """Env steps of the whole run before this window."""
    delayed_seconds: float = 0.0
    """How long the driver was ready but had no core."""
    cpu_seconds: float | None = None
    """How long the driver had a core; None: not measured."""
    rss_bytes: int | None = None
    """Memory of all processes; None: no system sample near this window."""
    open_files: int | None = None
    processes: int | None = None


class UpdatesFrom:
    """What updates are counted from."""

    PROGRAM = "the program's own count"
    OPTIMIZERS = "optimizer steps"
    BACKWARD = "backward passes"
    GRADIENTS = "calls of torch.autograd.grad"
    CALLS = "calls of the function that learns"


@dataclass(frozen=True, slots=True)
class Prefill:
    """What came before learning: a replay memory is filled, often with random actions."""

    seconds: float
    env_steps: int | None
    episodes: int | None
    env_steps_per_second: float | None


@dataclass(frozen=True, slots=True)
class Stalls:
    """Windows in which time passed but the driver had no core, or did nothing more than usual."""

    count: int
    """Windows that follow each other are one stall."""
    seconds: float
    """How long these windows were."""
    lost_seconds: float
    """How much longer than windows around them with as many env steps."""


@dataclass(frozen=True, slots=True)
class Throughput:
    """Counts are of the whole run; rates are of the steady phase since learning began: see `prefill`."""

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
    updates_counted_from: str | None = None
    """What `updates` are: one of `UpdatesFrom`; None: none were seen."""
    prefill: Prefill | None = None
    """Left out of all rates; None: learning began at once, or was not seen."""
    stalls: Stalls | None = None
    """In the rates, but in no trend; None: none was seen."""
    steady_env_steps: int | None = None
    """Env steps of the whole steady phase, prefill included."""

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
    samples: int | None = None
    """The stack samples that put time into it; None: spans alone did."""
    place: Place | None = None
    """The user's own function that the row is named by, where no stage is known; else None."""
    map_with: str | None = None
    """What makes it a stage in the next recording: the value of `--stage`, ready to paste. None: it has a
    stage, or no function that a mapping could name."""


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
class Changed:
    """A step, not a trend: one level, then another (a new level of the game, another opponent)."""

    at_env_steps: float
    at_seconds: float
    """Since the steady phase began."""
    us_per_env_step_before: float
    us_per_env_step_after: float

    @property
    def factor(self) -> float:
        return self.us_per_env_step_after / self.us_per_env_step_before


@dataclass(frozen=True, slots=True)
class Drift:
    """How the run changed from the first to the last quarter of its windows.

    Of the windows since learning began, joined to whole rounds of collecting and learning, without stalls.
    Costs leave out the time in which the driver had no core. They are per env step, never per episode alone:
    whether episodes became longer is a figure of its own.
    """

    throughput_change: float | None
    """Env steps per second, last quarter over first, minus 1; None: too short, or no env steps."""
    growing_stages: list[dict[str, Any]]
    """Stages whose cost per env step grew steadily, by more than chance, the one that grew most first. Each:
    stage; us_per_env_step_first, us_per_env_step_last and their ratio, factor;
    us_per_call_first, us_per_call_last and call_factor: whether one call became slower (None: not counted);
    calls_per_env_step_first, calls_per_env_step_last: or whether it is called more often;
    against: what the cost follows best ("transitions stored", "episode length", "env steps", "memory",
    "open files", "processes"; None: nothing), correlation, against_first, against_last;
    model: constant, linear, accelerating or saturating in env steps, and full_at_env_steps for the last;
    window_stage: its name in `Window.stages` (a wait has its own name there, not its cause's)."""
    us_per_env_step_first: float | None = None
    us_per_env_step_last: float | None = None
    cost_factor: float | None = None
    """Their ratio: how much more expensive an env step became."""
    slows_down: bool = False
    """Whether the cost per env step rose steadily, by more than chance, and enough to matter."""
    model: str | None = None
    """How the cost per env step went with their number: constant, linear, accelerating or saturating."""
    us_per_update_first: float | None = None
    us_per_update_last: float | None = None
    """Wall time per update, everything included."""
    episode_steps_first: float | None = None
    episode_steps_last: float | None = None
    episode_factor: float | None = None
    """Their ratio: how much longer an episode became, in env steps."""
    episodes_change: str | None = None
    """longer, shorter or steady (within chance); None: not counted, or too few episodes."""
    windows_compared: int = 0
    changed: Changed | None = None
    """Where the cost per env step changed once and stayed so: another phase, no trend."""
    changed_stages: list[dict[str, Any]] = field(default_factory=list)
    """Stages that changed once, as in `growing_stages`, with changed_at_env_steps."""


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
