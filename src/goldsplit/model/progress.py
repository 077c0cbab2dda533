"""How a run went on: steps, episodes and updates over time, its speed, and whether that changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


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
    step_means: str | None = None
    """What one env step is where that is not plain: a move, a call of the function that the user named."""
    steady_env_steps: int | None = None
    """Env steps of the whole steady phase, prefill included."""

    @staticmethod
    def not_measured() -> Throughput:
        """Nothing was counted."""
        return Throughput(None, None, None, None, None, None, None, None, None, {}, {}, [])


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
    speeds_up: bool = False
    """The same for a cost that fell."""
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
