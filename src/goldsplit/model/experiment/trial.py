"""One trial: a short recording of one variant, and what was measured in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class Point(NamedTuple):
    """How far a training had come at an instant; all figures count from the run's beginning."""

    seconds: float
    """Since the first env step."""
    env_steps: float | None
    updates: float | None
    episodes: float | None
    cpu_seconds: float | None
    """Of the whole process tree."""


@dataclass(frozen=True, slots=True)
class Calm:
    """What else the machine did during a trial. None: not measured."""

    load_before: float | None = None
    """Processes that wanted a core, on average over the last minute, before the trial."""
    other_cores: float | None = None
    """Cores that programs outside the trial kept busy."""
    stolen_share: float | None = None
    """Share of processor time that the host of a virtual machine took."""
    cores: int = 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a trial's episodes say about one gate."""

    count: int
    mean: float | None = None
    """Of the values; None: none, or the gate asks for reasons."""
    reasons: dict[str, int] = field(default_factory=dict)


class TrialStatus:
    COMPLETE = "complete"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Trial:
    """What is kept of one trial. A failed one has a problem and no figures."""

    block: int
    variant: str
    position: int
    """Which trial of its block it was."""
    seed: int
    status: str
    run: str
    """Its run directory, by name."""
    problem: str = ""
    wall_seconds: float = 0.0
    """Of the command, start-up included."""
    runner_seconds: float = 0.0
    """What running and reading the trial took beyond the command."""
    curve: tuple[Point, ...] = ()
    learning_from_steps: float = 0.0
    """Env steps before the first update: a replay memory was being filled."""
    figures: dict[str, float] = field(default_factory=dict)
    """Whole-trial figures by name: peak memory, a stage's cost, means of the user's metrics."""
    counts: dict[str, float] = field(default_factory=dict)
    """What does not depend on the machine, per env step: calls of stages, updates, bytes sent."""
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    """By gate."""
    calm: Calm = field(default_factory=Calm)
    node: str = ""
    """The node of a cluster that it ran on; "": this machine."""

    @property
    def complete(self) -> bool:
        return self.status == TrialStatus.COMPLETE
