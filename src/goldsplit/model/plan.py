"""What to do about a run, in which order, and how much each step can save at most."""

from __future__ import annotations

from dataclasses import dataclass, field

from goldsplit.model.finding import Finding
from goldsplit.model.profile import Hotspot


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One finding that is worth fixing."""

    finding: Finding
    together_speedup: float | None
    """Speed-up of the run if this step and all before it reached their ceilings; None: nothing remains."""
    unbounded: bool = False
    """What one of these steps saves is not bounded by the recording: then this is no ceiling either."""
    counts: bool = True
    """Whether it is among what can still be gained: a step whose remedy was tried and lost is not."""


@dataclass(frozen=True, slots=True)
class StageAnswer:
    """Whether changes in user code can make a stage faster."""

    stage: str
    answer: str
    """yes, partly, no, small (the run hardly gains if it is free) or unknown (no hot function in it)."""
    own_share: float | None
    """Of the stage's sampled hot functions: how much is the user's own code. None: no samples."""
    hottest: Hotspot | None
    """Its hottest function, the user's own where there is one."""
    steps: list[int] = field(default_factory=list)
    """Numbers of the steps (from 1) that fix something in this stage."""


@dataclass(frozen=True, slots=True)
class StageLeft:
    """A stage before the plan, and after all of its steps."""

    stage: str
    share: float
    share_after: float
    """Of the shorter run's wall time."""
    share_left: float
    """What is left of `share`, of today's wall time."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The whole plan; steps with the largest ceiling first."""

    steps: list[PlanStep] = field(default_factory=list)
    not_worth: list[Finding] = field(default_factory=list)
    answers: list[StageAnswer] = field(default_factory=list)
    candidates: list[Hotspot] = field(default_factory=list)
    """Hot functions in user code that are worth changing."""
    share_by_kind: dict[str, float] = field(default_factory=dict)
    """Kind of code (yours, library, native, device) → share of wall time in its hot functions."""
    left: list[StageLeft] = field(default_factory=list)
    left_unattributed_share: float = 0.0
    """Of the shorter run's wall time: in no stage."""
    unattributed_left_share: float = 0.0
    """The same, of today's wall time."""
