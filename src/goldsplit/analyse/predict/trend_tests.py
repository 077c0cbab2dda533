"""Does a figure rise steadily, did it change once, or does it only vary? Rank tests that know that neighbours
in time resemble each other.

On a busy machine slow windows come in groups. A plain rank test takes such a group at the end for a trend; so
the variance is widened by how much each window resembles the one before it, and the rise must show in every
third of the run, not only between its ends.
"""

from __future__ import annotations

import functools
import itertools
import math
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

#: How probable it may be that a series without a trend rises like this one.
BY_CHANCE = 0.005
#: Fewer windows than this show no trend.
LEAST_WINDOWS = 6
#: Up to so many windows chance is counted out.
FEW = 14
#: So much alike neighbours are expected to be, until as many windows tell it.
EXPECTED, ENOUGH = 0.2, 40
#: A series resembles itself so closely that nothing can be said.
MOST_ALIKE = 0.9
#: A level must hold for so many windows, and for this share of them, before and after a change.
LEAST_LEVEL, LEAST_LEVEL_SHARE = 3, 0.1
#: A change explains a series if what it leaves over is below this share of what any curve leaves over.
BETTER_THAN_A_CURVE = 0.6
#: Below this one, it is no steady rise either.
AS_GOOD_AS_A_CURVE = 0.9
#: Two levels lie apart by so many times what single windows scatter, and by so many standard errors.
APART, SURE = 2.0, 5.0
#: So much of a rise may be missing between two thirds of a run.
ALIKE = 0.15

#: Shapes of growth: powers of the env steps, and lines that end after so much of the run.
POWERS, ENDS = (0.5, 1.0, 2.0), (0.2, 0.35, 0.5, 0.65, 0.8)
#: Where a curve leaves over less than this of the variance, the rest is a curve of another shape, not noise.
NEARLY_ALL = 0.08


@dataclass(frozen=True, slots=True)
class Change:
    """A figure that had one level, and then another."""

    place: int
    """The first window of the new level."""
    before: float
    after: float

    @property
    def factor(self) -> float:
        return self.after / self.before if self.before > 0 else math.inf


def rises_steadily(xs: Sequence[float], ys: Sequence[float], by_chance: float = BY_CHANCE) -> bool:
    """Whether a figure rises all along, by more than chance."""
    if len(ys) < LEAST_WINDOWS or max(xs) <= min(xs):
        return False
    if probability_of_rise(xs, ys) >= by_chance or not _in_every_third(ys):
        return False
    best = _best_levels(ys)
    return best is None or _levels_error(ys, best) >= AS_GOOD_AS_A_CURVE * _squares(best_curve_rest(xs, ys))


def probability_of_rise(xs: Sequence[float], ys: Sequence[float]) -> float:
    """How probable so many rising pairs are by chance alone (Kendall), given how alike neighbours are."""
    number = len(ys)
    score = sum((ys[j] > ys[i]) - (ys[j] < ys[i]) for i in range(number) for j in range(i + 1, number))
    if score <= 0:
        return 1.0
    rest, mean = best_curve_rest(xs, ys), sum(ys) / number
    left_over = _squares(rest) / _squares([y - mean for y in ys])
    alike = alikeness(rest) * min(1.0, left_over / NEARLY_ALL)
    if alike > MOST_ALIKE:
        return 1.0
    deviations = _deviations(ys, score) / math.sqrt((1 + alike) / (1 - alike))
    return 0.5 * math.erfc(deviations / math.sqrt(2))


