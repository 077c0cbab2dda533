"""The statistics of few pairs, against scipy, against counting, and against simulated experiments."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from goldsplit.experiment import statistics as own


@pytest.mark.parametrize("pairs", [1, 5, 8, 20])
def test_tail_sizes_are_those_of_the_signed_rank_statistic(pairs: int) -> None:
    signs = np.array(np.meshgrid(*[[0, 1]] * min(pairs, 12))).reshape(min(pairs, 12), -1)
    if pairs <= 12:
        sums = (signs * np.arange(1, pairs + 1)[:, None]).sum(axis=0)
        counted = [np.mean(sums <= t) for t in range(pairs * (pairs + 1) // 2 + 1)]
        assert own.tail_sizes(pairs) == pytest.approx(counted)
    assert own.tail_sizes(pairs)[-1] == 1.0


@given(st.lists(st.floats(-1, 1, allow_subnormal=False), min_size=6, max_size=12, unique=True))
def test_p_values_are_scipys(values: list[float]) -> None:
    ranked = sorted(map(abs, values))
    if any(b - a < 1e-9 for a, b in zip([0.0, *ranked], ranked, strict=False)):
        return  # ties: scipy has no exact distribution for them
    expected = stats.wilcoxon(values, alternative="greater", method="exact").pvalue
    assert own.p_above(values, 0.0) == pytest.approx(min(1.0, 2 * expected))


@given(st.lists(st.floats(-1, 1), min_size=6, max_size=12), st.floats(-1, 1), st.sampled_from([0.05, 0.02]))
def test_interval_and_p_value_say_the_same(values: list[float], threshold: float, level: float) -> None:
    found = own.interval(values, level)
    if found is None:
        assert min(own.p_above(values, -9.0), own.p_below(values, 9.0)) > level
        return
    low, high = found
    assert low <= own.typical(values) <= high
    assert (low > threshold) == (own.p_above(values, threshold) <= level)
    assert (high < threshold) == (own.p_below(values, threshold) <= level)


def test_too_few_pairs_have_no_interval() -> None:
    assert own.interval([0.3] * 5, 0.05) is None
    assert own.interval([0.3] * 6, 0.05) == (0.3, 0.3)
    assert [own.fewest_pairs(0.05 / m) for m in (1, 2, 6, 7)] == [6, 7, 8, 9]


def test_holm_tests_the_clearest_first() -> None:
    assert own.holm_levels([0.01, 0.04, 0.02], 0.05) == pytest.approx([0.05 / 3, 0.05, 0.025])
    # the first that fails keeps all after it at its level
    assert own.holm_levels([0.04, 0.001, 0.03], 0.05) == pytest.approx([0.025, 0.05 / 3, 0.025])
    assert own.holm_levels([], 0.05) == []


@pytest.mark.parametrize("pairs", [6, 8, 12, 16, 30])
def test_looks_never_spend_more_than_alpha(pairs: int) -> None:
    levels = own.look_levels(pairs, 0.05, early_stop=True)
    sizes = {
        n: max(2 * size for size in own.tail_sizes(n) if 2 * size <= level) for n, level in levels.items()
    }
    assert sum(sizes.values()) <= 0.05 + 1e-12
    assert pairs in levels
    assert own.look_levels(pairs, 0.05, early_stop=False) == {pairs: 0.05}
    assert all(n >= own.fewest_pairs(level) for n, level in levels.items())


def test_looking_early_does_not_raise_false_alarms() -> None:
    """Nothing to find, 16 pairs, stopping at the first look that finds something."""
    draw = np.random.default_rng(1)
    levels = own.look_levels(16, 0.05, early_stop=True)
    assert len(levels) >= 2
    alarms = 0
    for values in draw.normal(0, 0.2, (400, 16)):
        alarms += any(
            min(own.p_above(values[:n], 0.0), own.p_below(values[:n], 0.0)) <= level
            for n, level in levels.items()
        )
    assert alarms / 400 <= 0.07  # 5 % and two standard errors


def test_wilson_and_newcombe_are_those_of_the_paper() -> None:
    # Newcombe (1998), table II, case (a): 56/70 and 48/80, method 10
    difference, low, high = own.newcombe((48, 80), (56, 70), 0.05)
    assert (difference, low, high) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)
    exact = stats.binomtest(10, 30).proportion_ci(method="wilson")
    assert own.wilson(10, 30, 0.05) == pytest.approx((exact.low, exact.high))
    assert own.wilson(0, 10, 0.05)[0] == pytest.approx(0.0)


def test_alike_episodes_count_as_fewer() -> None:
    assert own.overdispersion([[(50.0, 100), (50.0, 100)], [(50.0, 100), (50.0, 100)]]) == 1.0
    assert own.overdispersion([[(20.0, 100), (80.0, 100)], []]) == pytest.approx(72.0)
    assert own.overdispersion([[(100.0, 100), (100.0, 100)], [(0.0, 0)]]) == 1.0


def test_planning_figures_fit_each_other() -> None:
    effect = own.detectable(0.1, 20, 0.05)
    assert own.pairs_needed(0.1, effect, 0.05) in (20, 21)
    assert own.pairs_needed(0.0001, 1.0, 0.05) == 6
    draw = np.random.default_rng(2)
    found = [own.p_above(values, 0.0) <= 0.05 for values in draw.normal(effect, 0.1, (300, 20))]
    assert 0.7 < np.mean(found) < 0.9
    assert math.isfinite(effect)
