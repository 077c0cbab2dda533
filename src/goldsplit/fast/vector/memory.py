"""Layout and lifetime of the memory that caller and workers share.

The block has no name in any file system: it is a file descriptor (memfd, or an unlinked temporary file)
that travels over the worker's pipe, and the kernel frees it when the last process that maps it is gone,
however it went. So nothing can be left behind, and the size of /dev/shm is no limit.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import reduction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldsplit.fast.vector.leaves import Leaf, Tree, leaves_of, nest

MAIL_BYTES = 64 * 1024  # pages are only taken when they are written
ALIGNMENT_BYTES = 64  # a cache line, so that no two arrays share one


@dataclass(frozen=True, slots=True)
class BufferSpec:
    """All that decides the layout: both sides compute the same offsets from an equal spec."""

    observation_space: Any
    action_space: Any
    num_envs: int
    workers: int
    keeps_finals: bool
    mask_size: int  # 0: no masks
    info_fields: Mapping[str, tuple[tuple[int, ...], np.dtype[Any]]]


@dataclass(frozen=True, slots=True)
class Buffers:
    """The arrays of one vector environment; in shared memory, or private when stepping in process."""

    observations: Tree
    finals: Tree | None  # last observation of an episode, where the same step already reset
    actions: Tree
    rewards: NDArray[np.float64]
    terminations: NDArray[np.bool_]
    truncations: NDArray[np.bool_]
    masks: NDArray[np.bool_] | None
    info_values: dict[str, NDArray[Any]]
    info_present: dict[str, NDArray[np.bool_]]
    command: NDArray[np.uint8]  # per worker: what to do next
    announce: NDArray[np.uint8]  # per worker: also count this answer in the shared semaphore
    reply: NDArray[np.uint8]  # per worker: whether an answer follows in the pipe
    progress: NDArray[np.int64]  # per worker: environment being stepped, for the case that it is killed
    rehearsal_ns: NDArray[np.int64]  # per worker: how long to pretend to work
    mail_bytes: NDArray[np.int64]  # per worker: how much of its mail is an answer
    mail: NDArray[np.uint8]  # per worker: an answer small enough to need no pipe


def _regions(spec: BufferSpec) -> list[Leaf]:
    """Every array of the block with its full shape, in order."""
    rows, per_worker = (spec.num_envs,), (spec.workers,)
    boolean, byte = np.dtype(np.bool_), np.dtype(np.uint8)
    observations = leaves_of(spec.observation_space, "observation")
    trees = observations + (observations if spec.keeps_finals else [])
    trees += leaves_of(spec.action_space, "action")
    regions = [Leaf(leaf.path, rows + leaf.shape, leaf.dtype) for leaf in trees]
    regions.append(Leaf("rewards", rows, np.dtype(np.float64)))
    regions += [Leaf("terminations", rows, boolean), Leaf("truncations", rows, boolean)]
    regions += [Leaf(name, per_worker, byte) for name in ("command", "announce", "reply")]
    regions += [
        Leaf(name, per_worker, np.dtype(np.int64)) for name in ("progress", "rehearsal_ns", "mail_bytes")
    ]
    regions.append(Leaf("mail", (spec.workers, MAIL_BYTES), byte))
    if spec.mask_size:
        regions.append(Leaf("masks", (spec.num_envs, spec.mask_size), boolean))
    for key, (shape, dtype) in spec.info_fields.items():
        regions += [Leaf(f"info[{key!r}]", rows + shape, dtype), Leaf(f"has info[{key!r}]", rows, boolean)]
    return regions


def _aligned(size_bytes: int) -> int:
    return -(-size_bytes // ALIGNMENT_BYTES) * ALIGNMENT_BYTES


def _size_of(region: Leaf) -> int:
    return int(np.prod(region.shape, dtype=np.int64)) * region.dtype.itemsize


def block_size(spec: BufferSpec) -> int:
    """Bytes needed for a spec."""
    return max(ALIGNMENT_BYTES, sum(_aligned(_size_of(region)) for region in _regions(spec)))


def build_buffers(spec: BufferSpec, block: Any) -> Buffers:
    """The arrays of a spec over a writable buffer of `block_size(spec)` bytes."""
    arrays, offset = [], 0
    for region in _regions(spec):
        count = int(np.prod(region.shape, dtype=np.int64))
        flat = np.frombuffer(block, region.dtype, count, offset) if count else np.empty(0, region.dtype)
        arrays.append(flat.reshape(region.shape))
        offset += _aligned(_size_of(region))
    rest = iter(arrays)
    observations = nest(spec.observation_space, rest)
    finals = nest(spec.observation_space, rest) if spec.keeps_finals else None
    actions = nest(spec.action_space, rest)
    rewards, terminations, truncations = (next(rest) for _ in range(3))
    command, announce, reply, progress, rehearsal_ns, mail_bytes, mail = (next(rest) for _ in range(7))
    masks = next(rest) if spec.mask_size else None
    fields = {key: (next(rest), next(rest)) for key in spec.info_fields}
    return Buffers(
        observations, finals, actions, rewards, terminations, truncations, masks,
        {key: values for key, (values, _) in fields.items()},
        {key: present for key, (_, present) in fields.items()},
        command, announce, reply, progress, rehearsal_ns, mail_bytes, mail,
    )  # fmt: skip


def private_buffers(spec: BufferSpec) -> Buffers:
    """The same arrays in memory of this process only."""
    return build_buffers(spec, np.zeros(block_size(spec), np.uint8))


class SharedBlock:
    """A zeroed piece of shared memory; arrays over it stay valid for as long as somebody holds them."""

    def __init__(self, size_bytes: int) -> None:
        self._fd = _nameless_file()
        os.ftruncate(self._fd, size_bytes)
        self.memory = mmap.mmap(self._fd, size_bytes)

    def send(self, pipe: Any, process_id: int) -> None:
        """Give a worker the block over its pipe."""
        reduction.send_handle(pipe, self._fd, process_id)

    def close_descriptor(self) -> None:
        """The mapping stays; only the descriptor goes, once every worker has its own mapping."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def receive_block(pipe: Any, size_bytes: int) -> mmap.mmap:
    """The worker's side of `SharedBlock.send`."""
    fd = reduction.recv_handle(pipe)
    try:
        return mmap.mmap(fd, size_bytes)
    finally:
        os.close(fd)


def _nameless_file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("goldsplit-vector", os.MFD_CLOEXEC)
    fd, path = tempfile.mkstemp(prefix="goldsplit-vector-")
    os.unlink(path)  # noqa: PTH108 - at once: the descriptor keeps it alive
    return fd


def parse_info_fields(
    info_keys: Sequence[str] | Mapping[str, Any],
) -> dict[str, tuple[tuple[int, ...], np.dtype[Any]]]:
    """Keys given with a dtype, or with (shape, dtype), live in shared memory; plain names do not."""
    if not isinstance(info_keys, Mapping):
        return {}
    fields = {}
    for key, kind in info_keys.items():
        shape, dtype = kind if isinstance(kind, tuple) else ((), kind)
        fields[key] = (tuple(int(length) for length in shape), np.dtype(dtype))
        if fields[key][1].hasobject:
            raise TypeError(f"info_keys[{key!r}] has dtype object, which cannot be shared between processes")
    return fields
