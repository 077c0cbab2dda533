"""What remedies are tried on, until when, and what is read from their trials."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from goldsplit import pipeline
from goldsplit.experiment.remedies.schedule import Schedule
from goldsplit.model.experiment.design import Plan
from goldsplit.model.overlays.overlay import OverlayUse
from goldsplit.model.trajectory import Trajectory
from goldsplit.store.trajectory_file import read_trajectory


@dataclass(frozen=True, slots=True)
class Step:
    """What is about to run."""

    what: str
    number: int
    total: int
    seconds_left: float
    """Until all of it ends, at the latest."""


@dataclass(frozen=True, slots=True)
class Task:
    """What to try on what, and until when."""

    run: str
    plan: Plan
    """Name, command, metric, seeds, stages; its variants are made here."""
    folder: Path
    schedule: Schedule
    deadline: float
    """By the tools' clock."""


def overlay_uses(run_dir: Path) -> list[OverlayUse]:
    """What the overlays of a trial changed."""
    return pipeline.measure(run_dir).profile.run.overlays


@dataclass(frozen=True, slots=True)
class Readers:
    """What is read from a trial's recording, beside its figures."""

    trajectory: Callable[[Path], Trajectory | None] = read_trajectory
    uses: Callable[[Path], list[OverlayUse]] = overlay_uses
