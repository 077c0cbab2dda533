"""Running mean and standard deviation of observations, rewards or returns: one pass to update, one to apply.

The same figures as ``VecNormalize`` keeps (population variance, batches merged as Chan et al. do), without
its temporary arrays.

    moments = RunningMoments((323,))
    moments.update(observations)                       # (n, 323)
    moments.normalize(observations, out=buffer)        # float32, clipped to ±10
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

__all__ = ["Moments", "RunningMoments"]

FloatArray = NDArray[np.float64]


class Moments(NamedTuple):
    """How many samples were seen, their mean and their population variance, per element."""

    samples: float
    mean: FloatArray
    variance: FloatArray


class RunningMoments:
    """Mean and variance per element over everything that ``update`` has seen; float64 throughout.

    Before the first update the mean is 0 and the variance 1, so that ``normalize`` changes nothing.
    """

    def __init__(self, shape: tuple[int, ...] = ()) -> None:
        self.shape = tuple(shape)
        self._count = 0.0
        self._mean = np.zeros(int(np.prod(shape)))
        self._squares = np.zeros_like(self._mean)

    @classmethod
    def from_state(cls, state: Moments) -> RunningMoments:
        """Go on from a saved ``state()``."""
        mean, variance = np.asarray(state.mean, np.float64), np.asarray(state.variance, np.float64)
        if mean.shape != variance.shape or state.samples < 0:
            raise ValueError(
                f"mean and variance must have one shape and samples not be negative, got {mean.shape}, "
                f"{variance.shape} and {state.samples}"
            )
        moments = cls(mean.shape)
        moments._count = float(state.samples)
        moments._mean[:] = mean.reshape(-1)
        moments._squares[:] = variance.reshape(-1) * state.samples
        return moments

    def state(self) -> Moments:
        """A copy of what is known, to save or to look at."""
        variance = self._squares / self._count if self._count else np.ones_like(self._mean)
        return Moments(self._count, self._mean.reshape(self.shape).copy(), variance.reshape(self.shape))

    def update(self, batch: ArrayLike) -> None:
        """Take in a batch of shape (n, *shape)."""
        rows = self._rows(batch, "batch")
        if len(rows):
            self._count = _merge(rows, self._count, self._mean, self._squares)

    def merge(self, other: RunningMoments) -> None:
        """Take in what another one has seen, for example of another worker."""
        if other.shape != self.shape:
            raise ValueError(f"cannot merge moments of shape {other.shape} into {self.shape}")
        if other._count:
            total = self._count + other._count
            delta = other._mean - self._mean
            self._squares += other._squares + delta**2 * (self._count * other._count / total)
            self._mean += delta * (other._count / total)
            self._count = total

    def normalize(
        self,
        values: ArrayLike,
        *,
        clip: float = 10.0,
        epsilon: float = 1e-8,
        out: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        """``(values - mean) / sqrt(variance + epsilon)``, clipped, as float32; shape (..., *shape) stays."""
        shape = np.shape(values)
        rows = self._rows(values, "values")
        if out is None:
            out = np.empty(shape, np.float32)
        if out.shape != shape or out.dtype != np.float32 or not out.flags.c_contiguous:
            raise ValueError(
                f"out must be C-contiguous float32 of shape {shape}, got {out.dtype} of shape {out.shape}"
            )
        variance = self._squares / self._count if self._count else np.ones_like(self._mean)
        scale = 1.0 / np.sqrt(variance + epsilon)
        _apply(rows, self._mean, scale, float(clip), out.reshape(rows.shape))
        return out

    def _rows(self, values: ArrayLike, name: str) -> NDArray[Any]:
        """Values as (n, elements), float32 or float64."""
        array = np.asarray(values)
        if array.shape[array.ndim - len(self.shape) :] != self.shape or array.ndim < len(self.shape):
            raise ValueError(f"{name} must have shape (..., {str(self.shape)[1:]}, got {array.shape}")
        number = np.float32 if array.dtype == np.float32 else np.float64
        return np.ascontiguousarray(array, dtype=number).reshape(-1, self._mean.size)


@njit(cache=True)
def _merge(rows: Any, count: float, mean: Any, squares: Any) -> float:
    """Batch mean and squared deviations in one pass over the rows, merged into the running ones."""
    size, elements = rows.shape
    total = count + size
    # Sums are taken around the first row, so that a large mean does not eat the variance's digits.
    sums, sums_of_squares = np.zeros(elements), np.zeros(elements)
    for i in range(size):
        for j in range(elements):
            off = float(rows[i, j]) - float(rows[0, j])
            sums[j] += off
            sums_of_squares[j] += off * off
    for j in range(elements):
        batch_squares = max(sums_of_squares[j] - sums[j] * sums[j] / size, 0.0)
        delta = float(rows[0, j]) + sums[j] / size - mean[j]
        mean[j] += delta * size / total
        squares[j] += batch_squares + delta * delta * count * size / total
    return total


@njit(cache=True)
def _apply(rows: Any, mean: Any, scale: Any, clip: float, out: Any) -> None:
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            out[i, j] = min(max((rows[i, j] - mean[j]) * scale[j], -clip), clip)