def _deviations(ys: Sequence[float], score: int) -> float:
    """How many standard deviations so many rising pairs are from none, in a series without likeness. A short
    series is counted out: the usual approximation takes even a perfect rise for chance."""
    number = len(ys)
    counts = Counter(ys)
    if number <= FEW and len(counts) == number:
        inversions = (number * (number - 1) // 2 - score) // 2
        rare = sum(_orders_with(number)[: inversions + 1]) / math.factorial(number)
        return statistics.NormalDist().inv_cdf(1.0 - rare)
    ties = sum(n * (n - 1) * (2 * n + 5) for n in counts.values())
    return (score - 1) / math.sqrt((number * (number - 1) * (2 * number + 5) - ties) / 18)


@functools.cache
def _orders_with(number: int) -> tuple[int, ...]:
    """By inversions: how many orders of so many things have exactly so many."""
    found = [1]
    for size in range(2, number + 1):
        longer = [0] * (len(found) + size - 1)
        for place, orders in enumerate(found):
            for more in range(size):
                longer[place + more] += orders
        found = longer
    return tuple(found)


def alikeness(rest: Sequence[float]) -> float:
    """How much each window resembles the one before it (0: not at all), corrected for short series, in which
    it always looks smaller than it is."""
    number = len(rest)
    mean = sum(rest) / number
    spread = sum((one - mean) ** 2 for one in rest)
    if spread <= 0:
        return 0.0
    found = sum((a - mean) * (b - mean) for a, b in itertools.pairwise(rest)) / spread
    corrected = min(0.99, found + (1 + 4 * found) / number) if found > 0 else 0.0
    return max(corrected, EXPECTED * (1 - number / ENOUGH))


def best_curve_rest(xs: Sequence[float], ys: Sequence[float]) -> list[float]:
    """What is left of the series without the curve that fits it best: straight, bending, or ending."""
    low, width = min(xs), max(xs) - min(xs)
    places = [(x - low) / width for x in xs]
    curves = [[place**power for place in places] for power in POWERS]
    curves += [[min(place, end) for place in places] for end in ENDS]
    return min((_line_rest(curve, ys) for curve in curves), key=_squares)


def _line_rest(xs: Sequence[float], ys: Sequence[float]) -> list[float]:
    x_mean, y_mean = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - x_mean) ** 2 for x in xs)
    slope = sum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys, strict=True)) / spread if spread else 0.0
    return [y - y_mean - slope * (x - x_mean) for x, y in zip(xs, ys, strict=True)]


def _in_every_third(ys: Sequence[float]) -> bool:
    """Whether the middle third lies between the first and the last; a rise that ends early, or begins late,
    may leave two of them alike."""
    size = len(ys) // 3
    parts = (ys[:size], ys[size : len(ys) - size], ys[len(ys) - size :])
    first, middle, last = (statistics.median(part) for part in parts)
    slack = ALIKE * (last - first)
    return last > first and first - slack <= middle <= last + slack


def one_change(xs: Sequence[float], ys: Sequence[float]) -> Change | None:
    """Where a figure changed once and stayed there; None where a curve explains it, or nothing does."""
    place = _best_levels(ys)
    if place is None or max(xs) <= min(xs):
        return None
    error = _levels_error(ys, place)
    change = Change(place, statistics.median(ys[:place]), statistics.median(ys[place:]))
    if error > BETTER_THAN_A_CURVE * _squares(best_curve_rest(xs, ys)):
        return None
    scatter = math.sqrt(error / (len(ys) - 2))
    doubt = scatter * math.sqrt(_grouped(ys, place) * (1 / place + 1 / (len(ys) - place)))
    return change if abs(change.after - change.before) > max(APART * scatter, SURE * doubt) else None


def _best_levels(ys: Sequence[float]) -> int | None:
    """Where two levels part that leave least over; None for too few windows."""
    least = max(LEAST_LEVEL, round(LEAST_LEVEL_SHARE * len(ys)))
    places = range(least, len(ys) - least + 1)
    return min(places, key=lambda at: _levels_error(ys, at)) if places else None


def _levels_error(ys: Sequence[float], place: int) -> float:
    error = 0.0
    for part in (ys[:place], ys[place:]):
        level = sum(part) / len(part)
        error += sum((y - level) ** 2 for y in part)
    return error


def _grouped(ys: Sequence[float], place: int) -> float:
    """How much wider levels scatter because neighbours are alike."""
    rest = []
    for part in (ys[:place], ys[place:]):
        level = sum(part) / len(part)
        rest += [y - level for y in part]
    alike = min(MOST_ALIKE, alikeness(rest))
    return (1 + alike) / (1 - alike)


def _squares(rest: Sequence[float]) -> float:
    return sum(one * one for one in rest)
