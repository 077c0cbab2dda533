"""FrameStackReplay: stacked frames, each frame stored once.

A slot holds one frame and the rest of its transition. The stack of a slot is put together when it is sampled,
from the frames before it in the same episode; before the episode's first frame that frame is repeated (or
zeros, as asked). The frame after a transition is in the next slot, also when the episode ended: that last
frame takes one slot that cannot be drawn. Steps of several environments ("lanes") are interleaved, slot =
step * lanes + lane, so that the frames of one lane are a fixed distance apart.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from goldsplit.fast.replay import saving
from goldsplit.fast.replay.batch import NO_STAMP, OutputPool, Outputs, SlotIndices, batch_type, stamped
from goldsplit.fast.replay.samplers import PrioritySampler, Sampler, UniformSampler
from goldsplit.fast.replay.schema import Field, as_column, as_value
from goldsplit.fast.replay.storage import RowStorage

Slots = npt.NDArray[np.int64]
_OWN_NAMES = ("frame", "next_frame", "ended", "lane", "obs", "next_obs")


class FrameStackReplay(saving.Savable):
    """Batches have `obs` and `next_obs` of the shape (batch, stack, *frame), then the other fields.

    Uniform unless `alpha` is given. Sampling holds the lock for its whole length: unlike the ring buffers, a
    thread that adds waits for one that samples.
    """

    kind = "framestack"

    def __init__(
        self,
        capacity: int,
        frame: Field,
        fields: Mapping[str, Field],
        *,
        stack: int = 4,
        lanes: int = 1,
        pad: str = "repeat",
        alpha: float | None = None,
        beta: float = 0.4,
        seed: int | None = None,
    ) -> None:
        _check_arguments(capacity, fields, stack, lanes, pad)
        self._storage = RowStorage(capacity, {"frame": frame, **fields})
        self.capacity, self.stack, self.lanes, self.pad = self._storage.capacity, stack, lanes, pad
        stacked = Field((stack, *frame.shape), frame.dtype)
        self.batch_fields: dict[str, Field] = {"obs": stacked, "next_obs": stacked, **fields}
        self._others = list(fields)
        self._sampler: Sampler = (
            UniformSampler(capacity) if alpha is None else PrioritySampler(capacity, alpha, beta)
        )
        self._rng = np.random.default_rng(seed)
        self._lock = threading.Lock()
        self._pool = OutputPool(self.batch_fields)
        self.Batch = batch_type(self.batch_fields)
        self._frames_column = self._storage.column("frame")
        self._drawable: npt.NDArray[np.bool_] = np.zeros(capacity, np.bool_)
        self._age: npt.NDArray[np.int32] = np.zeros(
            capacity, np.int32
        )  # frames since the episode's first one
        self._written_at: Slots = np.zeros(capacity, np.int64)
        self._writes = 0
        self._steps: Slots = np.zeros(lanes, np.int64)  # per lane: slots used so far, final frames included
        self._mid_episode: npt.NDArray[np.bool_] = np.zeros(lanes, np.bool_)

    @property
    def fields(self) -> dict[str, Field]:
        return dict(self._storage.fields)

    @property
    def nbytes(self) -> int:
        """Memory of the stored frames and fields when the buffer is full."""
        return self._storage.rows.nbytes + self._age.nbytes + self._written_at.nbytes + self._drawable.nbytes

    def __len__(self) -> int:
        """How many transitions can be drawn now."""
        return int(np.count_nonzero(self._drawable))

    def add(self, *, frame: Any, next_frame: Any, ended: bool, lane: int = 0, **others: Any) -> int:
        """Store one transition of a lane; `ended` when its episode terminated or was truncated. Its slot."""
        if not 0 <= lane < self.lanes:
            raise IndexError(f"lane {lane} is outside of the {self.lanes} lanes")
        final = as_value("next_frame", self._storage.fields["frame"], next_frame)
        with self._lock:
            return self._append(lane, frame, final, bool(ended), others)

    def extend(
        self, *, frame: Any, next_frame: Any, ended: Any, lane: Any = None, **others: Any
    ) -> SlotIndices:
        """Store rows in order, row i for lane[i]; without `lane` row i is lane i, or all are lane 0."""
        frames_field = self._storage.fields["frame"]
        columns, rows = self._storage.checked_columns({"frame": frame, **others})
        by_name = dict(zip(self._storage.fields, columns, strict=True))
        finals = as_column("next_frame", frames_field, next_frame, rows)
        ends = as_column("ended", Field((), np.bool_), ended, rows)
        lanes = self._lanes_of(rows, lane)
        with self._lock:
            slots = [
                self._append(
                    int(lanes[i]), by_name["frame"][i], finals[i], bool(ends[i]), self._row(by_name, i)
                )
                for i in range(rows)
            ]
            return stamped(np.array(slots, np.int64), self._writes)

    def sample(self, batch_size: int, *, out: Any = None) -> Any:
        """Draw a batch (with replacement); `out` as for the other buffers."""
        with self._lock:
            if not self._drawable.any():
                raise ValueError("cannot sample: no transition is stored\nhint: add transitions first")
            if batch_size < 1:
                raise ValueError(f"batch_size must be at least 1, got {batch_size}")
            outputs = (
                self._pool.take(batch_size)
                if out is None
                else Outputs.over(out, self.batch_fields, batch_size)
            )
            self._sampler.draw(self._rng, outputs.slots, outputs.weights)
            age = self._age[outputs.slots]
            self._gather_stacks(outputs.slots, age, outputs.arrays[0])
            self._gather_stacks((outputs.slots + self.lanes) % self.capacity, age + 1, outputs.arrays[1])
            for name, array in zip(self._others, outputs.arrays[2:], strict=True):
                self._storage.gather_field(name, outputs.slots, array)
            return self.Batch(*outputs.arrays, stamped(outputs.slots, self._writes), outputs.weights)

    def update_priorities(self, indices: Any, priorities: Any, *, stamp: int | None = None) -> int:
        """As for PrioritizedReplay: slots overwritten since the batch was sampled are left alone."""
        if not isinstance(self._sampler, PrioritySampler):
            raise TypeError(
                "this buffer samples uniformly\nhint: FrameStackReplay(..., alpha=0.6) is prioritised"
            )
        slots = np.ascontiguousarray(indices, np.int64)
        values = np.asarray(priorities, np.float64)
        stamp = getattr(indices, "stamp", NO_STAMP) if stamp is None else stamp
        with self._lock:
            in_range = slots.shape == values.shape and bool(np.all((slots >= 0) & (slots < self.capacity)))
            if stamp >= 0 and in_range:  # out of range: the sampler says what is wrong
                current = self._written_at[slots] <= stamp
                slots, values = slots[current], values[current]
            return self._sampler.update(slots, values, 0, 0)

    def _lanes_of(self, rows: int, lane: Any) -> Slots:
        if lane is not None:
            lanes = as_column("lane", Field((), np.int64), lane, rows)
        elif self.lanes == 1:
            lanes = np.zeros(rows, np.int64)
        elif rows == self.lanes:
            lanes = np.arange(rows)
        else:
            raise ValueError(
                f"extend got {rows} rows for {self.lanes} lanes\nhint: say which with lane=[...]"
            )
        if rows and not (lanes.min() >= 0 and lanes.max() < self.lanes):
            raise IndexError(
                f"lane must be between 0 and {self.lanes - 1}, got {lanes.min()} to {lanes.max()}"
            )
        return lanes

    def _row(self, columns: Mapping[str, Any], i: int) -> dict[str, Any]:
        return {name: columns[name][i] for name in self._others}

    def _append(self, lane: int, frame: Any, final: Any, ended: bool, others: Mapping[str, Any]) -> int:
        slot = self._slot(lane, 0)
        self._storage.write(slot, {"frame": frame, **others})
        if not self._mid_episode[lane]:
            self._lose_frame(lane, 0)
            self._age[slot] = 0
        after = self._slot(lane, 1)
        self._lose_frame(lane, 1)
        self._frames_column[after] = final
        self._age[after] = self._age[slot] + 1
        self._drawable[slot] = True
        self._sampler.written(slot, 1)
        self._writes += 1
        self._written_at[slot] = self._writes
        self._steps[lane] += 2 if ended else 1
        self._mid_episode[lane] = not ended
        return slot

    def _slot(self, lane: int, ahead: int) -> int:
        return int((self._steps[lane] + ahead) * self.lanes % self.capacity) + lane

    def _lose_frame(self, lane: int, ahead: int) -> None:
        """Take out the transitions that need the old frame of the slot that is about to be overwritten."""
        for distance in range(self.stack):
            slot = self._slot(lane, ahead + distance)
            if self._drawable[slot] and self._age[slot] >= distance:
                self._drawable[slot] = False
                self._sampler.removed(slot, 1)

    def _gather_stacks(self, last_slots: Slots, age: npt.NDArray[np.int32], out: Any) -> None:
        """Frames up to the last slot, oldest first; those before the episode repeat its first frame."""
        back = np.arange(self.stack - 1, -1, -1)
        within = np.minimum(back, age[:, None])
        slots = (last_slots[:, None] - within * self.lanes) % self.capacity
        self._storage.gather_field("frame", slots.reshape(-1), out)
        if self.pad == "zero":
            out[back > age[:, None]] = 0

    def _state(self) -> dict[str, Any]:
        state = {name: getattr(self, "_" + name) for name in _STATE_ARRAYS}
        arguments = {"stack": self.stack, "lanes": self.lanes, "pad": self.pad, "capacity": self.capacity}
        alpha = self._sampler.alpha if isinstance(self._sampler, PrioritySampler) else None
        return {
            **state,
            "arguments": {**arguments, "alpha": alpha},
            "writes": self._writes,
            "fields": saving.describe_fields(self._storage.fields),
            "columns": {name: self._storage.column(name) for name in self._storage.fields},
            "sampler": self._sampler.state(),
            "rng": self._rng.bit_generator.state,
        }

    @classmethod
    def _from_state(cls, state: dict[str, Any]) -> Self:
        fields = saving.fields_from(state["fields"])
        buffer = cls(frame=fields.pop("frame"), fields=fields, **state["arguments"])
        for name in _STATE_ARRAYS:
            getattr(buffer, "_" + name)[:] = state[name]
        for name, values in state["columns"].items():
            buffer._storage.column(name)[:] = values
        buffer._writes = int(state["writes"])
        buffer._sampler.restore(state["sampler"])
        buffer._rng.bit_generator.state = state["rng"]
        return buffer


_STATE_ARRAYS = ("drawable", "age", "written_at", "steps", "mid_episode")


def _check_arguments(capacity: int, fields: Mapping[str, Field], stack: int, lanes: int, pad: str) -> None:
    if stack < 1 or lanes < 1:
        raise ValueError(f"stack and lanes must be at least 1, got stack={stack}, lanes={lanes}")
    if capacity % lanes or capacity // lanes < stack + 2:
        hint = f"hint: take a multiple of {lanes}, at least {lanes * (stack + 2)}"
        raise ValueError(f"capacity {capacity} does not fit {lanes} lanes of stacks of {stack}\n{hint}")
    if pad not in ("repeat", "zero"):
        raise ValueError(f"pad must be 'repeat' or 'zero', got {pad!r}")
    taken = [name for name in fields if name in _OWN_NAMES]
    if taken:
        raise ValueError(f"field names {taken} are taken by the frame stack itself")
