"""Answers that are given out more than once: what the caller does to one must not reach the next."""

from __future__ import annotations

from collections import deque
from typing import Any

_CHANGEABLE = (list, dict, set, deque)


class CannotKeep(Exception):  # noqa: N818 - a way out, not an error
    """An answer that must be computed each time."""


def copy_of(value: Any) -> Any:
    """The value to hand out: containers and arrays are copied, what lies in them stays the same object."""
    kind = type(value)
    if kind is list or kind is tuple or kind is set:
        return kind([copy_of(item) for item in value])
    if kind is dict:
        return {key: copy_of(item) for key, item in value.items()}
    if kind is deque:
        return deque(map(copy_of, value), value.maxlen)
    if _is_array(kind):
        return value.copy()
    if _is_tensor(kind):
        if value.requires_grad:
            raise CannotKeep
        return value.clone()
    return value


def needs_copy(value: Any) -> bool:
    """Whether a caller could change the value."""
    kind = type(value)
    if kind is tuple:
        return any(map(needs_copy, value))
    return kind in _CHANGEABLE or _is_array(kind) or _is_tensor(kind)


def _is_array(kind: type) -> bool:
    return kind.__module__ == "numpy" and kind.__name__ == "ndarray"


def _is_tensor(kind: type) -> bool:
    return kind.__module__ == "torch" and kind.__name__ == "Tensor"
