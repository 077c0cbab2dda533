"""The same stretch of env steps in both trials of a pair."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.experiment.metrics import Stretch, at, common_stretch, metric_of
from goldsplit.model.experiment.design import Source
from goldsplit.model.experiment.trial import Point


def test_the_stretch_is_what_both_have(make: SimpleNamespace) -> None:
    long = make.trial(0, "base")
    short = make.trial(0, "fast", curve=long.curve[:6])
    assert common_stretch((long, short), 0.1) == Stretch(50.0, 500.0)
    prefilled = make.trial(0, "fast", learning_from_steps=300.0)
    assert common_stretch((long, prefilled), 0.1) == Stretch(300.0, 1000.0)
    assert common_stretch((long, make.trial(0, "fast", learning_from_steps=900.0)), 0.1) == Stretch(
        100.0, 1000.0
    )
    assert common_stretch((long, make.trial(0, "fast", curve=())), 0.1) is None
    assert common_stretch((), 0.1) is None


def test_without_env_steps_updates_are_compared(make: SimpleNamespace) -> None:
    curve = tuple(Point(float(i), None, 10.0 * i, None, None) for i in range(5))
    trial = make.trial(0, "base", curve=curve)
    stretch = common_stretch((trial, trial), 0.1)
    assert stretch == Stretch(4.0, 40.0, by_updates=True)
    assert metric_of(make.plan(), "updates_per_second").value(trial, stretch) == pytest.approx(10.0)
    assert metric_of(make.plan(), "env_steps_per_second").value(trial, stretch) is None


def test_learning_after_a_step_belongs_to_it() -> None:
    curve = [Point(0, 0, 0, 0, 0), Point(1, 100, 0, 1, 1), Point(3, 100, 50, 1, 3), Point(4, 200, 50, 2, 4)]
    stretch = Stretch(0, 200)
    assert at(curve, stretch, 100) == Point(3, 100, 50, 1, 3)
    assert at(curve, stretch, 150) == Point(3.5, 150, 50, 1.5, 3.5)
    assert at(curve, stretch, 200) == curve[-1]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("env_steps_per_second", 100.0),
        ("updates_per_second", 10.0),
        ("episodes_per_second", 1.0),
        ("seconds_per_1000_env_steps", 10.0),
        ("cpu_seconds_per_1000_env_steps", 10.0),
        ("cpu_seconds_per_1000_updates", 100.0),
        ("wall_seconds", 10.0),
        ("peak_memory_bytes", 7.0),
        ("stage:env.step", 3.0),
        ("score", 5.0),
    ],
)
def test_metrics(make: SimpleNamespace, name: str, value: float) -> None:
    figures = {"peak_memory_bytes": 7.0, "stage:env.step": 3.0, "score": 5.0}
    trial = make.trial(0, "base", figures=figures)
    plan = make.plan(metrics={"score": Source("output", "score ([0-9]+)")})
    assert metric_of(plan, name).value(trial, common_stretch((trial,), 0.1)) == pytest.approx(value)
    assert metric_of(plan, name).value(make.trial(0, "x", curve=(), wall_seconds=0.0), None) is None
