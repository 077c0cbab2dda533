"""From trials to values: each metric over the same stretch of env steps in every trial of a block."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from goldsplit.errors import ConfigError
from goldsplit.model.experiment.design import Plan
from goldsplit.model.experiment.trial import Point, Trial

CPU_METRIC = "cpu_seconds_per_1000_env_steps"
#: In front of a stage's name: microseconds of wall time per env step.
STAGE = "stage:"
SECONDS_TO_TARGET = "seconds_to_target"


@dataclass(frozen=True, slots=True)
class Stretch:
    """The part of a training that is compared: by env steps (updates, where no env step was counted)."""

    start: float
    end: float
    by_updates: bool = False


@dataclass(frozen=True, slots=True)
class Metric:
    """How a metric is read; `higher_is_better` says which way a gain is."""

    higher_is_better: bool
    value: Callable[[Trial, Stretch | None], float | None]


def metric_of(plan: Plan, name: str) -> Metric:
    """A metric by its name in the plan."""
    known = METRICS.get(name)
    if known is not None:
        return known
    if name.startswith(STAGE) or name == SECONDS_TO_TARGET:
        return Metric(False, lambda trial, _: trial.figures.get(name))
    if name in plan.metrics:
        return Metric(not plan.lower_is_better, lambda trial, _: trial.figures.get(name))
    raise ConfigError(
        f"there is no metric {name!r}",
        f"there are: {', '.join(sorted(METRICS))}, stage:NAME, {SECONDS_TO_TARGET}, [metrics.NAME]",
    )


def common_stretch(trials: Sequence[Trial], warm_up: float) -> Stretch | None:
    """The stretch that all these trials have, without warm-up and without what came before learning; None:
    they have none in common."""
    by_updates = any(not _reached(trial, False) for trial in trials)
    ends = [_reached(trial, by_updates) for trial in trials]
    if not trials or min(ends) <= 0:
        return None
    end = min(ends)
    start = warm_up * end
    if not by_updates:
        # Where nearly all steps come before learning, the trial is too short to leave them out.
        start = max([start, *(t.learning_from_steps for t in trials if t.learning_from_steps <= end / 2)])
    return Stretch(start, end, by_updates)


def _reached(trial: Trial, by_updates: bool) -> float:
    last = trial.curve[-1] if trial.curve else None
    reached = None if last is None else last.updates if by_updates else last.env_steps
    return reached or 0.0


def at(curve: Sequence[Point], stretch: Stretch, progress: float) -> Point | None:
    """Everything at the instant up to which so many steps had been made: learning that follows a step belongs
    to it."""
    axis = [(point.updates if stretch.by_updates else point.env_steps) or 0.0 for point in curve]
    place = bisect_right(axis, progress) - 1
    if place < 0:
        return None
    if place == len(axis) - 1:
        return curve[-1]
    part = (progress - axis[place]) / (axis[place + 1] - axis[place])
    pairs = zip(curve[place], curve[place + 1], strict=True)
    between = [None if a is None or b is None else a + (b - a) * part for a, b in pairs]
    return Point(between[0] or 0.0, *between[1:])


def _grown(trial: Trial, stretch: Stretch | None) -> Point | None:
    """What was done and used within the stretch."""
    if stretch is None or not trial.curve:
        return None
    first, last = (at(trial.curve, stretch, progress) for progress in (stretch.start, stretch.end))
    if first is None or last is None:
        return None
    pairs = zip(first, last, strict=True)
    grown = [None if a is None or b is None else b - a for a, b in pairs]
    return Point(grown[0] or 0.0, *grown[1:])


def compared_seconds(trial: Trial, stretch: Stretch | None) -> float | None:
    """How long the compared part of a trial lasted; None: it has none."""
    grown = _grown(trial, stretch)
    return None if grown is None else grown.seconds


def _per(top: str, bottom: str, scale: float = 1.0) -> Callable[[Trial, Stretch | None], float | None]:
    def value(trial: Trial, stretch: Stretch | None) -> float | None:
        grown = _grown(trial, stretch)
        above, below = (None, None) if grown is None else (getattr(grown, top), getattr(grown, bottom))
        return scale * above / below if above and below else None

    return value


def _figure(name: str) -> Callable[[Trial, Stretch | None], float | None]:
    return lambda trial, _: trial.figures.get(name)


METRICS = {
    "env_steps_per_second": Metric(True, _per("env_steps", "seconds")),
    "updates_per_second": Metric(True, _per("updates", "seconds")),
    "episodes_per_second": Metric(True, _per("episodes", "seconds")),
    "seconds_per_1000_env_steps": Metric(False, _per("seconds", "env_steps", 1000.0)),
    CPU_METRIC: Metric(False, _per("cpu_seconds", "env_steps", 1000.0)),
    "cpu_seconds_per_1000_updates": Metric(False, _per("cpu_seconds", "updates", 1000.0)),
    "peak_memory_bytes": Metric(False, _figure("peak_memory_bytes")),
    "wall_seconds": Metric(False, lambda trial, _: trial.wall_seconds or None),
}
#: Those that a change of CPU time per step changes, too.
WALL_METRICS = frozenset(METRICS) - {CPU_METRIC, "cpu_seconds_per_1000_updates", "peak_memory_bytes"}
