"""How long would the run take at another horizon? Not in proportion, where steps or episodes grow.

Cost per env step and steps per episode are fitted over the windows since learning began, each as constant,
linear, accelerating or saturating in env steps; then the wall time is their sum up to the horizon.
"""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from goldsplit.analyse.predict.drift import (
    episode_steps,
    growing_stages,
    learning,
    quarters,
    stage_us,
    steps_so_far,
)
from goldsplit.analyse.predict.growth_fits import Fit, accelerating, growth, line
from goldsplit.errors import QuestionError
from goldsplit.model.horizon import Horizon, Trend
from goldsplit.model.profile import Profile, Window

RESAMPLES = 100
#: Beyond so many times the run, the interval covers every shape of growth; beyond the second, it is a guess.
FAR, ABSURD = 1.5, 20.0
LEAST_WINDOWS = 4
#: Episodes cannot lengthen for ever: a straight line is believed up to so many times the recorded env steps.
LENGTHENS_UNTIL = 2.0


@dataclass(frozen=True, slots=True)
class Recorded:
    """What the run did, and the windows to extrapolate from."""

    env_steps: float
    amount: float
    unit: str
    windows: list[Window]
    fixed_seconds: float
    """Start-up and shutdown: once, however long the run."""
    steady_seconds: float
    updates_per_step: float


@dataclass(frozen=True, slots=True)
class Model:
    """Fitted growth."""

    costs_us: dict[str, Fit]
    """Stage → its cost per env step, for the stages that grew; "": all the rest together."""
    episode_steps: Fit | None

    def cost_us_at(self, env_steps: float) -> float:
        return sum(fit.at(env_steps) for fit in self.costs_us.values())


def horizon(profile: Profile, unit: str, target: float) -> Horizon:
    """Expected wall time for so many episodes, env steps or updates in all."""
    recorded = look_at(profile, unit)
    windows = recorded.windows
    grown = growing(windows)
    model = fitted(windows, unit, grown)
    seconds, steps = expected(recorded, model, target)
    factor = target / recorded.amount
    reach = max(factor, steps / recorded.env_steps)
    ends = [expected(recorded, other, target)[0] for other in alternatives(recorded, model, grown, reach)]
    drawn = sorted([*ends, seconds])
    cut = len(drawn) // 40
    so_far = recorded.fixed_seconds + recorded.steady_seconds
    noise = unexplained(windows, model)
    naive = recorded.fixed_seconds + recorded.steady_seconds * factor
    return Horizon(
        run=profile.run.id,
        unit=unit,
        target=target,
        recorded=recorded.amount,
        factor=factor,
        wall_seconds=seconds,
        low_seconds=_spread(min(seconds, drawn[cut]), so_far, -noise),
        high_seconds=_spread(max(seconds, drawn[-1 - cut]), so_far, noise),
        env_steps=steps,
        naive_seconds=naive,
        naive_error=naive / seconds - 1.0,
        recorded_seconds=so_far,
        cost_us=cost_trend(model, windows, recorded.env_steps, steps),
        episode_steps=None
        if model.episode_steps is None
        else length_trend(model.episode_steps, windows, recorded.env_steps, steps),
        fixed_seconds=recorded.fixed_seconds,
        warnings=warnings(reach, model, windows),
    )


def unexplained(windows: Sequence[Window], model: Model) -> float:
    """How far single windows lie from the model, as a share: the rest of the run may be as unlucky."""
    errors = [
        1e6 * window.seconds / (window.env_steps or 1) / max(1e-9, model.cost_us_at(at)) - 1.0
        for window, at in zip(windows, steps_so_far(windows), strict=True)
    ]
    return min(0.5, math.sqrt(sum(error * error for error in errors) / len(errors)))


def _spread(seconds: float, so_far: float, noise: float) -> float:
    """A time with the part that was not recorded made longer or shorter."""
    return seconds + noise * max(0.0, seconds - so_far)


def look_at(profile: Profile, unit: str) -> Recorded:
    """The run's own figures; raises QuestionError where they do not allow an extrapolation."""
    flow = profile.throughput
    amount = {"episodes": flow.episodes, "env_steps": flow.env_steps, "updates": flow.updates}[unit]
    words = unit.replace("_", " ")
    if not amount or not flow.env_steps:
        counted = words if not amount else "env steps"
        raise QuestionError(
            f"{counted} were not counted in this run",
            f'count them in your loop: goldsplit.count("{counted.replace(" ", "_")}"), and record again; '
            "or ask for --env-steps",
        )
    windows = learning([w for w in flow.windows if w.env_steps])
    if len(windows) < LEAST_WINDOWS:
        raise QuestionError(
            f"the run is too short to extrapolate: {len(windows)} windows since learning began",
            "record for at least ten seconds of training",
        )
    steps = sum(w.env_steps or 0 for w in windows)
    phases = profile.phases
    return Recorded(
        env_steps=float(flow.env_steps),
        amount=float(amount),
        unit=unit,
        windows=windows,
        fixed_seconds=(phases.startup_seconds or 0.0) + (phases.shutdown_seconds or 0.0),
        steady_seconds=phases.steady_seconds,
        updates_per_step=sum(w.updates or 0 for w in windows) / steps,
    )


