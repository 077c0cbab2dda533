"""How a sampled batch reaches its device: as NumPy, as torch on the CPU, or pinned and copied to CUDA."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

Transform = Callable[[Any], Any] | None


class Ready:
    """A batch that is ready, or on its way to the device with an event that says when it is there."""

    __slots__ = ("_arrival", "_batch")

    def __init__(self, batch: Any, arrival: Any = None) -> None:
        self._batch = batch
        self._arrival = arrival

    def for_caller(self) -> Any:
        """The batch, ordered into the caller's stream: its kernels wait for the copy, its thread does not."""
        if self._arrival is not None:
            import torch

            stream = torch.cuda.current_stream()
            stream.wait_event(self._arrival)
            for value in self._batch:
                if isinstance(value, torch.Tensor) and value.is_cuda:
                    value.record_stream(stream)  # its memory was made on the side stream
        return self._batch


def batch_maker(buffer: Any, batch_size: int, depth: int, device: Any) -> Callable[[Transform], Ready]:
    """A function that samples, converts and transforms one batch; called in the background thread."""
    if device is None:
        return lambda transform: Ready(_transformed(buffer.sample(batch_size), transform))
    import torch

    where = torch.device(device)
    if where.type == "cpu":
        return lambda transform: Ready(_transformed(as_tensors(buffer.sample(batch_size)), transform))
    if where.type != "cuda":
        raise ValueError(f"device must be None, 'cpu' or a CUDA device, got {device!r}")
    if not torch.cuda.is_available():
        raise RuntimeError(f"device {device!r} was asked for, but torch sees no CUDA device")
    return _CudaCopies(buffer, batch_size, depth, where)


def as_tensors(batch: Any) -> Any:
    """Torch views of a batch's arrays, without a copy; `indices` stay as they are."""
    import torch

    return type(batch)(*[_tensor_or_indices(torch, name, batch) for name in batch._fields])


def _tensor_or_indices(torch: Any, name: str, batch: Any) -> Any:
    value = getattr(batch, name)
    return value if name == "indices" else torch.from_numpy(value)


def _transformed(batch: Any, transform: Transform) -> Any:
    return batch if transform is None else transform(batch)


class _CudaCopies:
    """Samples straight into pinned memory and copies it on a side stream."""

    def __init__(self, buffer: Any, batch_size: int, depth: int, device: Any) -> None:
        import torch

        self._torch = torch
        self._buffer, self._batch_size, self._device = buffer, batch_size, device
        self._stream = torch.cuda.Stream(device)
        # One set more than the queue holds: the next batch is sampled while the others are under way.
        self._pinned = deque((self._pinned_batch(), torch.cuda.Event()) for _ in range(depth + 1))

    def __call__(self, transform: Transform) -> Ready:
        torch = self._torch
        pinned, copied = self._pinned[0]
        self._pinned.rotate(-1)
        copied.synchronize()  # until the copy that last read this set is done
        sampled = self._buffer.sample(
            self._batch_size, out=self._buffer.Batch(*[_numpy(value) for value in pinned])
        )
        arrival = torch.cuda.Event()
        with torch.cuda.stream(self._stream):
            values = [
                value.to(self._device, non_blocking=True) if name != "indices" else sampled.indices.copy()
                for name, value in zip(pinned._fields, pinned, strict=True)
            ]
            copied.record(self._stream)
            batch = _transformed(self._buffer.Batch(*values), transform)
            arrival.record(self._stream)
        return Ready(batch, arrival)

    def _pinned_batch(self) -> Any:
        torch = self._torch
        arrays = [
            np.empty((self._batch_size, *field.shape), field.dtype)
            for field in self._buffer.batch_fields.values()
        ]
        arrays += [np.empty(self._batch_size, np.int64), np.empty(self._batch_size, np.float32)]
        return self._buffer.Batch(*[torch.from_numpy(array).pin_memory() for array in arrays])


def _numpy(value: Any) -> Any:
    return value.numpy()
