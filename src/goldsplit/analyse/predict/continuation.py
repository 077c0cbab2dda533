"""How a recorded run goes on: models of its cost per env step and of its episodes' length."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence
from dataclasses import dataclass

from goldsplit.analyse.predict.drift import stage_us, steps_so_far
from goldsplit.analyse.predict.growth_fits import Fit, accelerating, growth, line
from goldsplit.errors import QuestionError
from goldsplit.model.progress import Drift, Window

RESAMPLES = 100
#: Windows are drawn in groups of so many: neighbours are alike.
DRAWN_TOGETHER = 3
#: Beyond so many times the run, alternatives have every shape of growth.
FAR = 1.5
#: Episodes cannot lengthen for ever: a straight line is believed up to so many times the recorded env steps.
LENGTHENS_UNTIL = 2.0


@dataclass(frozen=True, slots=True)
class Recorded:
    """What the run did, and the windows to extrapolate from."""

    env_steps: float
    amount: float
    unit: str
    windows: list[Window]
    """Since learning began, without stalls."""
    fixed_seconds: float
    """Start-up and shutdown: once, however long the run."""
    steady_seconds: float
    updates_per_step: float
    drift: Drift
    with_stalls: float
    """What a step took on average with stalls, over the same without them: there will be more of both."""
    before_seconds: float = 0.0
    before_amount: float = 0.0
    """What came before learning: once, too."""

    @property
    def seconds(self) -> float:
        return self.fixed_seconds + self.steady_seconds

    @property
    def grown(self) -> list[str]:
        """The stages that cost more and more per env step, by their names in windows."""
        return [row["window_stage"] for row in self.drift.growing_stages]


@dataclass(frozen=True, slots=True)
class Model:
    """Fitted growth."""

    costs_us: dict[str, Fit]
    """Stage → its cost per env step, for the stages that grew; "": all the rest together."""
    episode_steps: Fit | None

    def cost_us_at(self, env_steps: float) -> float:
        return sum(fit.at(env_steps) for fit in self.costs_us.values())


def seconds_per_step(windows: Sequence[Window]) -> float:
    return sum(w.seconds for w in windows) / sum(w.env_steps or 0 for w in windows)


def fitted(recorded: Recorded, windows: Sequence[Window]) -> Model:
    """How the run goes on: what grew steadily grows, all the rest costs what it cost."""
    at, weights = steps_so_far(windows), [float(w.env_steps or 0) for w in windows]
    rest = [1e6 * w.seconds / (w.env_steps or 1) for w in windows]
    costs: dict[str, Fit] = {}
    for stage in recorded.grown:
        own = [stage_us([window], stage) for window in windows]
        costs[stage] = growth(at, own, weights)
        rest = [whole - part for whole, part in zip(rest, own, strict=True)]
    if recorded.drift.slows_down and not costs:
        costs[""] = growth(at, rest, weights)
    else:
        costs[""] = Fit("constant", _level(recorded, windows, rest))
    lengths = _lengths(windows, at) if recorded.unit == "episodes" else None
    if lengths is not None and not lengths[0]:
        raise QuestionError(
            "no episode ended in the steady part of this run", "record longer, or ask for --env-steps"
        )
    return Model(
        costs, believable(growth(*lengths), lengths, LENGTHENS_UNTIL) if lengths is not None else None
    )


def _level(recorded: Recorded, windows: Sequence[Window], costs: Sequence[float]) -> float:
    """The mean cost of a step; where it changed once, that of the time since then."""
    since = recorded.drift.changed.at_env_steps if recorded.drift.changed is not None else 0.0
    rows = list(zip(windows, costs, strict=True))
    late = [row for row in rows if (row[0].env_steps_before or 0) >= since] or rows
    return sum(cost * (w.env_steps or 0) for w, cost in late) / sum(w.env_steps or 0 for w, _ in late)


Series = tuple[list[float], list[float], list[float]]


def _lengths(windows: Sequence[Window], at: list[float]) -> Series:
    """Env steps so far, env steps per episode, and weight; windows without an ended episode join the next."""
    xs: list[float] = []
    ys: list[float] = []
    weights: list[float] = []
    steps = 0
    for window, x in zip(windows, at, strict=True):
        steps += window.env_steps or 0
        if window.episodes:
            xs.append(x)
            ys.append(steps / window.episodes)
            weights.append(float(steps))
            steps = 0
    return xs, ys, weights


def believable(fit: Fit, series: Series, until: float) -> Fit:
    """Episodes neither lengthen for ever nor become shorter than the shortest seen."""
    if fit.slope == 0:
        return fit
    end = until * max(series[0]) if fit.slope > 0 else max(0.0, (min(series[1]) - fit.base) / fit.slope)
    return dataclasses.replace(fit, full_at=min(fit.full_at, end))


def expected(recorded: Recorded, model: Model, target: float) -> tuple[float, float]:
    """Wall seconds and env steps in all: what was recorded, then what the model says up to the target."""
    steps = steps_at(recorded, model, target)
    seconds = recorded.seconds
    if steps <= recorded.env_steps:
        return _within(recorded, steps), steps
    for fit in model.costs_us.values():
        # what became cheaper does not become free
        onward = fit if fit.slope >= 0 else Fit("constant", fit.at(recorded.env_steps))
        seconds += recorded.with_stalls * onward.integral(recorded.env_steps, steps) / 1e6
    return seconds, steps


def _within(recorded: Recorded, steps: float) -> float:
    """A shorter run: as recorded up to there."""
    share, done, spent = 0.0, 0.0, 0.0
    begun = recorded.windows[0].env_steps_before or 0
    total = sum(w.seconds for w in recorded.windows)
    before = max(0.0, recorded.steady_seconds - total)
    if steps <= begun:
        return recorded.fixed_seconds + before * steps / max(begun, 1)
    for window in recorded.windows:
        number = window.env_steps or 0
        share = min(1.0, max(0.0, (steps - begun - done) / max(number, 1)))
        spent += share * window.seconds
        done += number
    return recorded.fixed_seconds + before + spent


def steps_at(recorded: Recorded, model: Model, target: float) -> float:
    """Env steps when the target is reached."""
    if recorded.unit == "env_steps":
        return target
    missing = target - recorded.amount
    if recorded.unit == "updates":
        return recorded.env_steps + missing / max(recorded.updates_per_step, 1e-12)
    if missing <= 0:
        return recorded.env_steps * target / recorded.amount
    return recorded.env_steps + _steps_for(missing, model.episode_steps, recorded.env_steps)


def _steps_for(episodes: float, lengths: Fit | None, start: float) -> float:
    """Env steps of so many more episodes, each as long as the model says at its start."""
    if lengths is None:
        raise QuestionError("episodes were not counted in this run")
    steps, pieces = 0.0, 200
    for _ in range(pieces):
        steps += episodes / pieces * max(1.0, lengths.at(start + steps))
    return steps


def alternatives(recorded: Recorded, likely: Model, reach: float) -> list[Model]:
    """Models from windows drawn at random; far out also growth that stops now, and that becomes faster."""
    chance = random.Random(11)
    windows = recorded.windows
    models = []
    for _ in range(RESAMPLES):
        drawn: list[int] = []
        while len(drawn) < len(windows):
            start = chance.randrange(len(windows))
            drawn += range(start, min(start + DRAWN_TOGETHER, len(windows)))
        chosen = [windows[i] for i in sorted(drawn[: len(windows)])]
        if recorded.unit != "episodes" or any(window.episodes for window in chosen):
            models.append(fitted(recorded, chosen))
    if reach <= FAR:
        return models
    now, at = recorded.env_steps, steps_so_far(windows)
    costs = [{stage: Fit("constant", fit.at(now)) for stage, fit in likely.costs_us.items()}]
    if recorded.grown:  # what grows may grow faster and faster: how it goes on was not seen
        costs.append(_steepest(windows, likely, recorded.grown))
    elif recorded.drift.slows_down:
        whole = [1e6 * w.seconds / (w.env_steps or 1) for w in windows]
        costs.append({"": accelerating(at, whole, [float(w.env_steps or 0) for w in windows])})
    if recorded.drift.changed is not None:  # it may change back
        mean = 1e6 * seconds_per_step(windows)
        costs.append({"": Fit("constant", mean)})
    lengths: list[Fit | None] = [None]
    if likely.episode_steps is not None:
        series = _lengths(windows, at)
        lengths = [Fit("constant", likely.episode_steps.at(now)), believable(line(*series), series, reach)]
    extremes = [Model(cost, length) for cost in costs for length in lengths]
    return models + extremes * (len(models) // 20)  # often enough to stay inside the 95 %


def _steepest(windows: Sequence[Window], likely: Model, grown: Sequence[str]) -> dict[str, Fit]:
    """Each growing stage with the square of the env steps."""
    at, weights = steps_so_far(windows), [w.seconds for w in windows]
    squares = {
        stage: accelerating(at, [stage_us([window], stage) for window in windows], weights) for stage in grown
    }
    return likely.costs_us | squares
