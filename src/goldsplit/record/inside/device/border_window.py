"""A short window in which the device's clock is marked at every border of the driver's spans.

The thread that trains runs `look` at each border: it puts a mark into the device's queue and goes on. The
snapshot thread reads the marks when the device has reached the last of them. Without a clock only the spans
are kept: beside a window of torch's profiler, which has clocks of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from goldsplit.model.wire import Key, Line
from goldsplit.record.inside.core import watch_borders
from goldsplit.record.inside.core.packing import RAW_SPAN
from goldsplit.record.inside.device.clocks import DeviceClock
from goldsplit.record.inside.engine import ThreadState, clock

#: Borders of one window, so that a fast loop cannot fill memory or disk.
MOST_MARKS = 400
#: A window that is open for longer than this ends, however few borders it saw.
LONGEST_NS = 400_000_000


class BorderWindow:
    """Marks and spans of one thread; ended once, then read once."""

    def __init__(
        self,
        device: DeviceClock | None,
        state: ThreadState,
        most: int = MOST_MARKS,
        is_barred: Callable[[], bool] = lambda: False,
    ) -> None:
        """`is_barred`: somebody records a graph, so that the device must be left alone."""
        self.device = device
        self.state = state
        self.most = most
        self.is_barred = is_barred
        self.began_ns = clock()
        self.ended_ns = 0
        self.index = -1
        """Of the device; -1: not asked yet, because only the thread that trains knows."""
        self.times_ns: list[int] = []
        self.marks: list[Any] = []
        self.spans = bytearray()
        self.cost_ns = 0
        """What putting the marks has cost the thread that trains."""

    def open(self) -> None:
        watch_borders(self.look, self.state)

    def look(self, node: Any, closing: bool) -> None:
        """At a border of the watched thread, in that thread."""
        now = clock()
        if self.ended_ns:
            return
        if closing:
            self.spans += RAW_SPAN.pack(node.id, node.t0, now - node.t0)
        try:
            may_go_on = self.device is None or self._mark(self.device, now)
        except BaseException:
            self.end(now)  # one failure is enough: the core counts it
            raise
        if not may_go_on:
            self.end(now)
            return
        if self.device is None:
            self.times_ns.append(now)
        self.cost_ns += clock() - now
        if len(self.times_ns) >= self.most:
            self.end(now)

    def _mark(self, device: DeviceClock, now: int) -> bool:
        """Put a mark; False where a graph is being recorded, into which the mark would go."""
        if self.is_barred() or (not self.marks and device.is_capturing()):
            return False
        if not self.marks:
            self.index = device.index()
            self.began_ns = now
        at_ns = clock()
        self.marks.append(device.mark())
        self.times_ns.append(at_ns)
        return True

    def is_over(self, now: int) -> bool:
        """Whether it has ended; one that is open for too long ends here."""
        if not self.ended_ns and now - self.began_ns > LONGEST_NS:
            self.end(self.times_ns[-1] if self.times_ns else now)
        return bool(self.ended_ns)

    def end(self, at_ns: int) -> None:
        """Take no more marks; what is open now is counted up to the last one."""
        if not self.ended_ns:
            self.ended_ns = at_ns
            watch_borders(None, None)
            if self.times_ns:
                self.state.add_open_spans(self.spans, at_ns)

    def has_been_reached(self) -> bool:
        """Whether all marks can be read."""
        return self.device is not None and bool(self.marks) and self.device.has_reached(self.marks[-1])

    def line(self, pack: Any) -> dict[str, Any] | None:
        """The window as a line of the process's file; None where it has too little to tell."""
        marks, device = self.marks, self.device
        if device is None or len(marks) < 3 or len(marks) != len(self.times_ns):
            return None
        packed = bytearray()
        for at_ns, mark in zip(self.times_ns, marks, strict=True):
            packed += RAW_SPAN.pack(0, at_ns, max(0, device.between_ns(marks[0], mark)))
        return {
            Key.KIND: Line.DEVICE,
            Key.TIME: self.began_ns,
            Key.END: self.ended_ns,
            Key.THREAD: self.state.index,
            Key.DEVICE: [device.kind, self.index],
            Key.MARKS: pack(packed, self.began_ns),
            Key.RAW_SPANS: pack(self.spans, self.began_ns),
        }
