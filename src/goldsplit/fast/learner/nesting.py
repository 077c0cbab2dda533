"""Arguments as a flat list: tensors and arrays in tuples, lists, NamedTuples and dicts, and back again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch

# A shape without its values: what two calls must share to use the same graph. Leaves are LEAF.
LEAF = "*"


def flatten(value: Any, leaves: list[Any]) -> Any:
    """The nest's form (hashable); its tensors and arrays are appended to `leaves` in order."""
    if isinstance(value, torch.Tensor | np.ndarray):
        leaves.append(value)
        return LEAF
    kind = type(value)
    if isinstance(value, tuple | list):
        return (kind, *[flatten(item, leaves) for item in value])
    if isinstance(value, dict):
        return (kind, *[(key, flatten(item, leaves)) for key, item in value.items()])
    try:
        hash(value)
    except TypeError:
        raise TypeError(
            f"an argument of the type {kind.__name__} can be neither a tensor nor part of the graph's key\n"
            "hint: pass tensors, arrays, plain numbers, or tuples, lists and dicts of them"
        ) from None
    return (kind, value)


def unflatten(form: Any, leaves: Iterator[Any]) -> Any:
    """The nest of this form over other leaves."""
    if form == LEAF:
        return next(leaves)
    kind = form[0]
    if issubclass(kind, dict):
        return kind((key, unflatten(item, leaves)) for key, item in form[1:])
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return kind(*[unflatten(item, leaves) for item in form[1:]])
    if issubclass(kind, tuple | list):
        return kind(unflatten(item, leaves) for item in form[1:])
    return form[1]


def signature(leaves: Sequence[Any]) -> tuple[Any, ...]:
    """What decides whether a captured graph fits: shapes, dtypes, and which leaves lie on the host."""
    return tuple(
        [
            (tuple(leaf.shape), leaf.dtype, leaf.device)
            if isinstance(leaf, torch.Tensor)
            else (leaf.shape, leaf.dtype)
            for leaf in leaves
        ]
    )
