"""Steady rises, single changes, and what only varies."""

from __future__ import annotations

import math
import random

import pytest

from goldsplit.analyse.predict.trend_tests import (
    alikeness,
    one_change,
    probability_of_rise,
    rises_steadily,
)

XS = [float(x) for x in range(20)]


def test_a_rise_is_steady_or_none() -> None:
    assert rises_steadily(XS, XS)
    assert rises_steadily(XS, [math.sqrt(x) for x in XS])
    assert rises_steadily(XS, [x * x for x in XS])
    assert rises_steadily(XS, [min(x, 9.0) for x in XS]), "a buffer that is full"
    assert not rises_steadily(XS, XS[::-1])
    assert not rises_steadily(XS, [1.0] * 20)
    assert not rises_steadily(XS[:4], XS[:4])
    assert not rises_steadily([1.0] * 20, XS), "nothing to rise with"


def test_a_step_is_no_rise() -> None:
    ys = [1.0 + 0.01 * (i % 3) + (i >= 12) for i in range(20)]
    assert not rises_steadily(XS, ys)
    change = one_change(XS, ys)
    assert change is not None
    assert change.place == 12
    assert change.factor == pytest.approx(2.0, rel=0.05)


def test_one_outlier_at_the_end_is_nothing() -> None:
    ys = [1.0 + 0.01 * (i % 3) for i in range(19)] + [9.0]
    assert not rises_steadily(XS, ys)
    assert one_change(XS, ys) is None


def test_speed_that_alternates_is_neither() -> None:
    ys = [1.0 + (i // 4) % 2 for i in range(20)]
    assert not rises_steadily(XS, ys)
    assert one_change(XS, ys) is None


def test_a_random_walk_is_no_rise_more_often_than_chance() -> None:
    found = 0
    for seed in range(200):
        chance = random.Random(seed)
        level, ys = 0.0, []
        for _ in range(60):
            level = 0.9 * level + chance.gauss(0.0, 0.1)
            ys.append(level)
        found += rises_steadily([float(i) for i in range(60)], ys)
    assert found <= 8


def test_neighbours_alike() -> None:
    assert alikeness([1.0, -1.0] * 20) == 0.0
    assert alikeness([0.0] * 10) == 0.0
    assert alikeness([1.0, -1.0] * 4) > 0.15, "too few to tell: expected to be alike"
    assert alikeness([1.0] * 10 + [-1.0] * 10) > 0.8


def test_a_short_but_perfect_rise_is_rare() -> None:
    xs = XS[:8]
    assert probability_of_rise(xs, xs) == pytest.approx(1 / math.factorial(8), rel=1e-3)
    one_wrong = [*xs[:3], xs[4], xs[3], *xs[5:]]
    assert 8 / math.factorial(8) < probability_of_rise(xs, one_wrong) < 0.002
    assert probability_of_rise(xs, xs[::-1]) == 1.0
    assert probability_of_rise(xs, [0.0, 0.0, *xs[2:]]) < 0.001, "with ties, nearly"
