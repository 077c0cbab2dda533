"""What one transition consists of, and the checks that keep anything else out.

A schema is a mapping of names to `Field(shape, dtype)`. All fields of one transition lie side by side in one
packed row: a random transition then costs one walk through memory, not one per field.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from goldsplit.fast.replay.aligned import CACHE_LINE_BYTES

AnyArray = npt.NDArray[Any]

# A batch is a NamedTuple: these names are taken by its last two entries or by tuple itself.
RESERVED_NAMES = frozenset({"indices", "weights", "count", "index"})
# Rows of at least this size start on a cache line; for smaller ones the padding would cost too much memory.
_WIDE_ROW_BYTES = 1024
_WIDE_FIELD_BYTES = 512


@dataclass(frozen=True, slots=True)
class Field:
    """Shape and dtype of one entry of a transition; a scalar has the shape ()."""

    shape: tuple[int, ...]
    dtype: npt.DTypeLike

    def __post_init__(self) -> None:
        shape = (self.shape,) if isinstance(self.shape, int) else tuple(int(side) for side in self.shape)
        if any(side < 1 for side in shape):
            raise ValueError(f"Field shape {shape} has a side below 1\nhint: a scalar field has the shape ()")
        dtype = np.dtype(self.dtype)
        if dtype.kind not in "biufc":
            raise TypeError(f"Field dtype {dtype} is not boolean, integer, float or complex")
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "dtype", dtype)

    @property
    def bytes(self) -> int:
        return int(np.dtype(self.dtype).itemsize * np.prod(self.shape, dtype=np.int64))


@dataclass(frozen=True, slots=True)
class Layout:
    """Where each field lies in a packed row."""

    fields: Mapping[str, Field]
    offsets: npt.NDArray[np.int64]
    bytes: npt.NDArray[np.int64]
    row_bytes: int
    # Of rows of whole cache lines: the bytes of each field that fill lines of their own; all other lines.
    whole_line_bytes: npt.NDArray[np.int64]
    mixed_lines: npt.NDArray[np.int64]


def checked_fields(fields: Mapping[str, Field]) -> dict[str, Field]:
    """The schema as a plain dict, or an error that names what is wrong with it."""
    if not fields:
        raise ValueError(
            "the schema has no fields\nhint: give at least one, such as {'obs': Field((4,), np.float32)}"
        )
    for name, field in fields.items():
        if not isinstance(field, Field):
            raise TypeError(
                f"field {name!r} is a {type(field).__name__}, not a Field\nhint: Field(shape, dtype)"
            )
        if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
            raise ValueError(f"field name {name!r} cannot be an attribute of a batch")
        if name in RESERVED_NAMES:
            raise ValueError(f"field name {name!r} is taken: a batch has its own {sorted(RESERVED_NAMES)}")
    return dict(fields)


def packed(fields: Mapping[str, Field]) -> Layout:
    """Wide rows: wide fields first, each from a cache line on. Then by alignment, so that no gaps arise."""
    in_lines = sum(field.bytes for field in fields.values()) >= _WIDE_ROW_BYTES
    alignment = {name: np.dtype(field.dtype).alignment for name, field in fields.items()}
    alignment |= {
        name: CACHE_LINE_BYTES for name, f in fields.items() if in_lines and f.bytes >= _WIDE_FIELD_BYTES
    }
    starts: dict[str, int] = {}
    end = 0
    for name in sorted(fields, key=lambda name: -alignment[name]):
        starts[name] = _rounded_up(end, alignment[name])
        end = starts[name] + fields[name].bytes
    row_bytes = _rounded_up(end, CACHE_LINE_BYTES if in_lines else max(alignment.values()))
    whole = {name: f.bytes - f.bytes % CACHE_LINE_BYTES if in_lines else 0 for name, f in fields.items()}
    whole = {name: size if starts[name] % CACHE_LINE_BYTES == 0 else 0 for name, size in whole.items()}
    lines = set(range(0, row_bytes, CACHE_LINE_BYTES))
    for name, size in whole.items():
        lines -= set(range(starts[name], starts[name] + size, CACHE_LINE_BYTES))
    return Layout(
        fields=fields,
        offsets=np.array([starts[name] for name in fields], np.int64),
        bytes=np.array([field.bytes for field in fields.values()], np.int64),
        row_bytes=row_bytes,
        whole_line_bytes=np.array(list(whole.values()), np.int64),
        mixed_lines=np.array(sorted(lines), np.int64),
    )


def _rounded_up(size: int, step: int) -> int:
    return -(-size // step) * step


def scalar_types(dtype: np.dtype[Any]) -> frozenset[type]:
    """Python and NumPy scalar types that a field of this dtype takes without a further check."""
    python = {"b": (bool,), "i": (bool, int), "u": (bool, int), "f": (bool, int, float)}
    native: tuple[type, ...] = python.get(dtype.kind, (bool, int, float, complex))
    numpy = (t for t in np.sctypeDict.values() if np.dtype(t).kind in "biufc")
    return frozenset(native) | {t for t in numpy if np.can_cast(t, dtype, "same_kind")}


def as_value(name: str, field: Field, value: Any) -> AnyArray:
    """One transition's entry as an array of the field's shape and of a dtype that fits."""
    array = np.asarray(value)
    if array.shape != field.shape:
        hint = ""
        if array.shape[1:] == field.shape and array.ndim == len(field.shape) + 1:
            hint = "\nhint: this looks like a batch; use extend(...)"
        raise ValueError(f"field {name!r} has the shape {field.shape}, got {array.shape}{hint}")
    _check_dtype(name, field, array)
    return array


def as_column(name: str, field: Field, values: Any, rows: int | None) -> AnyArray:
    """A batch of entries as one contiguous array (rows, *shape) of exactly the field's dtype."""
    fits = type(values) is np.ndarray and values.dtype is field.dtype and values.shape[1:] == field.shape
    # The usual case, without the checks below:
    if fits and values.ndim and values.flags.c_contiguous and rows in (None, len(values)):
        return values
    array = np.asarray(values)
    if array.ndim != len(field.shape) + 1 or array.shape[1:] != field.shape:
        hint = (
            "\nhint: this looks like a single transition; use add(...)" if array.shape == field.shape else ""
        )
        raise ValueError(
            f"field {name!r} takes a batch of the shape (n, *{field.shape}), got {array.shape}{hint}"
        )
    if rows is not None and len(array) != rows:
        raise ValueError(f"field {name!r} has {len(array)} rows, the fields before it have {rows}")
    _check_dtype(name, field, array)
    return np.ascontiguousarray(array, field.dtype)


def names_differ(expected: Iterable[str], given: Iterable[str]) -> TypeError:
    """The error for a transition whose names are not those of the schema."""
    expected, given = list(expected), list(given)
    missing = [name for name in expected if name not in given]
    unknown = [name for name in given if name not in expected]
    parts = [f"missing {missing}"] if missing else []
    parts += [f"unknown {unknown}"] if unknown else []
    return TypeError(
        f"the fields do not match the schema: {', '.join(parts)}\nhint: the schema has {expected}"
    )


def _check_dtype(name: str, field: Field, array: AnyArray) -> None:
    dtype = np.dtype(field.dtype)
    if array.dtype != dtype and not np.can_cast(array.dtype, dtype, "same_kind"):
        raise TypeError(
            f"field {name!r} is {dtype}, got {array.dtype}\nhint: convert it with .astype({dtype})"
        )
