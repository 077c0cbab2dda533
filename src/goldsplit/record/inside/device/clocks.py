"""Clocks of a device: marks that it reaches in order, read later, so that nobody ever waits for it.

A mark is put into the device's queue behind all work that was given to it so far. When the device comes to
it, it keeps the time. ROCm's builds of torch have CUDA's interface, so `CudaClock` is for both.
"""

from __future__ import annotations

import sys
from typing import Any, Protocol

#: Marks that are kept to be used again.
MOST_KEPT = 4096


class DeviceClock(Protocol):
    """What a window of marks needs of a device."""

    kind: str
    """`cuda`, `rocm` or `mps`."""

    def index(self) -> int:
        """Which device the calling thread works on."""
        ...

    def mark(self) -> Any:
        """Put a mark behind all work that the calling thread has given to the device."""
        ...

    def has_reached(self, mark: Any) -> bool:
        """Whether the device has come to a mark; never waits."""
        ...

    def between_ns(self, first: Any, second: Any) -> int:
        """The device's time between two marks that it has reached."""
        ...

    def give_back(self, marks: list[Any], index: int) -> None:
        """These marks of a device are no longer needed."""
        ...

    def is_capturing(self) -> bool:
        """Whether the calling thread records a graph: then nothing may be put into the queue."""
        ...

    def peak_bytes(self) -> int | None:
        """The most memory that torch's allocator has held at once; None: not known."""
        ...


class CudaClock:
    """CUDA's events; on ROCm they are those of HIP."""

    def __init__(self, torch: Any) -> None:
        self.kind = "rocm" if getattr(torch.version, "hip", None) else "cuda"
        self._cuda = torch.cuda
        self._event = torch.cuda.Event
        self._stream = torch.cuda.current_stream
        self._kept: list[Any] = []
        self._index = -1

    def index(self) -> int:
        return int(self._cuda.current_device())

    def mark(self) -> Any:
        stream, kept = self._stream(), self._kept
        if stream.device_index != self._index:  # an event belongs to the device that it was first used on
            self._index = stream.device_index
            kept.clear()
        event = kept.pop() if kept else self._event(enable_timing=True)
        event.record(stream)
        return event

    def has_reached(self, mark: Any) -> bool:
        return bool(mark.query())

    def between_ns(self, first: Any, second: Any) -> int:
        return int(first.elapsed_time(second) * 1e6)

    def give_back(self, marks: list[Any], index: int) -> None:
        if index == self._index:
            self._kept += marks[: MOST_KEPT - len(self._kept)]

    def is_capturing(self) -> bool:
        return bool(self._cuda.is_current_stream_capturing())

    def peak_bytes(self) -> int | None:
        return int(self._cuda.max_memory_allocated())


class MpsClock:
    """Apple's events. They are tried as they are: no machine of ours has such a device."""

    kind = "mps"

    def __init__(self, torch: Any) -> None:
        self._event = torch.mps.event.Event

    def index(self) -> int:
        return 0

    def mark(self) -> Any:
        event = self._event(enable_timing=True)
        event.record()
        return event

    def has_reached(self, mark: Any) -> bool:
        return bool(mark.query())

    def between_ns(self, first: Any, second: Any) -> int:
        return int(first.elapsed_time(second) * 1e6)

    def give_back(self, marks: list[Any], index: int) -> None:
        return None

    def is_capturing(self) -> bool:
        return False

    def peak_bytes(self) -> int | None:
        return None


def clock_in_use() -> DeviceClock | None:
    """The clock of the device that the program has begun to use; None as long as it uses none. Asks only for
    what is there: nothing is imported, no device is touched."""
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    cuda = getattr(torch, "cuda", None)
    is_initialized = getattr(cuda, "is_initialized", None)
    if is_initialized is not None and is_initialized():
        return CudaClock(torch)
    event = sys.modules.get("torch.mps.event")
    if event is not None and getattr(torch.backends, "mps", None) and torch.backends.mps.is_available():
        return MpsClock(torch)
    return None
