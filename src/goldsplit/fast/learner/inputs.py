"""Static inputs of a graph: those from the host travel together, through pinned memory, in one copy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

_ALIGNMENT_BYTES = 16


def on_host(leaf: Any, device: torch.device) -> bool:
    """Whether a value has to travel to the device."""
    return isinstance(leaf, np.ndarray) or leaf.device.type != device.type


class PackedBytes:
    """Tensors side by side in one block of bytes on the device, and its twins in pinned host memory."""

    def __init__(
        self, shapes: Sequence[tuple[Any, torch.dtype]], device: torch.device, twins: int = 1
    ) -> None:
        places, end = [], 0
        for shape, dtype in shapes:
            places.append(end)
            size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
            end += -(-size // _ALIGNMENT_BYTES) * _ALIGNMENT_BYTES
        self._layout = [(at, *shape) for at, shape in zip(places, shapes, strict=True)]
        self.block = torch.zeros(max(end, 1), dtype=torch.uint8, device=device)
        self.tensors = self._views(self.block)
        pinned = device.type == "cuda"
        self.twins = [torch.zeros(max(end, 1), dtype=torch.uint8, pin_memory=pinned) for _ in range(twins)]
        self.twin_tensors = [self._views(twin) for twin in self.twins]

    def _views(self, block: torch.Tensor) -> list[torch.Tensor]:
        views = []
        for at, shape, dtype in self._layout:
            size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
            views.append(block[at : at + size].view(dtype).view(tuple(shape)))
        return views


class StaticInputs:
    """Where a graph reads its inputs. `load` puts the next call's values there, in stream order.

    With `in_graph` the copy to the device is part of the graph: `stage` fills the pinned memory, `upload`
    is captured. Without, two pinned blocks take turns, so that filling one never waits for the copy of the
    other.
    """

    def __init__(self, leaves: Sequence[Any], device: torch.device, *, in_graph: bool) -> None:
        self._device = device
        self._host = [i for i, leaf in enumerate(leaves) if on_host(leaf, device)]
        self._on_device = [i for i, leaf in enumerate(leaves) if not on_host(leaf, device)]
        shapes = [(tuple(leaves[i].shape), _torch_dtype(leaves[i])) for i in self._host]
        self._packed = PackedBytes(shapes, device, 1 if in_graph else 2) if self._host else None
        self._direct = [torch.empty_like(leaves[i].detach()) for i in self._on_device]
        self._copied: list[Any] = [None, None]
        self._turn = 0
        self.tensors: list[torch.Tensor] = [torch.empty(0)] * len(leaves)
        for i, tensor in zip(self._on_device, self._direct, strict=True):
            self.tensors[i] = tensor
        for i, tensor in zip(self._host, self._packed.tensors if self._packed else [], strict=True):
            self.tensors[i] = tensor
        numpy_like = [_numpy_or_none(twin) for twin in (self._packed.twin_tensors if self._packed else [])]
        self._arrays = numpy_like

    def stage(self, leaves: Sequence[Any]) -> None:
        """Values from the host into pinned memory, values on the device to where the graph reads them."""
        if self._packed is not None:
            self._fill(0, leaves)
        self._copy_direct(leaves)

    def upload(self) -> None:
        if self._packed is not None:
            self._packed.block.copy_(self._packed.twins[0], non_blocking=True)

    def load(self, leaves: Sequence[Any]) -> None:
        """Both, at once."""
        if self._packed is not None:
            turn = self._turn = 1 - self._turn
            if self._copied[turn] is not None:
                self._copied[turn].synchronize()  # long done, unless the device is two updates behind
            self._fill(turn, leaves)
            self._packed.block.copy_(self._packed.twins[turn], non_blocking=True)
            if self._device.type == "cuda":
                if self._copied[turn] is None:
                    self._copied[turn] = torch.cuda.Event()
                self._copied[turn].record()
        self._copy_direct(leaves)

    def _fill(self, turn: int, leaves: Sequence[Any]) -> None:
        assert self._packed is not None
        for at, i in enumerate(self._host):
            leaf, array = leaves[i], self._arrays[turn][at]
            if isinstance(leaf, np.ndarray) and array is not None:
                array[...] = leaf
            else:
                self._packed.twin_tensors[turn][at].copy_(torch.as_tensor(leaf).detach())

    def _copy_direct(self, leaves: Sequence[Any]) -> None:
        if self._direct:
            with torch.no_grad():
                torch._foreach_copy_(self._direct, [leaves[i] for i in self._on_device])


def _numpy_or_none(tensors: list[torch.Tensor]) -> list[Any]:
    return [tensor.numpy() if tensor.dtype != torch.bfloat16 else None for tensor in tensors]


def _torch_dtype(leaf: Any) -> torch.dtype:
    return leaf.dtype if isinstance(leaf, torch.Tensor) else torch.from_numpy(np.empty(0, leaf.dtype)).dtype
