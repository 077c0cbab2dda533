"""How long would the run take at another horizon? Not in proportion, where steps or episodes grow.

Cost per env step goes on as it was since learning began, and grows only where drift.py says that it does:
noise is not extrapolated. Steps per episode are fitted as constant, linear, accelerating or saturating in env
steps. Then the wall time is their sum up to the horizon. An interval that is too wide to plan with is no
answer: what is missing is said instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from goldsplit.analyse.counts.trend_windows import trend_windows
from goldsplit.analyse.predict.continuation import (
    FAR,
    LENGTHENS_UNTIL,
    Model,
    Recorded,
    alternatives,
    expected,
    fitted,
    seconds_per_step,
)
from goldsplit.analyse.predict.drift import drift, episode_steps, first_of, quarters, steps_so_far
from goldsplit.analyse.predict.growth_fits import Fit
from goldsplit.analyse.predict.trend_tests import alikeness
from goldsplit.errors import QuestionError
from goldsplit.model.horizon import Horizon, Trend
from goldsplit.model.profile import Profile
from goldsplit.model.progress import Window

#: Beyond so many times the run, an answer is a guess.
ABSURD = 20.0
LEAST_WINDOWS = 4
#: The ends of an interval that are further apart than this factor are no answer.
MOST_SPREAD = 3.0


@dataclass(frozen=True, slots=True)
class Interval:
    """A time and the ends of its interval."""

    low: float
    seconds: float
    high: float

    @property
    def usable(self) -> bool:
        return self.high <= MOST_SPREAD * self.low


def horizon(profile: Profile, unit: str, target: float) -> Horizon:
    """Expected wall time for so many episodes, env steps or updates in all; raises QuestionError where the
    recording does not tell it within a factor of three."""
    recorded = look_at(profile, unit)
    windows = recorded.windows
    model = fitted(recorded, windows)
    steps = expected(recorded, model, target)[1]
    factor = target / recorded.amount
    reach = max(factor, steps / recorded.env_steps)
    models = alternatives(recorded, model, reach)
    noise = unexplained(windows, model)

    def interval_at(amount: float) -> Interval:
        return _interval(recorded, model, models, noise, amount)

    found = interval_at(target)
    if not found.usable:
        raise too_far(recorded, interval_at, target)
    naive = proportion(recorded, target)
    return Horizon(
        run=profile.run.id,
        unit=unit,
        target=target,
        recorded=recorded.amount,
        factor=factor,
        wall_seconds=found.seconds,
        low_seconds=found.low,
        high_seconds=found.high,
        env_steps=steps,
        naive_seconds=naive,
        naive_error=naive / found.seconds - 1.0,
        recorded_seconds=recorded.seconds,
        cost_us=cost_trend(model, windows, recorded.env_steps, steps),
        episode_steps=None
        if model.episode_steps is None
        else length_trend(model.episode_steps, windows, recorded.env_steps, steps),
        fixed_seconds=recorded.fixed_seconds,
        warnings=warnings(reach, model, recorded),
    )


def _interval(
    recorded: Recorded, model: Model, models: Sequence[Model], noise: float, target: float
) -> Interval:
    """95 %; what was recorded is certain, so that no end lies below it."""
    seconds = expected(recorded, model, target)[0]
    drawn = sorted([*(expected(recorded, other, target)[0] for other in models), seconds])
    cut = len(drawn) // 40
    so_far = recorded.seconds
    return Interval(
        _spread(min(seconds, drawn[cut]), so_far, -noise),
        seconds,
        _spread(max(seconds, drawn[-1 - cut]), so_far, noise),
    )


def too_far(recorded: Recorded, interval_at: Callable[[float], Interval], target: float) -> QuestionError:
    """What is missing: how far this recording tells, and how long another one has to be."""
    low, high = recorded.amount, target
    if interval_at(low).usable:
        for _ in range(30):
            middle = math.sqrt(low * high)
            low, high = (middle, high) if interval_at(middle).usable else (low, middle)
    name, times = recorded.unit.replace("_", " "), target / low
    grown = first_of(recorded.drift.growing_stages)
    why = (
        f"{grown} grew, and how it goes on was not seen"
        if grown
        else "the cost per env step grew, and how it goes on was not seen"
        if recorded.drift.slows_down
        else "its windows vary too much"
        + (", or its episodes became longer" if recorded.unit == "episodes" else "")
    )
    minutes = max(1, math.ceil(times * recorded.seconds / 60))
    return QuestionError(
        f"this recording does not tell how long {target:,.0f} {name} take, not even within a factor of "
        f"{MOST_SPREAD:.0f}: {why}",
        f"record about {minutes:,} min of training ({times:.1f} times as long as this run), "
        f"or ask for at most {low:,.0f} {name}",
    )


def proportion(recorded: Recorded, target: float) -> float:
    """The recorded time in proportion; start-up and what came before learning count once."""
    once = recorded.fixed_seconds + recorded.before_seconds
    part = max(0.0, target - recorded.before_amount) / max(1e-9, recorded.amount - recorded.before_amount)
    return once + (recorded.steady_seconds - recorded.before_seconds) * part


def unexplained(windows: Sequence[Window], model: Model) -> float:
    """How far the rest of the run may lie from the model, as a share: half of what a single window does, and
    two standard errors of all of them."""
    errors = [
        1e6 * window.seconds / (window.env_steps or 1) / max(1e-9, model.cost_us_at(at)) - 1.0
        for window, at in zip(windows, steps_so_far(windows), strict=True)
    ]
    single = math.sqrt(sum(error * error for error in errors) / len(errors))
    alike = alikeness(errors)
    return min(0.5, max(single / 2, 2 * single * math.sqrt((1 + alike) / (1 - alike) / len(errors))))


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
    found = trend_windows(flow.windows)
    windows = found.steady
    if len(windows) < LEAST_WINDOWS:
        raise QuestionError(
            f"the run is too short to extrapolate: {len(windows)} windows since learning began",
            f"record for at least ten seconds of training, and {LEAST_WINDOWS} rounds of updates",
        )
    before, phases = flow.prefill, profile.phases
    amounts = {"episodes": before.episodes, "env_steps": before.env_steps} if before is not None else {}
    return Recorded(
        env_steps=float(flow.env_steps),
        amount=float(amount),
        unit=unit,
        windows=windows,
        fixed_seconds=(phases.startup_seconds or 0.0) + (phases.shutdown_seconds or 0.0),
        steady_seconds=phases.steady_seconds,
        updates_per_step=sum(w.updates or 0 for w in windows) / sum(w.env_steps or 0 for w in windows),
        drift=profile.drift if profile.drift.windows_compared else drift(flow.windows),
        with_stalls=seconds_per_step([*windows, *found.stalled]) / seconds_per_step(windows),
        before_seconds=before.seconds if before is not None else 0.0,
        before_amount=float(amounts.get(unit) or 0.0),
    )


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


def warnings(reach: float, model: Model, recorded: Recorded) -> list[str]:
    """How far to believe it."""
    found = []
    if reach > ABSURD:
        found.append(
            f"this extrapolates to {reach:.0f} times the recorded env steps: a guess, not a prediction; "
            f"record at least a {ABSURD:.0f}th of the horizon"
        )
    elif reach > FAR:
        grows = recorded.drift.slows_down or bool(recorded.grown)
        found.append(
            f"this extrapolates to {reach:.1f} times the recorded env steps; "
            + (
                "the interval covers growth that stops now and growth that becomes faster"
                if grows
                else "no growth was seen, and none is expected"
            )
        )
    if recorded.drift.changed is not None:
        found.append(
            f"the cost per env step changed at {recorded.drift.changed.at_env_steps:,.0f} env steps: what "
            "came after that is continued"
        )
    if len(recorded.windows) < 8:
        found.append(f"only {len(recorded.windows)} windows to fit: record longer for a narrower interval")
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
