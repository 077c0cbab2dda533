"""The statistics of few pairs: exact signed-rank intervals, Holm's correction, looks on the way.

Which and why is in docs/concepts/fair-comparison.md. Nothing here assumes a normal distribution, except
the two planning figures (`detectable`, `pairs_needed`), which decide nothing.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Sequence
from functools import cache

_NORMAL = statistics.NormalDist()
#: How often a planning figure asks that an effect is found.
POWER = 0.8
#: Standard error of the signed-rank estimate over that of a mean, for normal values: 1 / sqrt(3 / pi).
_RANK_FACTOR = math.sqrt(math.pi / 3)


@cache
def tail_sizes(pairs: int) -> tuple[float, ...]:
    """P(T <= t) of the signed-rank statistic without an effect, for t = 0, 1, …: exact, by counting."""
    ways = [1]
    for rank in range(1, pairs + 1):
        longer = ways + [0] * rank
        for total, number in enumerate(ways):
            longer[total + rank] += number
        ways = longer
    return tuple(number / 2**pairs for number in itertools.accumulate(ways))


def walsh_averages(values: Sequence[float]) -> list[float]:
    """The means of all pairs of values, each with itself too, in order."""
    return sorted((a + b) / 2 for a, b in itertools.combinations_with_replacement(values, 2))


def typical(values: Sequence[float]) -> float:
    """The median of the means of all pairs of values (Hodges and Lehmann): as robust as needed, and always
    inside the interval."""
    return statistics.median(walsh_averages(values))


def interval(values: Sequence[float], level: float) -> tuple[float, float] | None:
    """Where the typical value lies, missed with probability `level` at most; None: too few values for
    that."""
    cut = sum(1 for size in tail_sizes(len(values)) if 2 * size <= level)
    if cut == 0:
        return None
    averages = walsh_averages(values)
    return averages[cut - 1], averages[-cut]


def sure_low(values: Sequence[float], level: float) -> float | None:
    """The lower end of an interval at this level, or of the widest one where so few values have none; None of
    no values."""
    if not values:
        return None
    found = interval(values, max(level, 2 * tail_sizes(len(values))[0]))
    return None if found is None else found[0]


def p_above(values: Sequence[float], threshold: float) -> float:
    """Two-sided p-value that the typical value is above a threshold: the interval's lower end is above it
    exactly where this is at most its level."""
    below = sum(1 for average in walsh_averages(values) if average <= threshold)
    return min(1.0, 2 * tail_sizes(len(values))[below])


def p_below(values: Sequence[float], threshold: float) -> float:
    """The same for below."""
    return p_above([-value for value in values], -threshold)


def fewest_pairs(level: float) -> int:
    """With fewer, no result can be significant at this level: even all signs alike happen too often."""
    return max(1, math.ceil(1 - math.log2(level)))


def holm_levels(p_values: Sequence[float], alpha: float) -> list[float]:
    """The level at which each of several variants is tested, so that a single false alarm among all of
    them has probability alpha at most (Holm's step-down; those after the first that fails stay at its
    level)."""
    levels = [alpha] * len(p_values)
    level = alpha
    passing = True
    for place, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        if passing:
            level = alpha / (len(p_values) - place)
            passing = p_values[index] <= level
        levels[index] = level
    return levels


def spent_by(share: float, alpha: float) -> float:
    """How much of alpha looks may have spent when this share of the pairs is done: little at first (Lan and
    DeMets' spending function in the manner of O'Brien and Fleming)."""
    if share <= 0:
        return 0.0
    return min(alpha, 2 - 2 * _NORMAL.cdf(_NORMAL.inv_cdf(1 - alpha / 2) / math.sqrt(min(1.0, share))))


def look_levels(pairs: int, alpha: float, early_stop: bool) -> dict[int, float]:
    """After how many pairs to look, and at which level.

    The sizes of all looks add up to alpha at most, which holds whatever the looks have to do with each
    other. A look that could not find anything at its level is left out, and spends nothing.
    """
    looks = sorted({-(-pairs // 2), -(-3 * pairs // 4), pairs}) if early_stop else [pairs]
    levels: dict[int, float] = {}
    spent = 0.0
    for number in looks:
        allowed = spent_by(number / pairs, alpha) - spent
        size = max((2 * size for size in tail_sizes(number) if 2 * size <= allowed), default=0.0)
        if size > 0:
            # The last look may use all that is left: only attainable sizes count.
            levels[number] = alpha - spent if number == pairs else size
            spent += size
    return levels


def spread(values: Sequence[float]) -> float | None:
    """Standard deviation; None of fewer than two."""
    return statistics.stdev(values) if len(values) > 1 else None


def detectable(deviation: float, pairs: int, level: float) -> float:
    """The smallest log-ratio that so many pairs of this spread would find four times out of five (about)."""
    return _quantiles(level) * _RANK_FACTOR * deviation / math.sqrt(pairs)


def pairs_needed(deviation: float, effect: float, level: float) -> int:
    """How many pairs find a log-ratio four times out of five (about)."""
    return max(fewest_pairs(level), math.ceil((_quantiles(level) * _RANK_FACTOR * deviation / effect) ** 2))


def _quantiles(level: float) -> float:
    return _NORMAL.inv_cdf(1 - level / 2) + _NORMAL.inv_cdf(POWER)


def wilson(wins: float, episodes: float, level: float) -> tuple[float, float]:
    """Wilson's interval of a share."""
    z = _NORMAL.inv_cdf(1 - level / 2)
    share = wins / episodes
    middle = share + z * z / (2 * episodes)
    half = z * math.sqrt(share * (1 - share) / episodes + z * z / (4 * episodes * episodes))
    scale = 1 + z * z / episodes
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def newcombe(
    base: tuple[float, float], other: tuple[float, float], level: float
) -> tuple[float, float, float]:
    """The difference of two shares, other less base, with Newcombe's interval (his method 10). Each is
    given as wins and episodes."""
    base_share, other_share = base[0] / base[1], other[0] / other[1]
    base_low, base_high = wilson(*base, level)
    low, high = wilson(*other, level)
    difference = other_share - base_share
    down = math.hypot(other_share - low, base_high - base_share)
    up = math.hypot(high - other_share, base_share - base_low)
    return difference, difference - down, difference + up


def overdispersion(sides: Sequence[Sequence[tuple[float, int]]]) -> float:
    """How much more the shares of groups differ than those of independent episodes would: at least 1.

    Episodes of one training are not independent of each other: they are played by the same policy. Each group
    is given as wins and episodes; groups of one side are compared with each other.
    """
    squares, freedom = 0.0, 0
    for groups in sides:
        known = [(wins, episodes) for wins, episodes in groups if episodes]
        total = sum(episodes for _, episodes in known)
        share = sum(wins for wins, _ in known) / total if total else 0.0
        if len(known) < 2 or not 0 < share < 1:
            continue
        squares += sum((won - n * share) ** 2 / (n * share * (1 - share)) for won, n in known)
        freedom += len(known) - 1
    return max(1.0, squares / freedom) if freedom else 1.0
