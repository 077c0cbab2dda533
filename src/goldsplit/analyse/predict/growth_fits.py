"""How a figure grows over a run: not at all, in a straight line, faster and faster (each step costs more, and
misses the processor's cache more often), or in a line that ends (a buffer is full).

Plain least squares and rank statistics over some dozen windows; pure functions of numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

#: A model with one more parameter must be better by this much (Akaike, small samples) to be believed.
WORTH_A_PARAMETER = 4.0


@dataclass(frozen=True, slots=True)
class Fit:
    """y = base + slope * min(x, full_at) ** power."""

    model: str
    """constant, linear, accelerating or saturating."""
    base: float
    slope: float = 0.0
    full_at: float = math.inf
    power: int = 1

    def at(self, x: float) -> float:
        return self.base + self.slope * min(x, self.full_at) ** self.power

    def integral(self, start: float, end: float) -> float:
        """Sum of the figure from one x to another."""
        bend, order = min(max(self.full_at, start), end), self.power + 1
        sloped = self.base * (bend - start) + self.slope * (bend**order - start**order) / order
        return sloped + self.at(self.full_at) * (end - bend) if end > bend else sloped


def growth(xs: Sequence[float], ys: Sequence[float], weights: Sequence[float]) -> Fit:
    """The simplest model that explains the series; a falling one is fitted as well as a rising one."""
    constant = Fit("constant", _mean(ys, weights))
    if len(xs) < 5 or max(xs) <= min(xs):
        return constant

    def score(fit: Fit, parameters: int) -> float:
        return _score(fit, xs, ys, weights, parameters)

    sloped = min((line(xs, ys, weights), accelerating(xs, ys, weights)), key=lambda fit: score(fit, 2))
    best, best_score = constant, score(constant, 1)
    for fit, parameters in ((sloped, 2), (_saturating(xs, ys, weights), 3)):
        if fit is not None and score(fit, parameters) + WORTH_A_PARAMETER < best_score:
            best, best_score = fit, score(fit, parameters)
    return best


def line(xs: Sequence[float], ys: Sequence[float], weights: Sequence[float]) -> Fit:
    """The best straight line."""
    x_mean, y_mean = _mean(xs, weights), _mean(ys, weights)
    spread = sum(w * (x - x_mean) ** 2 for x, w in zip(xs, weights, strict=True))
    if spread <= 0:
        return Fit("constant", y_mean)
    together = sum(w * (x - x_mean) * (y - y_mean) for x, y, w in zip(xs, ys, weights, strict=True))
    slope = together / spread
    return Fit("linear", y_mean - slope * x_mean, slope)


def accelerating(xs: Sequence[float], ys: Sequence[float], weights: Sequence[float]) -> Fit:
    """The best parabola that starts flat."""
    squared = line([x * x for x in xs], ys, weights)
    if squared.model == "constant" or squared.slope <= 0:
        return Fit("constant", squared.base)
    return Fit("accelerating", squared.base, squared.slope, power=2)


def _saturating(xs: Sequence[float], ys: Sequence[float], weights: Sequence[float]) -> Fit | None:
    """A line that bends to flat somewhere inside, with some windows on both sides."""
    best: Fit | None = None
    best_error = math.inf
    for bend in sorted(xs)[2:-2]:
        bent = line([min(x, bend) for x in xs], ys, weights)
        fit = Fit("saturating", bent.base, bent.slope, bend)
        error = _error(fit.at, xs, ys, weights)
        if error < best_error:
            best, best_error = fit, error
    return best


def _mean(ys: Sequence[float], weights: Sequence[float]) -> float:
    return sum(y * w for y, w in zip(ys, weights, strict=True)) / sum(weights)


def _error(
    at: Callable[[float], float], xs: Sequence[float], ys: Sequence[float], weights: Sequence[float]
) -> float:
    total = sum(weights)
    return sum(w * (y - at(x)) ** 2 for x, y, w in zip(xs, ys, weights, strict=True)) / total


def _score(
    fit: Fit, xs: Sequence[float], ys: Sequence[float], weights: Sequence[float], parameters: int
) -> float:
    """Akaike's criterion with the correction for few points; an exact fit is as good as 0.1 % error."""
    number, k = len(xs), parameters + 1
    if number - k - 1 <= 0:
        return math.inf
    floor = (1e-3 * _mean([abs(y) for y in ys], weights)) ** 2 + 1e-300
    return (
        number * math.log(max(_error(fit.at, xs, ys, weights), floor))
        + 2 * k
        + 2 * k * (k + 1) / (number - k - 1)
    )


def correlation(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Pearson's; None where one of them does not vary."""
    number = len(xs)
    if number < 4:
        return None
    x_mean, y_mean = sum(xs) / number, sum(ys) / number
    xx = sum((x - x_mean) ** 2 for x in xs)
    yy = sum((y - y_mean) ** 2 for y in ys)
    if xx <= 1e-12 * abs(x_mean) or yy <= 0:
        return None
    return sum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys, strict=True)) / math.sqrt(xx * yy)
