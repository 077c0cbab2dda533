"""Windows of torch's profiler, one after the other, far apart; and why there are none."""

from __future__ import annotations

from typing import Any

from goldsplit.model.device.device_record import Setting
from goldsplit.model.wire import Key, Line
from goldsplit.record.inside.device import own_profilers, window_times
from goldsplit.record.inside.device.border_window import BorderWindow
from goldsplit.record.inside.device.captures import Captures
from goldsplit.record.inside.device.kernel_window import KernelWindow, Seen, read
from goldsplit.record.inside.engine import ENGINE, ThreadState, clock
from goldsplit.record.inside.own_failures import count_failure
from goldsplit.record.inside.snapshot_thread import new_lock
from goldsplit.record.packed_numbers import pack_raw, pack_rows

#: Spans that are kept beside one window.
MOST_BORDERS = 20_000
#: So many windows in which nothing was seen: another profiler has the device.
MOST_EMPTY = 3
#: How long the program's own profiler waits for ours to end.
_PATIENCE_SECONDS = 2.0
NEVER_NS = 1 << 62


class KernelLooks:
    """Opens and closes windows in the recorder's thread."""

    def __init__(self, torch: Any, captures: Captures, now: int) -> None:
        self._torch = torch
        self._captures = captures
        self._window: KernelWindow | None = None
        self._borders: BorderWindow | None = None
        self._end_ns = 0
        self._due_ns = now + window_times.SECOND
        self._length_ns = window_times.FIRST_LENGTH_NS
        self._number = self._empty = self._cost_ns = 0
        self._opening = False
        self._lock = new_lock()
        self.why_none = own_profilers.why_none(torch)
        if not self.why_none:
            own_profilers.let_go_between_windows(torch)
            own_profilers.before_programs_own(torch, self._make_way, lambda: self._opening)

    def settings(self) -> dict[str, Any]:
        """What the report says about the windows."""
        return {Setting.NO_WINDOWS: self.why_none} if self.why_none else {}

    def next_border_ns(self) -> int:
        if self.why_none:
            return NEVER_NS
        return self._end_ns if self._window is not None else self._due_ns

    def is_busy_or_due(self, now: int) -> bool:
        if self._window is not None:
            return True
        return not self.why_none and now >= self._due_ns and bool(ENGINE.last_step_ns)

    def tick(self, now: int, state: ThreadState | None) -> list[dict[str, Any]]:
        """Open a window that is due, or close the open one."""
        try:
            with _held(self._lock):
                if self._window is None:
                    self._open(now, state)
                    return []
                return self._close() if now >= self._end_ns else []
        except Exception as error:
            if not count_failure("a window of the profiler", error):
                raise
            self._give_up(f"torch's profiler failed: {type(error).__name__}")
            return []

    def abandon(self) -> None:
        """At the end of the process, or where the program wants the profiler for itself."""
        if self._borders is not None:
            self._borders.end(clock())
        window, self._window, self._borders = self._window, None, None
        if window is not None:
            window.close()

    def _open(self, now: int, state: ThreadState | None) -> None:
        with self._captures.kept_away() as alone:
            if state is None or not alone:
                self._due_ns = now + window_times.SECOND // 5
                return
            begun = clock()
            window = KernelWindow(self._torch)
            self._opening = True
            try:
                window.open()
            finally:
                self._opening = False
            self._borders = BorderWindow(None, state, MOST_BORDERS)
            self._borders.open()
            self._window, self._end_ns = window, clock() + self._length_ns
            self._cost_ns = clock() - begun

    def _close(self) -> list[dict[str, Any]]:
        window, borders, self._window, self._borders = self._window, self._borders, None, None
        if window is None or borders is None:
            return []
        borders.end(clock())
        begun = clock()
        seen = read(window.close(), window.began_ns, window.ended_ns)
        cost_ns = self._cost_ns + clock() - begun
        self._number += 1
        self._empty = 0 if len(seen.work) else self._empty + 1
        events = len(seen.work) // 7 + seen.launches
        self._length_ns = window_times.next_length_ns(self._length_ns, events)
        gap = window_times.kernels_gap_ns(self._number, cost_ns)
        self._due_ns = clock() + window_times.scattered(gap, clock())
        if self._empty >= MOST_EMPTY:
            self._give_up("torch's profiler saw nothing: another profiler may have taken the device")
        return [_line(window, borders, seen)] if len(seen.work) else []

    def _make_way(self) -> None:
        """The program starts a profiler: ours ends for good. It is the recorder's thread that must end it."""
        self._give_up("the program runs torch's profiler itself")
        self._end_ns = 0
        deadline = clock() + int(_PATIENCE_SECONDS * 1e9)
        while self._window is not None and clock() < deadline:
            if self._lock.acquire(timeout=0.005):
                self._lock.release()

    def _give_up(self, why: str) -> None:
        self.why_none = self.why_none or why
        if self._window is None and self._borders is not None:
            self._borders.end(clock())
            self._borders = None


class _held:  # noqa: N801 - used like a function
    """A lock of `_thread`, for a block."""

    def __init__(self, lock: Any) -> None:
        self.lock = lock

    def __enter__(self) -> None:
        self.lock.acquire()

    def __exit__(self, *unused: object) -> None:
        self.lock.release()


def _line(window: KernelWindow, borders: BorderWindow, seen: Seen) -> dict[str, Any]:
    start = window.began_ns
    return {
        Key.KIND: Line.KERNELS,
        Key.TIME: start,
        Key.END: window.ended_ns,
        Key.THREAD: borders.state.index,
        Key.NAMES: seen.names,
        Key.WORK: pack_rows(seen.work, 7, (1, 2, 3), start),
        Key.CALLS: pack_rows(seen.calls, 4, (1, 2), start),
        Key.LAUNCHES: seen.launches,
        Key.RAW_SPANS: pack_raw(borders.spans, start),
    }
