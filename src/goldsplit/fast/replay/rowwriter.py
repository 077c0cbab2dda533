"""The function behind `add`: stores one transition, by code that is written out for the schema.

A loop over the fields costs more than the copies it makes, so it is unrolled once per buffer, the way that
`dataclasses` writes out an `__init__`. A transition that this code does not know at first sight goes through
the plain loop of `_stage`, which converts what can be converted and says what is wrong with the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from goldsplit.fast.replay.schema import AnyArray, Field, as_value, names_differ, scalar_types

WriteRow = Callable[[int, Mapping[str, Any]], None]

# All fields are laid out in a staging row before it is copied: an error leaves the slot untouched.
_WRITE = """\
def write(slot, transition):
    try:
        if len(transition) != {count}:
            raise KeyError
{fields}
        staged = True
    except (BufferError, KeyError, TypeError, ValueError):
        staged = False
    if not staged:
        stage(transition)
    start = slot * {row_bytes}
    rows[start : start + {row_bytes}] = row
"""
_SCALAR = """\
        value = transition[{name!r}]
        if type(value) not in types_{i}:
            raise TypeError
        view_{i}[0] = value"""
# A memory view refuses any other dtype or shape by itself, but has one dimension only, and knows no dates.
_IN_MEMORY_VIEWS = "biuf"
_VECTOR = """\
        memory_{i}[:] = transition[{name!r}]"""
_TABLE = """\
        value = transition[{name!r}]
        if type(value) is not ndarray or value.dtype is not dtype_{i} or value.shape != shape_{i}:
            raise TypeError
        view_{i}[0] = value"""


def row_writer(
    rows: npt.NDArray[np.uint8],
    staged: npt.NDArray[np.uint8],
    fields: Mapping[str, Field],
    views: Mapping[str, AnyArray],
) -> WriteRow:
    """A function of a slot and a transition; `views` are the fields of the one row that `staged` has."""
    types = {
        name: scalar_types(np.dtype(f.dtype)) if not f.shape else frozenset() for name, f in fields.items()
    }
    names: dict[str, Any] = {"ndarray": np.ndarray, "stage": partial(_stage, fields, types, views)}
    names |= {"rows": rows.reshape(-1).data, "row": staged[0].data}
    parts = []
    for i, (name, field) in enumerate(fields.items()):
        names |= {f"types_{i}": types[name], f"dtype_{i}": field.dtype, f"shape_{i}": field.shape}
        names[f"view_{i}"] = views[name]
        template = _TABLE if field.shape else _SCALAR
        if len(field.shape) == 1 and np.dtype(field.dtype).kind in _IN_MEMORY_VIEWS:
            names[f"memory_{i}"] = views[name][0].data
            template = _VECTOR
        parts.append(template.format(i=i, name=name))
    source = _WRITE.format(count=len(fields), fields="\n".join(parts), row_bytes=staged.shape[1])
    exec(source, names)  # of the schema it holds numbers, and names as literals
    # Taken out, or function and names would hold each other, and the rows with them, until a collection.
    write: WriteRow = names.pop("write")
    return write


def _stage(
    fields: Mapping[str, Field],
    types: Mapping[str, frozenset[type]],
    views: Mapping[str, AnyArray],
    transition: Mapping[str, Any],
) -> None:
    if transition.keys() != fields.keys():
        raise names_differ(fields, transition)
    for name, field in fields.items():
        value = transition[name]
        views[name][0] = value if type(value) in types[name] else as_value(name, field, value)
