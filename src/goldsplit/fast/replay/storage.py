"""Packed rows of transitions in a ring, written one by one or by the batch."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from goldsplit.fast.replay.aligned import CACHE_LINE_BYTES, aligned_zeros
from goldsplit.fast.replay.rowcopy import gather_rows, scatter_rows, stream_rows
from goldsplit.fast.replay.rowwriter import WriteRow, row_writer
from goldsplit.fast.replay.schema import (
    AnyArray,
    Field,
    Layout,
    as_column,
    checked_fields,
    names_differ,
    packed,
)

Slots = npt.NDArray[np.int64]


class RowStorage:
    """`capacity` packed rows. Knows nothing of order, priorities or threads: see `ring.py`."""

    def __init__(self, capacity: int, fields: Mapping[str, Field]) -> None:
        if capacity < 1:
            raise ValueError(f"capacity must be at least 1, got {capacity}")
        self.capacity = int(capacity)
        self.fields = checked_fields(fields)
        self.layout: Layout = packed(self.fields)
        self.rows = aligned_zeros((self.capacity, self.layout.row_bytes), np.uint8)
        self._address = self.rows.ctypes.data
        staged = self._staged = aligned_zeros((1, self.layout.row_bytes), np.uint8)
        self._staged_address = staged.ctypes.data
        # Stores one transition, `write(slot, transition)`; an error leaves the slot untouched.
        self.write: WriteRow = row_writer(self.rows, staged, self.fields, _field_views(staged, self.layout))
        self._columns = [(name, field.shape, field.dtype) for name, field in self.fields.items()]

    def column(self, name: str) -> AnyArray:
        """All rows of one field as a view (capacity, *shape), including rows not written yet."""
        return _field_views(self.rows, self.layout)[name]

    def checked_columns(self, columns: Mapping[str, Any]) -> tuple[list[AnyArray], int]:
        """A batch as one contiguous array per field, in schema order, and its number of rows."""
        if columns.keys() != self.fields.keys():
            raise names_differ(self.fields, columns)
        rows: int | None = None
        checked = []
        for name, shape, dtype in self._columns:
            values = columns[name]
            plain = type(values) is np.ndarray and values.dtype is dtype and values.flags.c_contiguous
            if not plain or values.shape != (rows, *shape):
                values = as_column(name, self.fields[name], values, rows)
                rows = len(values)
            checked.append(values)
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
    """Where the data of contiguous arrays begin."""
    return np.array([_address(array) for array in arrays], np.int64)


def _address(array: Any) -> int:
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(array))  # a third of the cost of array.ctypes.data
    except (TypeError, ValueError):  # read-only, or empty
        return int(array.ctypes.data)


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
