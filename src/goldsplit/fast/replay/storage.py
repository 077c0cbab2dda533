"""Packed rows of transitions in a ring, written one by one or by the batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from goldsplit.fast.replay.memory import CACHE_LINE_BYTES, aligned_zeros
from goldsplit.fast.replay.rowcopy import gather_rows, scatter_rows, stream_rows
from goldsplit.fast.replay.schema import (
    AnyArray,
    Field,
    Layout,
    as_column,
    as_value,
    checked_fields,
    names_differ,
    packed,
    scalar_types,
)

Slots = npt.NDArray[np.int64]


class RowStorage:
    """`capacity` packed rows. Knows nothing of order, priorities or threads: see `replay.py`."""

    def __init__(self, capacity: int, fields: Mapping[str, Field]) -> None:
        if capacity < 1:
            raise ValueError(f"capacity must be at least 1, got {capacity}")
        self.capacity = int(capacity)
        self.fields = checked_fields(fields)
        self.layout: Layout = packed(self.fields)
        self.rows = aligned_zeros((self.capacity, self.layout.row_bytes), np.uint8)
        self._address = self.rows.ctypes.data
        staged = aligned_zeros((1, self.layout.row_bytes), np.uint8)
        self._staged_address = staged.ctypes.data
        # Views of plain bytes: the quickest way to copy one row.
        self._row_bytes = self.layout.row_bytes
        self._row_memory, self._staged_memory = self.rows.reshape(-1).data, staged[0].data
        views = _field_views(staged, self.layout)
        # Arrays and scalars apart, and no attribute look-ups: `stage` is the whole cost of a single add.
        self._staged_arrays = [
            (name, field.shape, np.dtype(field.dtype), views[name][0])
            for name, field in self.fields.items()
            if field.shape
        ]
        self._staged_scalars = [
            (name, scalar_types(np.dtype(field.dtype)), views[name])
            for name, field in self.fields.items()
            if not field.shape
        ]

    def column(self, name: str) -> AnyArray:
        """All rows of one field as a view (capacity, *shape), including rows not written yet."""
        return _field_views(self.rows, self.layout)[name]

    def write(self, slot: int, transition: Mapping[str, Any]) -> None:
        """Store one transition. It is laid out in a staging row first: an error leaves the slot untouched."""
        if len(transition) != len(self.fields):
            raise names_differ(self.fields, transition)
        try:
            for name, shape, dtype, staged in self._staged_arrays:
                value = transition[name]
                if type(value) is not np.ndarray or value.dtype is not dtype or value.shape != shape:
                    value = as_value(name, self.fields[name], value)
                staged[...] = value
            for name, types, staged in self._staged_scalars:
                value = transition[name]
                if type(value) not in types:
                    value = as_value(name, self.fields[name], value)
                staged[0] = value
        except KeyError:
            raise names_differ(self.fields, transition) from None
        start = slot * self._row_bytes
        self._row_memory[start : start + self._row_bytes] = self._staged_memory

    def checked_columns(self, columns: Mapping[str, Any]) -> tuple[list[AnyArray], int]:
        """A batch as one contiguous array per field, in schema order, and its number of rows."""
        if columns.keys() != self.fields.keys():
            raise names_differ(self.fields, columns)
        rows: int | None = None
        checked = []
        for name, field in self.fields.items():
            checked.append(as_column(name, field, columns[name], rows))
            rows = len(checked[-1])
        return checked, rows or 0

    def scatter(self, slots: Slots, columns: list[AnyArray]) -> None:
        """Store a batch, one contiguous array per field in schema order."""
        layout = self.layout
        where = (self._address, layout.row_bytes, slots, layout.offsets, layout.bytes, addresses_of(columns))
        if layout.row_bytes % CACHE_LINE_BYTES == 0:
            stream_rows(*where, layout.whole_line_bytes, layout.mixed_lines, self._staged_address)
        else:
            scatter_rows(*where)

    def gather(self, slots: Slots, out_addresses: npt.NDArray[np.int64]) -> None:
        """Copy the rows to one contiguous array per field, given by their addresses in schema order."""
        layout = self.layout
        gather_rows(self._address, layout.row_bytes, slots, layout.offsets, layout.bytes, out_addresses)

    def gather_field(self, name: str, slots: Slots, out: AnyArray) -> None:
        """Copy one field of the rows to `out`, which has one contiguous entry per slot."""
        layout = self.layout
        at = list(self.fields).index(name)
        part = slice(at, at + 1)
        gather_rows(
            self._address,
            layout.row_bytes,
            slots,
            layout.offsets[part],
            layout.bytes[part],
            addresses_of([out]),
        )


def addresses_of(arrays: list[AnyArray]) -> npt.NDArray[np.int64]:
    # Twice as fast as array.ctypes.data, which matters for small batches.
    return np.array([array.__array_interface__["data"][0] for array in arrays], np.int64)


def _field_views(rows: npt.NDArray[np.uint8], layout: Layout) -> dict[str, AnyArray]:
    """One array (rows, *shape) per field over the same memory."""
    views: dict[str, AnyArray] = {}
    for (name, field), offset in zip(layout.fields.items(), layout.offsets, strict=True):
        dtype = np.dtype(field.dtype)
        inner = np.empty(field.shape, dtype).strides
        views[name] = np.ndarray(
            (len(rows), *field.shape),
            dtype,
            buffer=rows,
            offset=int(offset),
            strides=(layout.row_bytes, *inner),
        )
    return views
