"""A signal for every so much CPU time of this process, by a timer that ends when another program takes over.

`setitimer` goes on after an exec, where nobody handles its signal any more: a program that replaces itself
without Python's knowledge (through ctypes, a C extension) would be killed. Timers made by `timer_create` end
there.
"""

from __future__ import annotations

import signal
from typing import Any

_CLOCK_PROCESS_CPUTIME_ID = 2
_SIGEV_SIGNAL = 0


class CpuTimer:
    """One timer of this process; SIGPROF is its signal."""

    def __init__(self) -> None:
        self._libc: Any = None
        self._timer: Any = None

    def set_rate(self, rate_hz: int) -> None:
        """So many signals per second of CPU time; 0 stops it."""
        if self._timer is None and rate_hz:
            self._make()
        if self._timer is None:
            interval = 1 / rate_hz if rate_hz else 0.0
            signal.setitimer(signal.ITIMER_PROF, interval, interval)
            return
        import ctypes

        nanoseconds = int(1e9 / rate_hz) if rate_hz else 0
        times = (ctypes.c_long * 4)(0, nanoseconds, 0, nanoseconds)
        if self._libc.timer_settime(self._timer, 0, times, None):
            raise OSError("timer_settime failed")

    def _make(self) -> None:
        """Leaves it to `setitimer` where the C library or ctypes is not as expected."""
        try:
            import ctypes

            libc = ctypes.CDLL(None, use_errno=True)
            create = libc.timer_create
            _ = libc.timer_settime
        except (ImportError, OSError, AttributeError):
            return
        event = (ctypes.c_int * 16)(0, 0, signal.SIGPROF, _SIGEV_SIGNAL)  # sigval has two words of these
        timer = ctypes.c_void_p()
        if create(_CLOCK_PROCESS_CPUTIME_ID, event, ctypes.byref(timer)) == 0:
            self._libc, self._timer = libc, timer
