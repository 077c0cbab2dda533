"""UniformReplay and PrioritizedReplay: a ring of transitions, safe to write and sample from several threads.

Rows are copied out *without* the lock, so that a thread that adds does not wait for a thread that samples.
Afterwards the write counter tells which of the copied rows may have been overwritten meanwhile; those, and
only those, are drawn again under the lock. So no row of a batch is ever a mix of two transitions.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from goldsplit.fast.replay import saving
from goldsplit.fast.replay.batch import NO_STAMP, OutputPool, Outputs, SlotIndices, batch_type, stamped
from goldsplit.fast.replay.samplers import PrioritySampler, Sampler, UniformSampler, checked_beta
from goldsplit.fast.replay.schema import AnyArray, Field
from goldsplit.fast.replay.storage import RowStorage

Slots = npt.NDArray[np.int64]


class RingReplay(saving.Savable):
    """What uniform and prioritised replay share; make one of those."""

    kind = "ring"

    def __init__(self, storage: RowStorage, sampler: Sampler, seed: int | None) -> None:
        self.capacity = storage.capacity
        self._storage = storage
        self._sampler = sampler
        self._rng = np.random.default_rng(seed)
        self._writes = 0  # transitions ever written; write number w went to slot w % capacity
        self._announced = 0  # as many of them the sampler knows of
        self._lock = threading.Lock()
        self._pool = OutputPool(storage.fields)
        self.Batch = batch_type(storage.fields)

    @property
    def fields(self) -> dict[str, Field]:
        return dict(self._storage.fields)

    @property
    def batch_fields(self) -> dict[str, Field]:
        """What a batch holds besides `indices` and `weights`: here the stored fields themselves."""
        return self.fields

    @property
    def nbytes(self) -> int:
        """Memory of the stored rows when the buffer is full."""
        return self._storage.rows.nbytes

    @property
    def next_slot(self) -> int:
        """Where the next transition goes; once the buffer is full, that is the oldest one."""
        return self._writes % self.capacity

    def __len__(self) -> int:
        return min(self._writes, self._storage.capacity)

    def __getitem__(self, name: str) -> AnyArray:
        """The stored values of one field, by slot: a view that later writes change."""
        if name not in self._storage.fields:
            raise KeyError(f"no field {name!r}; the schema has {list(self._storage.fields)}")
        return self._storage.column(name)[: len(self)]

    def add(self, **transition: Any) -> int:
        """Store one transition; the slot it went to."""
        with self._lock:
            slot = self._writes % self.capacity
            self._storage.write(slot, transition)
            self._writes += 1
        return slot

    def extend(self, **columns: Any) -> SlotIndices:
        """Store a batch, one array per field with a leading axis; the slots it went to."""
        storage = self._storage
        checked, rows = storage.checked_columns(columns)
        if rows > storage.capacity:
            raise ValueError(f"extend got {rows} rows, more than the capacity of {storage.capacity}")
        with self._lock:
            first = self._writes % storage.capacity
            slots = np.arange(first, first + rows)
            until_end = storage.capacity - first
            if until_end < rows:
                slots[until_end:] -= storage.capacity
            storage.scatter(slots, checked)
            self._writes += rows
            return stamped(slots, self._writes)

    def sample(self, batch_size: int, *, out: Any = None) -> Any:
        """Draw a batch (with replacement). `out` takes a batch of this buffer whose arrays are written to."""
        with self._lock:
            if not self._writes:
                raise ValueError("cannot sample: nothing was stored yet\nhint: add transitions first")
            if batch_size < 1:
                raise ValueError(f"batch_size must be at least 1, got {batch_size}")
            outputs = self._outputs(batch_size, out)
            arrays, slots, weights = tuple(outputs.arrays), outputs.slots, outputs.weights
            self._announce_writes()
            self._sampler.draw(self._rng, slots, weights)
            stamp = self._writes
        self._storage.gather(slots, outputs.addresses)
        with self._lock:  # waits for a write that is under way, so that the counter covers all that was begun
            if self._writes != stamp:
                self._redraw_overwritten(outputs, stamp)
                stamp = self._writes
        return self.Batch(*arrays, stamped(slots, stamp), weights)

    def _announce_writes(self) -> None:
        """Tell the sampler what was written since the last time: a range costs little more than a slot."""
        count = min(self._writes - self._announced, self.capacity)
        if count:
            first = (self._writes - count) % self.capacity
            until_end = min(count, self.capacity - first)
            self._sampler.written(first, until_end)
            if until_end < count:
                self._sampler.written(0, count - until_end)
            self._announced = self._writes

    def _outputs(self, rows: int, out: Any) -> Outputs:
        return self._pool.take(rows) if out is None else Outputs.over(out, self._storage.fields, rows)

    def _redraw_overwritten(self, outputs: Outputs, stamp: int) -> None:
        """Replace the rows whose slots were written to after `stamp`; the lock is held, so none follow."""
        slots, capacity = outputs.slots, self._storage.capacity
        torn = np.flatnonzero((slots - stamp) % capacity < self._writes - stamp)
        if not len(torn):
            return
        self._announce_writes()
        fresh_slots, fresh_weights = np.empty(len(torn), np.int64), np.empty(len(torn), np.float32)
        self._sampler.draw(self._rng, fresh_slots, fresh_weights)
        slots[torn] = fresh_slots
        outputs.weights[torn] = fresh_weights
        for row in torn:
            self._storage.gather(slots[row : row + 1], outputs.addresses + row * self._storage.layout.bytes)

    def _state(self) -> dict[str, Any]:
        size = len(self)
        self._announce_writes()
        return {
            "capacity": self.capacity,
            "writes": self._writes,
            "fields": saving.describe_fields(self._storage.fields),
            "columns": {name: self._storage.column(name)[:size] for name in self._storage.fields},
            "sampler": self._sampler.state(),
            "rng": self._rng.bit_generator.state,
        }

    @classmethod
    def _from_state(cls, state: dict[str, Any]) -> Self:
        buffer = cls(int(state["capacity"]), saving.fields_from(state["fields"]))  # type: ignore[arg-type, call-arg]
        buffer._writes = buffer._announced = int(state["writes"])
        for name, values in state["columns"].items():
            buffer._storage.column(name)[: len(buffer)] = values
        buffer._sampler.restore(state["sampler"])
        buffer._rng.bit_generator.state = state["rng"]
        return buffer


class UniformReplay(RingReplay):
    """Every stored transition is drawn with the same probability; all weights are 1."""

    kind = "uniform"

    def __init__(self, capacity: int, fields: Mapping[str, Field], *, seed: int | None = None) -> None:
        storage = RowStorage(capacity, fields)
        super().__init__(storage, UniformSampler(storage.capacity), seed)


class PrioritizedReplay(RingReplay):
    """Prioritised experience replay (Schaul et al., 2016): stratified draws, exact importance weights."""

    kind = "prioritized"
    _sampler: PrioritySampler

    def __init__(
        self,
        capacity: int,
        fields: Mapping[str, Field],
        *,
        alpha: float = 0.6,
        beta: float = 0.4,
        seed: int | None = None,
    ) -> None:
        storage = RowStorage(capacity, fields)
        super().__init__(storage, PrioritySampler(storage.capacity, alpha, beta), seed)

    @property
    def alpha(self) -> float:
        return self._sampler.alpha

    @property
    def beta(self) -> float:
        """Exponent of the importance weights; set it to anneal it towards 1."""
        return self._sampler.beta

    @beta.setter
    def beta(self, beta: float) -> None:
        self._sampler.beta = checked_beta(beta)

    @property
    def max_priority(self) -> float:
        """The largest priority seen so far: what a new transition gets."""
        return self._sampler.max_priority

    def probabilities(self) -> npt.NDArray[np.float64]:
        """The probability of each stored slot in the next draw."""
        with self._lock:
            self._announce_writes()
            tree = self._sampler.tree
            return tree.leaves[: len(self)].astype(np.float64) / tree.total

    def update_priorities(self, indices: Any, priorities: Any, *, stamp: int | None = None) -> int:
        """Set the priorities of sampled slots; the number set.

        `batch.indices` carry their stamp: slots overwritten since the batch was sampled are left alone. Plain
        indices have none unless `stamp=batch.indices.stamp` is given, and are taken for the slots' present
        content.
        """
        slots = np.ascontiguousarray(indices, np.int64)
        stamp = getattr(indices, "stamp", NO_STAMP) if stamp is None else stamp
        with self._lock:
            self._announce_writes()
            overwritten = self._writes - stamp if stamp >= 0 else 0
            return self._sampler.update(slots, priorities, stamp % self.capacity, overwritten)
