"""Which slots a batch is made of: uniform, or prioritised after Schaul et al. (2016)."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from goldsplit.fast.replay.tree import PriorityTree, importance_weights

Slots = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float32]


class Sampler(Protocol):
    """Told which slots can be drawn; the caller holds the buffer's lock."""

    def written(self, first: int, count: int) -> None: ...
    def removed(self, first: int, count: int) -> None: ...
    def draw(self, rng: np.random.Generator, slots: Slots, weights: Weights) -> None: ...
    def state(self) -> dict[str, Any]: ...
    def restore(self, state: dict[str, Any]) -> None: ...


class UniformSampler:
    """Every slot that can be drawn, with the same probability."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._end = 0  # no slot at or above it was ever written
        self._drawable: npt.NDArray[np.bool_] | None = None  # only once some slot was taken out

    def written(self, first: int, count: int) -> None:
        if first > self._end:  # slots left out on the way
            self.removed(self._end, first - self._end)
        if first + count > self._end:
            self._end = first + count
        if self._drawable is not None:
            self._drawable[first : first + count] = True

    def removed(self, first: int, count: int) -> None:
        if self._drawable is None:
            self._drawable = np.arange(self._capacity) < self._end
        self._drawable[first : first + count] = False

    def draw(self, rng: np.random.Generator, slots: Slots, weights: Weights) -> None:
        slots[:] = rng.integers(0, self._end, len(slots))
        weights.fill(1.0)
        if self._drawable is None:
            return
        while len(rejected := np.flatnonzero(~self._drawable[slots])):
            slots[rejected] = rng.integers(0, self._end, len(rejected))

    def state(self) -> dict[str, Any]:
        drawable = self._drawable if self._drawable is not None else np.arange(self._capacity) < self._end
        return {"end": self._end, "drawable": drawable[: self._end]}

    def restore(self, state: dict[str, Any]) -> None:
        self._end = int(state["end"])
        drawable = np.asarray(state["drawable"], np.bool_)
        self._drawable = None
        if not drawable.all():
            self._drawable = np.zeros(self._capacity, np.bool_)
            self._drawable[: self._end] = drawable


class PrioritySampler:
    """Slot i with probability p_i ** alpha / sum; weights (p_i / p_min) ** (-alpha * beta), at most 1.

    New transitions get the largest priority seen so far, so that each is soon drawn once.
    """

    def __init__(self, capacity: int, alpha: float, beta: float) -> None:
        if not (math.isfinite(alpha) and alpha >= 0.0):
            raise ValueError(f"alpha must be finite and at least 0, got {alpha}")
        self.alpha = float(alpha)
        self.beta = checked_beta(beta)
        self.tree = PriorityTree(capacity)
        self.max_priority = 1.0
        self._max_leaf = 1.0
        self._uniforms = np.empty(0)

    def written(self, first: int, count: int) -> None:
        self.tree.fill(first, count, self._max_leaf)

    def removed(self, first: int, count: int) -> None:
        self.tree.fill(first, count, 0.0)

    def draw(self, rng: np.random.Generator, slots: Slots, weights: Weights) -> None:
        tree = self.tree
        if len(self._uniforms) != len(slots):
            self._uniforms = np.empty(len(slots))
        rng.random(out=self._uniforms)
        tree.draw(self._uniforms, slots)
        importance_weights(tree.padded_leaves, tree.smallest, slots, self.beta, weights)

    def update(self, slots: Slots, priorities: Any, stamp_slot: int, overwritten: int) -> int:
        """Set priorities, except of the `overwritten` slots from `stamp_slot` on; how many were set."""
        values = np.ascontiguousarray(priorities, np.float64)
        if values.shape != slots.shape or slots.ndim != 1:
            hint = "\nhint: flatten them with .reshape(-1)" if values.size == slots.size else ""
            raise ValueError(
                f"priorities must have the shape {slots.shape} of the indices, got {values.shape}{hint}"
            )
        tree = self.tree
        count, bad, largest = tree.update(slots, values, self.alpha, stamp_slot, overwritten)
        if bad >= 0:
            raise _refusal(slots, values, self.alpha, tree.capacity, bad)
        if largest > self.max_priority:
            self.max_priority = float(largest)
            self._max_leaf = self.max_priority**self.alpha
        return int(count)

    def state(self) -> dict[str, Any]:
        return {
            "alpha": self.alpha,
            "beta": self.beta,
            "max_priority": self.max_priority,
            "leaves": self.tree.leaves,
        }

    def restore(self, state: dict[str, Any]) -> None:
        self.alpha, self.beta = float(state["alpha"]), float(state["beta"])
        self.max_priority = float(state["max_priority"])
        self._max_leaf = self.max_priority**self.alpha
        self.tree.rebuild(np.asarray(state["leaves"], np.float32))


def checked_beta(beta: float) -> float:
    if not (math.isfinite(beta) and beta >= 0.0):
        raise ValueError(f"beta must be finite and at least 0, got {beta}")
    return float(beta)


def _refusal(
    slots: Slots, values: npt.NDArray[np.float64], alpha: float, capacity: int, bad: int
) -> Exception:
    slot, value = int(slots[bad]), float(values[bad])
    if not 0 <= slot < capacity:
        return IndexError(f"indices[{bad}] is slot {slot}, outside of the {capacity} slots of the buffer")
    if math.isfinite(value) and value > 0.0:
        return ValueError(
            f"priorities[{bad}] = {value} to the power alpha = {alpha} leaves the range of 32-bit floats"
        )
    hint = "hint: pass np.abs(td_errors) + 1e-6; a NaN or infinity means that the loss itself is broken"
    return ValueError(f"priorities[{bad}] = {value}: a priority must be finite and above 0\n{hint}")
