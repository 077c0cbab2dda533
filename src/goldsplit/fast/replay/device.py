"""Replay that lives on the device, for buffers that fit there. Needs torch.

    buf = DevicePrioritizedReplay(100_000, fields, device="cuda", seed=0)
    buf.add(obs=o, action=a)                        # waits on the host for the next sample
    batch = buf.sample(256)                         # tensors on the device: fields, indices, weights
    buf.update_priorities(batch.indices, td_errors.abs() + 1e-6)

Transitions are checked and packed on the host and travel together, in one copy, when the next batch is drawn.
Drawing, gathering, weights and priorities stay on the device. Inside a captured update use `draw` and
`write_priorities` (see `goldsplit.fast.learner`), and call `flush` before each replay.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import torch

from goldsplit.fast.replay import saving
from goldsplit.fast.replay.batch import NO_STAMP, batch_type
from goldsplit.fast.replay.device_priorities import DevicePriorities
from goldsplit.fast.replay.device_rows import DeviceRows
from goldsplit.fast.replay.samplers import checked_beta
from goldsplit.fast.replay.schema import Field


class DeviceReplay(saving.Savable):
    """Every stored transition with the same probability; all weights are 1."""

    kind = "device-uniform"

    def __init__(
        self,
        capacity: int,
        fields: Mapping[str, Field],
        *,
        device: torch.device | str = "cuda",
        seed: int | None = None,
    ) -> None:
        self.device = torch.device(device)
        self._storage = DeviceRows(capacity, fields, self.device)
        self.capacity = self._storage.capacity
        self._writes = 0
        self._size = torch.zeros((), dtype=torch.float64, device=self.device)
        self.generator = torch.Generator(self.device)
        if seed is None:
            self.generator.seed()
        else:
            self.generator.manual_seed(seed)
        self._lock = threading.Lock()
        self.Batch = batch_type(self._storage.fields)

    @property
    def fields(self) -> dict[str, Field]:
        return dict(self._storage.fields)

    batch_fields = fields

    @property
    def nbytes(self) -> int:
        """Device memory of the stored rows."""
        return self._storage.nbytes

    @property
    def next_slot(self) -> int:
        return self._writes % self.capacity

    def __len__(self) -> int:
        return min(self._writes, self.capacity)

    def __getitem__(self, name: str) -> torch.Tensor:
        """The stored values of one field, by slot: a view that later writes change."""
        if name not in self._storage.fields:
            raise KeyError(f"no field {name!r}; the schema has {list(self._storage.fields)}")
        self.flush()
        return self._storage.column(name)[: len(self)]

    def add(self, **transition: Any) -> int:
        """Store one transition of the host; the slot it goes to."""
        with self._lock:
            slot = self._writes % self.capacity
            self._storage.stage(transition)
            self._writes += 1
            if self._storage.staged == self._storage.most_staged:
                self._flush()
        return slot

    def extend(self, **columns: Any) -> Any:
        """Store a batch, arrays of the host or tensors of this device; the slots it went to."""
        with self._lock:
            rows = self._storage.checked_rows(columns)
            if rows > self.capacity:
                raise ValueError(f"extend got {rows} rows, more than the capacity of {self.capacity}")
            self._flush()
            first = self._writes % self.capacity
            self._storage.write(first, columns)
            self._writes += rows
            self._announce(rows)
            slots = torch.arange(first, first + rows) % self.capacity
            slots.stamp = self._writes
            return slots

    def flush(self) -> None:
        """Bring what was added to the device, in one copy. `sample` does it by itself."""
        with self._lock:
            self._flush()

    def sample(self, batch_size: int, *, out: Any = None) -> Any:
        """Draw a batch (with replacement), in tensors of the device. `out` takes a batch to write to."""
        with self._lock:
            if not self._writes:
                raise ValueError("cannot sample: nothing was stored yet\nhint: add transitions first")
            if batch_size < 1:
                raise ValueError(f"batch_size must be at least 1, got {batch_size}")
            if out is not None:
                self._check_out(out, batch_size)
            self._flush()
            batch = self.draw(batch_size)
            if out is not None:
                for given, value in zip(out, batch, strict=True):
                    given.copy_(value)
                batch = out
            batch.indices.stamp = self._writes
            return batch

    def draw(self, batch_size: int) -> Any:
        """The device's part of `sample`: no checks, no flush; may be captured into a graph."""
        slots, weights = self._drawn(batch_size)
        return self.Batch(*self._storage.gather(slots), slots, weights)

    def _drawn(self, count: int) -> tuple[torch.Tensor, torch.Tensor]:
        uniforms = torch.rand(count, dtype=torch.float64, device=self.device, generator=self.generator)
        slots = (uniforms * self._size).long()
        return slots, torch.ones(count, device=self.device)

    def _flush(self) -> None:
        rows = self._storage.staged
        if rows:
            self._storage.flush((self._writes - rows) % self.capacity)
            self._announce(rows)

    def _announce(self, rows: int) -> None:
        """The last `rows` writes are on the device now."""
        self._size.fill_(len(self))

    def _check_out(self, out: Any, rows: int) -> None:
        expected = [(name, (rows, *field.shape), field.dtype) for name, field in self.fields.items()]
        expected += [("indices", (rows,), np.int64), ("weights", (rows,), np.float32)]
        for name, shape, dtype in expected:
            tensor, wanted = getattr(out, name), np.dtype(dtype)
            if tuple(tensor.shape) != shape or tensor.dtype != torch.from_numpy(np.empty(0, wanted)).dtype:
                raise ValueError(
                    f"out.{name} must be {wanted} {shape}, got {tensor.dtype} {tuple(tensor.shape)}"
                )
            if not tensor.is_contiguous() or tensor.device.type != self.device.type:
                raise ValueError(f"out.{name} must be contiguous and writeable, on {self.device}")

    def _state(self) -> dict[str, Any]:
        self._flush()
        size = len(self)
        columns = {name: self._storage.column(name)[:size].cpu().numpy() for name in self.fields}
        return {
            "capacity": self.capacity,
            "writes": self._writes,
            "device": str(self.device),
            "fields": saving.describe_fields(self._storage.fields),
            "columns": columns,
            "sampler": self._sampler_state(),
            "rng": self.generator.get_state().cpu().numpy(),
        }

    def _sampler_state(self) -> dict[str, Any]:
        return {}

    def _restore_sampler(self, state: dict[str, Any]) -> None:
        self._size.fill_(len(self))

    @classmethod
    def _from_state(cls, state: dict[str, Any]) -> Self:
        device = torch.device(state["device"])
        if device.type == "cuda" and not torch.cuda.is_available():
            device = torch.device("cpu")
        buffer = cls(int(state["capacity"]), saving.fields_from(state["fields"]), device=device)
        buffer._writes = int(state["writes"])
        for name, values in state["columns"].items():
            buffer._storage.column(name)[: len(buffer)] = torch.from_numpy(np.ascontiguousarray(values)).to(
                device
            )
        buffer._restore_sampler(state["sampler"])
        if str(device) == state["device"]:
            buffer.generator.set_state(torch.from_numpy(np.asarray(state["rng"])))
        return buffer


