"""Batches: a NamedTuple of the fields, then `indices` and `weights`, over arrays that are used again.

Fresh memory for every batch costs page faults, which for image batches cost more than the copy itself. So
the arrays of a batch that is no longer in use are taken for the next one. Reference counts tell: a batch that
is kept, sliced, or turned into a torch tensor without a copy stays as it is.
"""

from __future__ import annotations

import sys
from collections import namedtuple
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from goldsplit.fast.replay.schema import AnyArray, Field
from goldsplit.fast.replay.storage import addresses_of

NO_STAMP = -1
_KEPT_SETS = 8
_IDLE_REFERENCES = max(map(sys.getrefcount, [np.empty(1)]))


class SlotIndices(np.ndarray):
    """Slots of a batch, with the moment they were read: `stamp` counts the transitions written until then.

    A priority that is brought back for a slot which was overwritten after `stamp` belongs to a transition
    that is gone. Slices and selections keep the stamp.
    """

    stamp: int = NO_STAMP

    def __array_finalize__(self, source: Any) -> None:
        if isinstance(source, SlotIndices):
            self.stamp = source.stamp


def stamped(slots: npt.NDArray[np.int64], stamp: int) -> SlotIndices:
    indices = slots.view(SlotIndices)
    indices.stamp = stamp
    return indices


def batch_type(fields: Mapping[str, Field]) -> Any:
    """The NamedTuple of a schema; `_replace`, `_asdict` and unpacking work as usual."""
    return namedtuple("Batch", [*fields, "indices", "weights"])


class Outputs:
    """The arrays of one batch, in schema order, with their addresses for the compiled copy."""

    __slots__ = ("addresses", "arrays", "slots", "weights")

    def __init__(
        self, arrays: list[AnyArray], slots: npt.NDArray[np.int64], weights: npt.NDArray[np.float32]
    ) -> None:
        self.arrays = arrays
        self.slots = slots
        self.weights = weights
        self.addresses = addresses_of(arrays)

    @classmethod
    def empty(cls, fields: Mapping[str, Field], rows: int) -> Outputs:
        arrays = [np.empty((rows, *field.shape), field.dtype) for field in fields.values()]
        return cls(arrays, np.empty(rows, np.int64), np.empty(rows, np.float32))

    @classmethod
    def over(cls, batch: Any, fields: Mapping[str, Field], rows: int) -> Outputs:
        """The caller's own arrays (`sample(..., out=batch)`), checked: the copy writes to raw addresses."""
        expected = [(name, (rows, *field.shape), np.dtype(field.dtype)) for name, field in fields.items()]
        expected += [("indices", (rows,), np.dtype(np.int64)), ("weights", (rows,), np.dtype(np.float32))]
        arrays = []
        for name, shape, dtype in expected:
            array = np.asarray(getattr(batch, name))
            if array.shape != shape or array.dtype != dtype:
                raise ValueError(f"out.{name} must be {dtype} {shape}, got {array.dtype} {array.shape}")
            if not (array.flags.c_contiguous and array.flags.writeable):
                raise ValueError(f"out.{name} must be contiguous and writeable")
            arrays.append(array)
        return cls(arrays[:-2], arrays[-2], arrays[-1])

    def idle(self) -> bool:
        """Nobody but this object holds any of the arrays, nor a view of one."""
        arrays_idle = max(map(sys.getrefcount, self.arrays)) <= _IDLE_REFERENCES
        return arrays_idle and max(map(sys.getrefcount, (self.slots, self.weights))) <= _IDLE_REFERENCES + 1


class OutputPool:
    """Output arrays by batch size; not thread-safe, the buffer's lock guards it."""

    def __init__(self, fields: Mapping[str, Field]) -> None:
        self._fields = fields
        self._sets: list[tuple[int, Outputs]] = []

    def take(self, rows: int) -> Outputs:
        for set_rows, outputs in self._sets:
            if set_rows == rows and outputs.idle():
                return outputs
        outputs = Outputs.empty(self._fields, rows)
        self._sets.append((rows, outputs))
        if len(self._sets) > _KEPT_SETS:
            del self._sets[0]
        return outputs
