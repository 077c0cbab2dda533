"""A short window of torch's profiler with the device's activity only: which kernels and copies ran when, and
which calls of the host waited for them.

The profiler's own functions below `torch.profiler` are used, because the public ones wait for the device at
the end of a window. Where they are not as expected, there are no windows, and a note says so.
"""

from __future__ import annotations

import time
from array import array
from typing import Any, NamedTuple

from goldsplit.record.inside.engine import clock

#: More events of one window than these are cut off.
MOST_EVENTS = 40_000
#: Calls of the host that may wait for the device, whatever they last.
_WAITING_CALLS = (
    "Synchronize",
    "cudaMemcpy",
    "cuMemcpy",
    "hipMemcpy",
    "cudaFree",
    "cudaMalloc",
)
#: A launch that lasts so long did not find room in the device's queue.
LONG_CALL_NS = 50_000
FAR_NS = 1_000_000_000


class Seen(NamedTuple):
    """What one window saw; times are of the monotonic clock."""

    names: list[str]
    work: array[int]
    """Rows of name, start, end, start of the call that asked for it (0: not known), thread, stream, bytes."""
    calls: array[int]
    """Rows of name, start, end, thread: calls of the host that waited, or may have."""
    launches: int
    """All calls of the host that gave the device something to do."""


#: How torch's profiler is asked for the device alone.
DEVICE_ONLY = {"use_cpu": False, "use_device": "cuda", "use_kineto": True}


class KernelWindow:
    """Opened and closed by one thread, the recorder's own: the profiler's state belongs to a thread. What it
    sees of the device is that of all threads."""

    def __init__(self, torch: Any, options: dict[str, Any] = DEVICE_ONLY) -> None:
        self._torch = torch
        self._options = options
        self.began_ns = 0
        self.ended_ns = 0

    def open(self) -> None:
        """Without the profiler's own callbacks, which tell all of torch that a profiler runs."""
        profiler = self._torch.autograd.profiler.profile(**self._options)
        profiler._prepare_trace()
        try:
            config = profiler.config(create_trace_id=False)
        except TypeError:  # before torch 2.6
            config = profiler.config()
        self._torch.autograd._enable_profiler(config, profiler.kineto_activities)
        self.began_ns = clock()

    def close(self) -> Any:
        """End the window; what the profiler has, to be given to `read`."""
        self.ended_ns = clock()
        return self._torch.autograd._disable_profiler()


def read(result: Any, began_ns: int, ended_ns: int) -> Seen:
    """The profiler's events as rows of numbers. What lies far outside the window has another clock."""
    offset_ns = time.time_ns() - clock()  # the profiler's times are of the calendar
    events = result.events()[:MOST_EVENTS]
    names: dict[str, int] = {}
    asked: dict[int, tuple[int, int]] = {}
    calls: array[int] = array("q")
    device = []
    launches = 0
    for event in events:
        name = event.name()
        if "CUDA" in str(event.device_type()):
            device.append((name, event))
            continue
        start = event.start_ns() - offset_ns
        end, thread = start + event.duration_ns(), event.start_thread_id()
        asked[event.correlation_id()] = (start, thread)
        is_launch = "Launch" in name
        launches += is_launch
        if name_waits(name) or end - start >= LONG_CALL_NS:
            calls.extend((names.setdefault(name, len(names)), start, end, thread))
    work: array[int] = array("q")
    for name, event in device:
        start = event.start_ns() - offset_ns
        if not began_ns - FAR_NS < start < ended_ns + FAR_NS:
            continue
        launched, thread = asked.get(event.correlation_id(), (0, 0))
        place = names.setdefault(name[:120], len(names))
        end = start + event.duration_ns()
        work.extend((place, start, end, launched, thread, event.device_resource_id(), event.nbytes()))
    return Seen(list(names), work, calls, launches)


def name_waits(name: str) -> bool:
    """Whether a call of the host may wait for the device."""
    return any(part in name for part in _WAITING_CALLS)
