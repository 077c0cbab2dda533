"""Preallocated observations and masks, handed out in turn, and the writers that fill them in place.

An environment that builds ``np.zeros(323)`` and ``np.zeros(13, bool)`` in every step can write into the same
few arrays instead. They are handed out in turn, so that the observation before the step and the one after it
are both intact; whoever keeps one longer must copy it, as replay buffers do anyway.

    buffers = ArrayRotation({"obs": ((323,), np.float32), "mask": ((13,), np.bool_)})
    arrays = buffers.take()                         # {"obs": zeros, "mask": zeros}
    mark(eligible_actions, out=arrays["mask"])
    one_hot(phase, out=arrays["obs"][:6])
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

__all__ = ["ArrayRotation", "mark", "one_hot"]


class ArrayRotation:
    """Sets of named arrays, handed out in turn: a set keeps its content until ``turns`` more are taken."""

    def __init__(self, fields: Mapping[str, tuple[tuple[int, ...], DTypeLike]], turns: int = 2) -> None:
        if turns < 1:
            raise ValueError(f"turns must be at least 1, got {turns}")
        if not fields:
            raise ValueError("fields must name at least one array")
        self._sets: list[dict[str, NDArray[Any]]] = [
            {name: np.zeros(shape, dtype) for name, (shape, dtype) in fields.items()} for _ in range(turns)
        ]
        self._next = 0

    def take(self, *, clear: bool = True) -> dict[str, NDArray[Any]]:
        """The next set, zeroed unless ``clear=False`` (when every element is about to be written)."""
        arrays = self._sets[self._next]
        self._next = (self._next + 1) % len(self._sets)
        if clear:
            for array in arrays.values():
                array.fill(0)
        return arrays


def mark(indices: ArrayLike, *, out: NDArray[Any]) -> NDArray[Any]:
    """Set a mask (n,) to True at the given indices and False elsewhere."""
    chosen = np.asarray(indices)
    if out.ndim != 1:
        raise ValueError(f"out must have shape (n,), got {out.shape}")
    out.fill(0)
    if chosen.size:
        _refuse_outside(chosen, out.shape[0])
        out[chosen] = 1
    return out


def one_hot(classes: ArrayLike, *, out: NDArray[Any]) -> NDArray[Any]:
    """Write one-hot rows: class numbers of shape (...) into ``out`` of shape (..., number of classes)."""
    chosen = np.asarray(classes)
    if out.ndim == 0 or chosen.shape != out.shape[:-1]:
        raise ValueError(
            f"classes of shape {chosen.shape} need out of shape {(*chosen.shape, 'n')}, got {out.shape}"
        )
    if chosen.size:
        _refuse_outside(chosen, out.shape[-1])
    out.fill(0)
    np.put_along_axis(out, chosen[..., None], 1, axis=-1)
    return out


def _refuse_outside(indices: NDArray[Any], size: int) -> None:
    if indices.dtype.kind not in "iu":
        raise TypeError(f"indices must be integers, got dtype {indices.dtype}")
    # A negative index would count from the end and set a wrong place without a word.
    if int(indices.min()) < 0 or int(indices.max()) >= size:
        raise IndexError(f"indices must lie in 0..{size - 1}, got {int(indices.min())}..{int(indices.max())}")
