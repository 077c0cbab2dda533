"""Who waits for whom in a run: what ceilings and what-ifs are computed from.

Totals are of the steady phase and exact; turns and items are a sample of it, seen span by span. Stage ""
is time in no stage. All of it is measured; what follows from it is in `analyse/predict/ceilings.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class WorkerTurn:
    """What one worker did in one turn of a lock-step loop."""

    worker: int
    """Place in `Structure.workers`."""
    finish_us: float
    """When its work was done, counted from the instant the driver began to wait; negative: before that."""
    stages: dict[str, float]
    """Stage → microseconds of its work in this turn, messages included."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One wait of the driver for all its workers: it ends with the slowest."""

    wait_us: float
    ahead: dict[str, float]
    """Stage → microseconds that the driver worked while the workers already did."""
    workers: list[WorkerTurn]
    asks_at_once: bool = True
    """The driver asked the workers and waited; else it did other work between, and its sending is no part of
    the wait."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that a thread beside the driver prepared (a batch, a rollout), from taking to taking."""

    wait_us: float
    driver: dict[str, float]
    """Stage → microseconds of the driver's own work since it took the last one."""
    helpers: dict[str, float]
    """Stage → microseconds of work of the preparing threads in the same time."""


@dataclass(frozen=True, slots=True)
class Worker:
    """One thread or process that steps environments for the driver."""

    pid: int
    thread_id: int
    envs: int
    """Environments that it steps one after another in each turn."""
    step_us: list[float]
    """A sample of single environment steps, resets included, in order of size."""
    cpu_share: float | None
    """Of its time in steps, without waiting for a core: how much it needed one. None: not measured."""
    delayed_share: float | None
    """Of its time in steps: ready to run, but without a core."""


@dataclass(frozen=True, slots=True)
class Structure:
    """The dependency structure of a run, as recorded."""

    kind: str
    """alone: the driver waits for no other thread; lock-step: it waits for the slowest of its workers in each
    turn; overlap: threads beside it prepare what it takes; unknown: it waits, but not seen for what."""
    wall_seconds: float
    own: dict[str, float]
    """Stage → seconds of the driver's own time."""
    waited: dict[str, float]
    """Stage → seconds that the driver waited while others were in it."""
    calls: dict[str, int]
    """Stage → calls on the driver's thread."""
    cores: int
    envs: int | None
    """Environments that are stepped in one turn; None: not seen."""
    turns_seen: int
    """Turns or items that were seen span by span; at most some hundred of them are kept."""
    workers: list[Worker] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    helpers: int = 0
    """Threads that prepare items."""
    depth: int = 1
    """How many finished items can be waiting to be taken, as the recorded waiting suggests."""
    handover_us: float = 0.0
    """What an item took a helper beyond its work, as the recorded waiting suggests."""
