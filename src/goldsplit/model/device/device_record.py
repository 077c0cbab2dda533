"""What a process wrote about its device: marks of the device's clock, and what torch's profiler saw."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from goldsplit.model.recording import RawSpans


@dataclass(frozen=True, slots=True)
class MarkWindow:
    """One short window: at each border of one thread's spans the device's clock was marked."""

    start_ns: int
    end_ns: int
    thread: int
    index: int
    """Of the device."""
    times_ns: list[int]
    """When each mark was put into the device's queue; the host's clock."""
    device_ns: list[int]
    """When the device came to it; its own clock, from the first mark."""
    spans: RawSpans


class Setting:
    """Keys of a device's settings."""

    KIND = "kind"
    """`cuda`, `rocm` or `mps`."""
    ASKED = "asked"
    """Whether the run was to look at the device; if not, only waits for it are known."""
    GRAPHS = "graphs"
    """How many graphs the program has recorded."""
    INDEX = "index"
    NAME = "name"
    MEMORY_BYTES = "memory_bytes"
    CAPABILITY = "capability"
    MATMUL_PRECISION = "matmul_precision"
    """`highest`: products of float32 tensors do not use the tensor cores."""
    NO_WINDOWS = "no_windows"
    """Why torch's profiler was not used."""


class Work(NamedTuple):
    """A kernel or copy on the device; times are of the host's clock."""

    name: str
    start_ns: int
    end_ns: int
    asked_ns: int | None
    """When the host asked for it; None: before the window, or not known."""
    thread_id: int
    """Of the host's thread that asked."""
    stream: int
    bytes: int


class HostCall(NamedTuple):
    """A call of the host that waited for the device, or may have."""

    name: str
    start_ns: int
    end_ns: int
    thread_id: int


@dataclass(frozen=True, slots=True)
class KernelRecord:
    """One short window of torch's profiler."""

    start_ns: int
    end_ns: int
    thread: int
    """The thread whose spans are here: its index."""
    work: list[Work]
    calls: list[HostCall]
    launches: int
    spans: RawSpans


@dataclass(slots=True)
class DeviceRecord:
    """All of one process."""

    marks: list[MarkWindow] = field(default_factory=list)
    kernels: list[KernelRecord] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    """Empty: the process used no device that could be looked at."""
