"""Plain NumPy twins of the compiled kernels: slow, obvious, and what the kernels are tested against."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from goldsplit.fast.replay.schema import AnyArray, Field

Slots = npt.NDArray[np.int64]
Floats = npt.NDArray[np.floating[Any]]


def gather_rows(columns: dict[str, AnyArray], slots: Slots) -> dict[str, AnyArray]:
    return {name: column[slots] for name, column in columns.items()}


def scatter_rows(columns: dict[str, AnyArray], slots: Slots, values: dict[str, AnyArray]) -> None:
    for name, column in columns.items():
        for slot, value in zip(
            slots, values[name], strict=True
        ):  # in order: of a repeated slot the last stays
            column[slot] = value


def draw_slots(leaves: Floats, uniforms: Floats) -> Slots:
    """Stratified draws by a search in the cumulative sum, never of a slot without priority."""
    prefix = np.cumsum(leaves, dtype=np.float64)
    targets = (np.arange(len(uniforms)) + uniforms) * (prefix[-1] / len(uniforms))
    found = np.searchsorted(prefix, targets, side="right")
    return np.minimum(found, np.flatnonzero(leaves)[-1])


def importance_weights(leaves: Floats, slots: Slots, beta: float) -> Floats:
    """The weights of Schaul et al.: (N * P(i)) ** -beta over the largest of all slots that can be drawn."""
    leaves = leaves.astype(np.float64)
    drawable = leaves[leaves > 0.0]
    probabilities = leaves / leaves.sum()
    largest = (len(drawable) * drawable.min() / leaves.sum()) ** -beta
    weights: Floats = (len(drawable) * probabilities[slots]) ** -beta / largest
    return weights


def n_step(steps: list[dict[str, Any]], n: int, gamma: float) -> list[dict[str, Any]]:
    """The n-step transitions of one lane's steps, in the order of their first step; open windows left out."""
    transitions = []
    for first in range(len(steps)):
        reward, discount = 0.0, 1.0
        for last in range(first, min(first + n, len(steps))):
            reward += discount * steps[last]["reward"]
            discount *= gamma
            ended = steps[last]["terminated"] or steps[last]["truncated"]
            if ended or last == first + n - 1:
                outcome = {"next_obs": steps[last]["next_obs"], "terminated": steps[last]["terminated"]}
                transitions.append({**steps[first], **outcome, "reward": reward, "discount": discount})
                break
    return transitions


def empty_columns(fields: dict[str, Field], capacity: int) -> dict[str, AnyArray]:
    return {name: np.zeros((capacity, *field.shape), field.dtype) for name, field in fields.items()}