class DevicePrioritizedReplay(DeviceReplay):
    """Prioritised experience replay (Schaul et al., 2016) on the device: stratified draws, exact weights.

    Priorities that are zero, negative, infinite or NaN are left out, and counted in `refused`: to refuse them
    with an error means to wait for the device. With `check=True` (the default on the CPU) they are an error.
    """

    kind = "device-prioritized"

    def __init__(
        self,
        capacity: int,
        fields: Mapping[str, Field],
        *,
        alpha: float = 0.6,
        beta: float = 0.4,
        device: torch.device | str = "cuda",
        seed: int | None = None,
        check: bool | None = None,
    ) -> None:
        super().__init__(capacity, fields, device=device, seed=seed)
        if not (math.isfinite(alpha) and alpha >= 0.0):
            raise ValueError(f"alpha must be finite and at least 0, got {alpha}")
        self.alpha = float(alpha)
        self._beta_value = checked_beta(beta)
        self._beta = torch.tensor(self._beta_value, dtype=torch.float32, device=self.device)
        self._priorities = DevicePriorities(self.capacity, self.device)
        self._largest = torch.ones((), dtype=torch.float32, device=self.device)
        self._refused = torch.zeros((), dtype=torch.int64, device=self.device)
        self._check = self.device.type == "cpu" if check is None else check

    @property
    def beta(self) -> float:
        """Exponent of the importance weights; set it to anneal it towards 1, also beside a captured graph."""
        return self._beta_value

    @beta.setter
    def beta(self, beta: float) -> None:
        self._beta_value = checked_beta(beta)
        self._beta.fill_(self._beta_value)

    @property
    def max_priority(self) -> float:
        """The largest priority seen so far: what a new transition gets. Waits for the device."""
        return float(self._largest)

    @property
    def refused(self) -> int:
        """How many priorities were no positive, finite numbers and were left out. Waits for the device."""
        return int(self._refused)

    def probabilities(self) -> torch.Tensor:
        """The probability of each stored slot in the next draw."""
        with self._lock:
            self._flush()
            return self._priorities.leaves[: len(self)].double() / self._priorities.total()

    def update_priorities(self, indices: Any, priorities: Any, *, stamp: int | None = None) -> None:
        """Set the priorities of sampled slots, except of those overwritten since the batch was sampled."""
        with self._lock:
            self._flush()
            stamp = getattr(indices, "stamp", NO_STAMP) if stamp is None else stamp
            slots = torch.as_tensor(indices, device=self.device).long()
            values = torch.as_tensor(priorities, device=self.device).detach()
            if values.shape != slots.shape or slots.dim() != 1:
                hint = "\nhint: flatten them with .reshape(-1)" if values.numel() == slots.numel() else ""
                raise ValueError(
                    f"priorities must have the shape {tuple(slots.shape)} of the indices, "
                    f"got {tuple(values.shape)}{hint}"
                )
            if self._check:
                self._refuse(slots, values)
            current = None
            if 0 <= stamp < self._writes:
                current = (slots - stamp) % self.capacity >= self._writes - stamp
            self.write_priorities(slots, values, current)

    def write_priorities(
        self, slots: torch.Tensor, priorities: torch.Tensor, where: torch.Tensor | None = None
    ) -> None:
        """The device's part of `update_priorities`: no checks; may be captured into a graph."""
        values = priorities.float()
        leaves = self._leaves_of(values)
        left_out = leaves == 0.0
        self._refused += left_out.sum()
        if where is not None:
            left_out |= ~where
        torch.maximum(self._largest, values.masked_fill(left_out, 0.0).amax(), out=self._largest)
        self._priorities.update(slots, torch.where(left_out, self._priorities.leaves[slots], leaves))

    def _leaves_of(self, values: torch.Tensor) -> torch.Tensor:
        """Priorities to the power alpha; 0 for those that are not to be used."""
        if self.alpha == 0.0:
            return ((values > 0.0) & (values < math.inf)).float()
        return values.clamp_min(0.0).pow(self.alpha).nan_to_num_(nan=0.0, posinf=0.0)

    def _refuse(self, slots: torch.Tensor, values: torch.Tensor) -> None:
        outside = (slots < 0) | (slots >= self.capacity)
        if bool(outside.any()):
            at = int(outside.nonzero()[0])
            raise IndexError(
                f"indices[{at}] is slot {int(slots[at])}, outside of the {self.capacity} slots of the buffer"
            )
        bad = ~((values > 0) & torch.isfinite(values))
        if bool(bad.any()):
            at = int(bad.nonzero()[0])
            hint = "hint: pass td_errors.abs() + 1e-6; a NaN or infinity means that the loss itself is broken"
            raise ValueError(
                f"priorities[{at}] = {float(values[at])}: a priority must be finite and above 0\n{hint}"
            )

    def _drawn(self, count: int) -> tuple[torch.Tensor, torch.Tensor]:
        uniforms = torch.rand(count, dtype=torch.float64, device=self.device, generator=self.generator)
        slots = self._priorities.draw(uniforms)
        return slots, self._priorities.weights(slots, self._beta)

    def _announce(self, rows: int) -> None:
        super()._announce(rows)
        leaf = self._largest.pow(self.alpha)
        first = (self._writes - rows) % self.capacity
        until_end = min(rows, self.capacity - first)
        self._priorities.fill(first, until_end, leaf)
        if until_end < rows:
            self._priorities.fill(0, rows - until_end, leaf)

    def _sampler_state(self) -> dict[str, Any]:
        return {
            "alpha": self.alpha,
            "beta": self._beta_value,
            "max_priority": self.max_priority,
            "leaves": self._priorities.leaves.cpu().numpy(),
        }

    def _restore_sampler(self, state: dict[str, Any]) -> None:
        super()._restore_sampler(state)
        self.alpha, self.beta = float(state["alpha"]), float(state["beta"])
        self._largest.fill_(float(state["max_priority"]))
        self._priorities.rebuild(torch.from_numpy(np.asarray(state["leaves"], np.float32)).to(self.device))
