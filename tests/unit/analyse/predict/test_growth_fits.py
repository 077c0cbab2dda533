"""Growth models and rank statistics."""

from __future__ import annotations

import random

import pytest

from goldsplit.analyse.predict.growth_fits import Fit, correlation, growth, line

XS = [float(x) for x in range(0, 2000, 100)]
ONES = [1.0] * len(XS)


def noisy(ys: list[float], seed: int, spread: float = 0.05) -> list[float]:
    chance = random.Random(seed)
    return [y * chance.lognormvariate(0.0, spread) for y in ys]


@pytest.mark.parametrize("seed", range(8))
def test_the_right_model_is_chosen(seed: int) -> None:
    assert growth(XS, noisy([10.0] * len(XS), seed), ONES).model == "constant"
    rising = growth(XS, noisy([10.0 + 0.02 * x for x in XS], seed), ONES)
    assert rising.model == "linear"
    assert rising.slope == pytest.approx(0.02, rel=0.25)
    faster = growth(XS, noisy([10.0 + 2e-5 * x * x for x in XS], seed), ONES)
    assert faster.model == "accelerating"
    full = growth(XS, noisy([10.0 + 0.03 * min(x, 800.0) for x in XS], seed), ONES)
    assert full.model == "saturating"
    assert full.full_at == pytest.approx(800.0, abs=250.0)


def test_few_windows_are_never_more_than_constant() -> None:
    assert growth([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0] * 4).model == "constant"
    assert growth([5.0] * 9, [float(i) for i in range(9)], [1.0] * 9).model == "constant"


def test_exact_lines() -> None:
    fit = line([0.0, 1.0, 2.0], [1.0, 3.0, 5.0], [1.0, 1.0, 1.0])
    assert (fit.base, fit.slope) == pytest.approx((1.0, 2.0))
    assert line([3.0, 3.0], [1.0, 3.0], [1.0, 1.0]) == Fit("constant", 2.0)
    weighted = line([0.0, 1.0, 2.0], [0.0, 0.0, 9.0], [1.0, 1.0, 1e-9])
    assert weighted.slope == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(
    "fit",
    [
        Fit("constant", 2.0),
        Fit("linear", 1.0, 0.5),
        Fit("saturating", 1.0, 0.5, 6.0),
        Fit("accelerating", 1.0, 0.5, 6.0, 2),
    ],
)
def test_an_integral_is_the_sum_of_its_parts(fit: Fit) -> None:
    pieces = 20_000
    step = (9.0 - 2.0) / pieces
    summed = sum(fit.at(2.0 + (i + 0.5) * step) * step for i in range(pieces))
    assert fit.integral(2.0, 9.0) == pytest.approx(summed, rel=1e-6)
    assert fit.integral(2.0, 9.0) == pytest.approx(fit.integral(2.0, 7.0) + fit.integral(7.0, 9.0))


def test_correlation_needs_something_that_varies() -> None:
    assert correlation(XS, [2 * x + 1 for x in XS]) == pytest.approx(1.0)
    assert correlation(XS, [5.0] * len(XS)) is None
    assert correlation([7.0] * len(XS), XS) is None
    assert correlation(XS[:3], XS[:3]) is None
