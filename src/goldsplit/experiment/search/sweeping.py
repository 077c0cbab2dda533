"""Sweeps: a variant for each setting, measured in blocks; beside it what one recording predicts."""

from __future__ import annotations

import itertools
import re
import statistics
from collections.abc import Callable, Sequence

from goldsplit.errors import ConfigError, GoldsplitError
from goldsplit.experiment.comparison import compare
from goldsplit.experiment.metrics import common_stretch, metric_of
from goldsplit.experiment.statistics import fewest_pairs
from goldsplit.model.experiment.conclusion import Comparison
from goldsplit.model.experiment.design import ALPHA, Plan, Variant
from goldsplit.model.experiment.sweep import Sweep, SweepPoint
from goldsplit.model.experiment.trial import Trial
from goldsplit.model.whatif import Prediction, Scenario

MOST_POINTS = 32
#: Names of settings that a what-if can answer.
ENVS = frozenset({"envs", "n_envs", "num_envs", "environments"})
WORKERS = frozenset({"workers", "n_workers", "num_workers"})
UPDATES = frozenset({"updates_per_step", "update_ratio"})

Predict = Callable[[Scenario], Prediction | None]
"""What one recording of the first setting predicts."""


def settings_of(texts: Sequence[str]) -> list[dict[str, str]]:
    """Every combination of `NAME=A,B,C`."""
    names: dict[str, list[str]] = {}
    for text in texts:
        name, separator, values = text.partition("=")
        listed = [value.strip() for value in values.split(",")]
        if not separator or not re.fullmatch(r"[A-Za-z_][\w-]*", name) or not all(listed):
            raise ConfigError(f"--set {text!r} names no values", "write --set n_envs=1,2,4,8")
        if name in names or len(set(listed)) < len(listed):
            raise ConfigError(f"--set {text!r} says something twice", "give each name and value once")
        names[name] = listed
    found = [dict(zip(names, values, strict=True)) for values in itertools.product(*names.values())]
    if not 2 <= len(found) <= MOST_POINTS:
        raise ConfigError(f"{len(found)} settings to try", f"give 2 to {MOST_POINTS}: --set n_envs=1,2,4,8")
    return found


def check_places(command: Sequence[str], settings: dict[str, str]) -> None:
    """Every setting must change the command."""
    for name in settings:
        if not any(f"{{{name}}}" in part for part in command):
            raise ConfigError(
                f"the command has no {{{name}}}, so nothing would change",
                f"write it as in: --envs {{{name}}}",
            )


def variant_of(settings: dict[str, str]) -> Variant:
    """A variant that can be a file name."""
    name = "_".join(f"{key}-{value}" for key, value in settings.items())
    return Variant(re.sub(r"[^A-Za-z0-9._-]", "-", name)[:40], settings=settings)


def usual_pairs(points: int) -> int:
    """Enough that an interval is possible for every setting."""
    return fewest_pairs(ALPHA / max(1, points - 1))


def sweep_of(plan: Plan, trials: Sequence[Trial], predict: Predict) -> Sweep:
    """The curve: measured with intervals, and predicted."""
    comparison = compare(plan, trials)
    predicted, why = _predictions(plan, predict)
    return Sweep(
        plan.name,
        plan.metric,
        [_point(plan, variant, comparison, trials, predicted.get(variant.name)) for variant in plan.variants],
        why,
        [*comparison.notes, *(f"{v}, block {b + 1} failed: {p}" for v, b, p in comparison.failed)],
    )


def _point(
    plan: Plan,
    variant: Variant,
    comparison: Comparison,
    trials: Sequence[Trial],
    predicted: Prediction | None,
) -> SweepPoint:
    own = [trial for trial in trials if trial.variant == variant.name and trial.complete]
    read = metric_of(plan, plan.metric)
    values = [
        v for trial in own if (v := read.value(trial, common_stretch((trial,), plan.warm_up))) is not None
    ]
    middle = statistics.median(values) if values else None
    beyond = (
        (predicted.speedup, predicted.low, predicted.high) if predicted is not None else (None, None, None)
    )
    judged = next((one for one in comparison.judged if one.variant == variant.name), None)
    if judged is None:  # the first setting: all others are compared with it
        one = 1.0 if middle is not None else None
        return SweepPoint(variant.name, variant.settings, middle, one, one, one, len(values))
    effect = judged.effect
    figures = (effect.gain, effect.low, effect.high, effect.pairs)
    return SweepPoint(variant.name, variant.settings, middle, *figures, *beyond)


def _predictions(plan: Plan, predict: Predict) -> tuple[dict[str, Prediction], str]:
    """By variant; and why there are none."""
    found: dict[str, Prediction] = {}
    if plan.metric != "env_steps_per_second":
        return {}, "a what-if predicts env steps per second only"
    for variant in plan.others:
        scenario = scenario_of(variant.settings, plan.base.settings)
        if scenario is None:
            return {}, "a what-if knows environments (n_envs), workers and updates_per_step, nothing else"
        try:
            prediction = predict(scenario)
        except GoldsplitError as error:
            return {}, error.message
        if prediction is not None:
            found[variant.name] = prediction
    return found, "" if found else "no recording of the first setting"


def scenario_of(settings: dict[str, str], base: dict[str, str]) -> Scenario | None:
    """The what-if question that a setting asks; None: there is none."""
    asked: dict[str, float] = {}
    for name, value in settings.items():
        if base.get(name) == value:
            continue
        key = _question(name.replace("-", "_"))
        try:
            asked[key] = float(value)
        except ValueError:
            return None
        if not key:
            return None
    envs, workers = asked.get("envs"), asked.get("workers")
    return Scenario(
        {},
        None if envs is None else int(envs),
        None if workers is None else int(workers),
        asked.get("updates"),
    )


def _question(name: str) -> str:
    return "envs" if name in ENVS else "workers" if name in WORKERS else "updates" if name in UPDATES else ""
