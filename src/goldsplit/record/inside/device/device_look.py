"""The look at the device: windows of marks or of torch's profiler, one at a time; the device's settings.

It lives in the recorder's thread and asks the device nothing while the program records a graph. Unless the
launcher asks for it (`goldsplit record --gpu`), the device is never asked anything and no call is wrapped:
the report only says that a device was in use and not measured.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

from goldsplit.model.device.device_record import Setting
from goldsplit.model.wire import Counter, Key, Line, Variable
from goldsplit.record.inside.core import watch_borders
from goldsplit.record.inside.device import wait_hooks, window_times
from goldsplit.record.inside.device.border_window import BorderWindow
from goldsplit.record.inside.device.captures import Captures
from goldsplit.record.inside.device.clocks import DeviceClock, clock_in_use
from goldsplit.record.inside.device.kernel_looks import KernelLooks
from goldsplit.record.inside.device.torch_settings import settings_of
from goldsplit.record.inside.engine import ENGINE, ThreadState, clock
from goldsplit.record.inside.own_failures import harmless
from goldsplit.record.packed_numbers import pack_raw

#: How long to wait for the device to reach a window's last mark.
MOST_PATIENCE_NS = 20_000_000_000
#: How often an open window is looked at.
WATCH_EVERY_NS = 40_000_000
NEVER_NS = 1 << 62


class DeviceLook:
    """Nothing until the program uses a device."""

    def __init__(self) -> None:
        watch_borders(None, None)  # a forked child must not go on with its parent's
        self.asked = bool(os.environ.get(Variable.GPU))
        self.clock: DeviceClock | None = None
        self.captures = Captures()
        self.kernels: KernelLooks | None = None
        self.window: BorderWindow | None = None
        self.due_ns = NEVER_NS
        self.began_ns = 0
        self.told: dict[str, Any] = {}

    def next_border_ns(self, now: int) -> int:
        """When to look again."""
        if self.clock is None:
            return NEVER_NS
        kernels = NEVER_NS if self.kernels is None else self.kernels.next_border_ns()
        if self.window is not None:
            return now + WATCH_EVERY_NS
        return min(self.due_ns, kernels)

    def tick(self, now: int) -> list[dict[str, Any]]:
        """Do what is due; the lines to write."""
        if self.clock is None:
            return self._begin(now)
        lines: list[dict[str, Any]] = []
        if self.window is not None:
            lines += self._tend(self.clock, self.window, now)
        elif self.kernels is not None and self.kernels.is_busy_or_due(now):
            lines += self.kernels.tick(now, watched_state())
        elif now >= self.due_ns and ENGINE.last_step_ns:
            self._open(self.clock)
        return lines

    def figures(self) -> dict[str, float]:
        """Counters of a snapshot."""
        is_idle = self.clock is None or not self.asked or self.captures.open
        peak = None if is_idle or self.clock is None else self.clock.peak_bytes()
        return {} if peak is None else {Counter.DEVICE_PEAK_BYTES: peak}

    def pause(self) -> None:
        """The recorder's thread ends, perhaps for a fork only: open windows are given up."""
        watch_borders(None, None)
        self.window = None
        if self.kernels is not None:
            self.kernels.abandon()

    def last_lines(self) -> list[dict[str, Any]]:
        """At the end of the process."""
        watch_borders(None, None)
        return self._info()

    def _begin(self, now: int) -> list[dict[str, Any]]:
        """Whether the program has begun to use a device."""
        found = clock_in_use()
        if found is None:
            return []
        torch = sys.modules["torch"]
        self.clock, self.began_ns = found, now
        if self.asked and found.kind != "mps":
            with harmless("hooks of waits for the device"):
                wait_hooks.install(torch)
        if self.asked:
            self.due_ns = now
            self._begin_windows(torch, found.kind, now)
        return self._info()

    def _begin_windows(self, torch: Any, kind: str, now: int) -> None:
        if kind != "mps":
            with harmless("watching for graphs"):
                self.captures.watch(torch)
            with harmless("the profiler's windows"):
                self.kernels = KernelLooks(torch, self.captures, now)

    def _info(self) -> list[dict[str, Any]]:
        """The device and its settings, where they have changed."""
        if self.clock is None:
            return []
        settings: dict[str, Any] = {Setting.KIND: self.clock.kind, Setting.ASKED: self.asked}
        if self.asked:
            settings[Setting.GRAPHS] = self.captures.count
            with self.captures.kept_away() as alone:
                if not alone:
                    return []
                settings |= settings_of(sys.modules["torch"], self.clock.kind)
        if self.kernels is not None:
            settings |= self.kernels.settings()
        if settings == self.told:
            return []
        self.told = settings
        return [{Key.KIND: Line.DEVICE_INFO, Key.TIME: clock(), Key.SETTINGS: settings}]

    def _open(self, device: DeviceClock) -> None:
        state = watched_state()
        if state is None or self.captures.open:
            self.due_ns = clock() + WATCH_EVERY_NS
            return
        self.window = BorderWindow(device, state, is_barred=lambda: bool(self.captures.open))
        self.window.open()

    def _tend(self, device: DeviceClock, window: BorderWindow, now: int) -> list[dict[str, Any]]:
        """Read a window that has ended, as soon as the device has reached its last mark."""
        if not window.is_over(now):
            return []
        if not window.marks:
            self._close(window, now, 0)
            return []
        begun = clock()
        line = None
        with self.captures.kept_away() as alone:
            if not alone or not window.has_been_reached():
                if now - window.ended_ns > MOST_PATIENCE_NS:
                    self._close(window, now, 0)
                return []
            try:
                line = window.line(pack_raw)
            except BaseException:  # marks of two devices or streams, say
                self._close(window, now, clock() - begun)
                raise
            device.give_back(window.marks, window.index)
        self._close(window, now, clock() - begun)
        return ([line] if line is not None else []) + self._info()

    def _close(self, window: BorderWindow, now: int, read_ns: int) -> None:
        gap = window_times.marks_gap_ns(now - self.began_ns, window.cost_ns + read_ns)
        self.window, self.due_ns = None, now + window_times.scattered(gap, now)


def watched_state() -> ThreadState | None:
    """The thread that trains: the one that made most updates, else the main thread."""
    best: tuple[float, ThreadState] | None = None
    main = threading.main_thread()
    for state in list(ENGINE.threads):
        if not state.thread.is_alive():
            continue
        updates = sum(
            value
            for name, value in list(state.counts.items())
            if name.startswith((Counter.OPTIMIZER, Counter.BACKWARD))
        )
        rank = updates + (0.5 if state.thread is main else 0.0)
        if rank > 0 and (best is None or rank > best[0]):
            best = (rank, state)
    return best[1] if best is not None else None
