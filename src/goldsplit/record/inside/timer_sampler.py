"""Stacks where the system refuses py-spy: a timer signal samples this process's own main thread.

It sees less than py-spy: the main thread only, and only while it uses CPU. That is enough for hot
functions; spans show the waiting.
"""

from __future__ import annotations

import signal
import threading
from collections import Counter
from types import FrameType
from typing import Any

from goldsplit.model.wire import Key, Line, Stacks
from goldsplit.record.inside.cpu_timer import CpuTimer
from goldsplit.record.inside.engine import clock
from goldsplit.record.inside.own_failures import harmless
from goldsplit.record.inside.snapshot_thread import this_one

#: Samples per second of CPU time: at first, and after so many samples. A sample takes about 20 us.
FIRST_RATE_HZ, LATER_RATE_HZ = 50, 20
FIRST_SAMPLES = 6000
MAX_DEPTH = 60

Row = tuple[tuple[str, str, int], ...]


class SignalSampler:
    """Counts the stacks of the main thread, some times per second of CPU time."""

    def __init__(self) -> None:
        self.counts: Counter[Row] = Counter()
        self.since_ns = clock()
        self.running = False
        self.taken = 0
        self.rate_hz = FIRST_RATE_HZ
        self.timer = CpuTimer()

    def start(self) -> bool:
        """Start the timer; False where the program uses this signal itself, or this is no main thread."""
        if this_one() is not threading.main_thread():
            return False
        before = signal.getsignal(signal.SIGPROF)
        if before is not signal.SIG_DFL and getattr(before, "__func__", None) is not SignalSampler.take:
            return False
        signal.signal(signal.SIGPROF, self.take)
        self.running = True
        self._set_rate(FIRST_RATE_HZ)
        return True

    def _set_rate(self, rate_hz: int) -> None:
        self.rate_hz = rate_hz
        self.timer.set_rate(rate_hz)

    def stop(self) -> None:
        """Stop the timer."""
        if self.running:
            self.timer.set_rate(0)
            self.running = False
            if this_one() is threading.main_thread():
                signal.signal(signal.SIGPROF, signal.SIG_IGN)  # a last signal may be on its way

    def take(self, number: int, frame: FrameType | None) -> None:
        """The signal's handler: one stack, outermost frame first."""
        with harmless("a sample"):
            self._take(frame)

    def _take(self, frame: FrameType | None) -> None:
        rows: list[tuple[str, str, int]] = []
        while frame is not None and len(rows) < MAX_DEPTH:
            code = frame.f_code
            rows.append((code.co_qualname, code.co_filename, frame.f_lineno or _line_before(frame)))
            frame = frame.f_back
        self.counts[tuple(reversed(rows))] += 1
        self.taken += 1
        if self.taken == FIRST_SAMPLES and self.running:
            self._set_rate(LATER_RATE_HZ)

    def drain(self) -> dict[str, Any] | None:
        """What was counted since the last call, as a line for the process's file."""
        if not self.counts:
            return None
        counts, self.counts = self.counts, Counter()
        start, self.since_ns = self.since_ns, clock()
        stacks = [[list(row), count] for row, count in counts.items()]
        return {
            Key.KIND: Line.STACKS,
            Stacks.START: start,
            Stacks.END: self.since_ns,
            Stacks.RATE: self.rate_hz,
            Stacks.STACKS: stacks,
        }


def _line_before(frame: FrameType) -> int:
    """The line of the instruction before one that has none: the jump back of a loop, at which signals are
    mostly handled."""
    line = 0
    for begin, _, number in frame.f_code.co_lines():
        if begin > frame.f_lasti:
            break
        line = number or line
    return line or max(1, frame.f_code.co_firstlineno)  # where a module begins there is no line before
