"""Packed rows on the device, and the rows on the host that wait to go there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from goldsplit.fast.replay.schema import Field, names_differ
from goldsplit.fast.replay.storage import RowStorage

_MOST_STAGED = 1024
_WORDS = (torch.int64, torch.int32, torch.int16, torch.uint8)


class DeviceRows:
    """`capacity` packed rows on the device. All fields of a batch are gathered by one kernel."""

    def __init__(self, capacity: int, fields: Mapping[str, Field], device: torch.device) -> None:
        if capacity < 1:
            raise ValueError(f"capacity must be at least 1, got {capacity}")
        self.capacity = int(capacity)
        self.most_staged = min(_MOST_STAGED, self.capacity)
        self._host = RowStorage(self.most_staged, fields)
        self.fields = self._host.fields
        self.staged = 0
        layout = self._host.layout
        # Rows are gathered in the widest words that they consist of: fewer loads for the same bytes.
        self._word = next(word for word in _WORDS if layout.row_bytes % word.itemsize == 0)
        words = layout.row_bytes // self._word.itemsize
        self._rows = torch.zeros(self.capacity, words, dtype=self._word, device=device)
        self._device = device
        self._parts = [
            (
                name,
                slice(int(at), int(at + size)),
                torch.from_numpy(np.empty(0, field.dtype)).dtype,
                field.shape,
            )
            for (name, field), at, size in zip(self.fields.items(), layout.offsets, layout.bytes, strict=True)
        ]

    @property
    def nbytes(self) -> int:
        return self._rows.numel() * self._rows.element_size()

    def column(self, name: str) -> torch.Tensor:
        """All rows of one field as a view."""
        return self._unpacked(self._rows)[list(self.fields).index(name)]

    def gather(self, slots: torch.Tensor) -> list[torch.Tensor]:
        """The fields of these rows, in schema order; views of one new block."""
        return self._unpacked(self._rows.index_select(0, slots))

    def stage(self, transition: dict[str, Any]) -> None:
        """Check and pack one transition on the host."""
        self._host.write(self.staged, transition)
        self.staged += 1

    def flush(self, first: int) -> None:
        """Copy the staged rows to the slots from `first` on, across the end of the ring."""
        self._copy(first, self._host.rows[: self.staged])
        self.staged = 0

    def checked_rows(self, columns: Mapping[str, Any]) -> int:
        """The number of rows of a batch that fits the schema."""
        if not _all_tensors(columns):
            return self._host.checked_columns(columns)[1]
        if columns.keys() != self.fields.keys():
            raise names_differ(self.fields, columns)
        sizes = {len(value) for value in columns.values()}
        for name, _, dtype, shape in self._parts:
            value = columns[name]
            if value.dtype != dtype or tuple(value.shape[1:]) != tuple(shape):
                raise ValueError(
                    f"field {name!r} takes {dtype} of the shape (n, *{tuple(shape)}), "
                    f"got {value.dtype} {tuple(value.shape)}"
                )
        if len(sizes) != 1:
            raise ValueError(f"the fields have different numbers of rows: {sorted(sizes)}")
        return sizes.pop()

    def write(self, first: int, columns: Mapping[str, Any]) -> None:
        """Store a checked batch in the slots from `first` on; nothing may be staged."""
        if _all_tensors(columns):
            self._write_tensors(first, columns)
            return
        checked, rows = self._host.checked_columns(columns)
        for start in range(0, rows, self.most_staged):
            part = [column[start : start + self.most_staged] for column in checked]
            count = len(part[0])
            self._host.scatter(np.arange(count), [np.ascontiguousarray(column) for column in part])
            self._copy((first + start) % self.capacity, self._host.rows[:count])

    def _write_tensors(self, first: int, columns: Mapping[str, Any]) -> None:
        rows = len(next(iter(columns.values())))
        until_end = min(rows, self.capacity - first)
        for name, value in columns.items():
            column = self.column(name)
            column[first : first + until_end] = value[:until_end]
            column[: rows - until_end] = value[until_end:]

    def _copy(self, first: int, packed: Any) -> None:
        rows = torch.from_numpy(packed).view(self._word)
        if self._device.type == "cuda":
            rows = rows.pin_memory()  # its own copy: the staged rows can be written to at once
        until_end = min(len(rows), self.capacity - first)
        self._rows[first : first + until_end].copy_(rows[:until_end], non_blocking=True)
        if until_end < len(rows):
            self._rows[: len(rows) - until_end].copy_(rows[until_end:], non_blocking=True)

    def _unpacked(self, rows: torch.Tensor) -> list[torch.Tensor]:
        as_bytes = rows.view(torch.uint8)
        return [
            as_bytes[:, part].view(dtype).view(len(rows), *shape) for _, part, dtype, shape in self._parts
        ]


def _all_tensors(columns: Mapping[str, Any]) -> bool:
    return bool(columns) and all(isinstance(value, torch.Tensor) for value in columns.values())