def growing(windows: list[Window]) -> list[str]:
    """The stages that cost more and more per env step, by more than chance. Each is fitted alone: together,
    the noise of the others would hide its trend."""
    return [row["window_stage"] for row in growing_stages(windows, {})]


def fitted(windows: Sequence[Window], unit: str, grown: Sequence[str]) -> Model:
    """Growth models, each the simplest that explains its figure."""
    at, weights = steps_so_far(windows), [w.seconds for w in windows]
    rest = [1e6 * w.seconds / (w.env_steps or 1) for w in windows]
    costs: dict[str, Fit] = {}
    for stage in grown:
        own = [stage_us([window], stage) for window in windows]
        costs[stage] = growth(at, own, weights)
        rest = [whole - part for whole, part in zip(rest, own, strict=True)]
    costs[""] = growth(at, rest, weights)
    lengths = _lengths(windows, at) if unit == "episodes" else None
    return Model(
        costs, believable(growth(*lengths), lengths, LENGTHENS_UNTIL) if lengths is not None else None
    )


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
    seconds = recorded.fixed_seconds + recorded.steady_seconds
    if steps <= recorded.env_steps:
        return _within(recorded, steps), steps
    for fit in model.costs_us.values():
        # what became cheaper does not become free
        onward = fit if fit.slope >= 0 else Fit("constant", fit.at(recorded.env_steps))
        seconds += onward.integral(recorded.env_steps, steps) / 1e6
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


def alternatives(recorded: Recorded, likely: Model, grown: Sequence[str], reach: float) -> list[Model]:
    """Models from windows drawn at random; far out also growth that stops now, and that never stops."""
    chance = random.Random(11)
    windows, unit = recorded.windows, recorded.unit
    models = []
    for _ in range(RESAMPLES):
        drawn = sorted(chance.choices(range(len(windows)), k=len(windows)))
        models.append(fitted([windows[i] for i in drawn], unit, grown))
    if reach <= FAR:
        return models
    now, at = recorded.env_steps, steps_so_far(windows)
    flat = {stage: Fit("constant", fit.at(now)) for stage, fit in likely.costs_us.items()}
    whole = line(at, [1e6 * w.seconds / (w.env_steps or 1) for w in windows], [w.seconds for w in windows])
    costs = [flat, {"": whole if whole.slope > 0 else Fit("constant", whole.at(now))}]
    if grown:  # what grows may grow faster and faster: how it goes on was not seen
        costs.append(_steepest(windows, likely, grown))
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


def cost_trend(model: Model, windows: list[Window], now: float, then: float) -> Trend:
    """All stages together, under the name of the part that grows most."""
    stage, fit = max(model.costs_us.items(), key=lambda item: item[1].at(now) - item[1].at(0.0))
    first = quarters(windows)[0]
    return Trend(
        model=fit.model,
        first=1e6 * sum(w.seconds for w in first) / sum(w.env_steps or 0 for w in first),
        last=model.cost_us_at(now),
        at_horizon=model.cost_us_at(max(now, then)),
        full_at_env_steps=fit.full_at if fit.model == "saturating" else None,
        stage=stage or None,
    )


def length_trend(fit: Fit, windows: list[Window], now: float, then: float) -> Trend:
    first = episode_steps(quarters(windows)[0]) or fit.at(0.0)
    full = fit.full_at if fit.model == "saturating" else None
    return Trend(fit.model, first, fit.at(now), fit.at(max(now, then)), full)


def warnings(reach: float, model: Model, windows: Sequence[Window]) -> list[str]:
    """How far to believe it."""
    found = []
    if reach > ABSURD:
        found.append(
            f"this extrapolates to {reach:.0f} times the recorded env steps: a guess, not a prediction; "
            f"record at least a {ABSURD:.0f}th of the horizon"
        )
    elif reach > FAR:
        found.append(
            f"this extrapolates to {reach:.1f} times the recorded env steps; the interval covers growth that "
            "stops now and growth that becomes faster"
        )
    if len(windows) < 8:
        found.append(f"only {len(windows)} windows to fit: record longer for a narrower interval")
    if (
        model.episode_steps is not None
        and model.episode_steps.model in ("linear", "accelerating")
        and reach > 1
    ):
        found.append(
            "episodes still became longer when the recording ended; that is believed to go on up to "
            f"{LENGTHENS_UNTIL:.0f} times the recorded env steps"
        )
    return found
