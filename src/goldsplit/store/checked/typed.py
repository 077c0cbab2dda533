"""JSON as the type that it is to have: whatever else is in a file is damage, found here and not where a
report calculates with it."""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Callable
from typing import Any

from goldsplit.store.checked.figures import real, whole

_PLAIN: dict[Any, Callable[[Any], Any]] = {int: whole, float: real}


def typed(kind: Any, value: Any) -> Any:
    """`value` as `kind`: a dataclass, a named tuple, tuple[x, …], dict[str, x], x | None, or a plain type.
    Raises one of DAMAGE where it is something else."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is types.UnionType:
        (one,) = (each for each in inner if each is not type(None))
        return None if value is None else typed(one, value)
    if origin is tuple:
        return tuple(typed(inner[0], each) for each in _checked(value, list))
    if origin is dict:
        return {str(name): typed(inner[1], each) for name, each in _checked(value, dict).items()}
    if dataclasses.is_dataclass(kind) or hasattr(kind, "_fields"):
        return _made(kind, value)
    if kind in _PLAIN:
        return _PLAIN[kind](_checked(value, int | float))
    return _checked(value, kind)


def _made(kind: Any, value: Any) -> Any:
    fields = _fields(kind)
    if isinstance(value, list):
        value = dict(zip(fields, value, strict=True))
    rows = _checked(value, dict)
    return kind(**{name: typed(fields[name], each) for name, each in rows.items()})


@functools.cache
def _fields(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _checked(value: Any, kind: Any) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"{type(value).__name__} in the place of {getattr(kind, '__name__', kind)}")
    return value
