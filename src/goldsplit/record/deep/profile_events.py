"""Calls as `sys.setprofile` reports them: Python 3.11. It sees the thread that it is set in, and no other."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from goldsplit.record.deep.watch import Watch, clock

_UNKNOWN = object()


class ProfileEvents:
    """Switches the profile callback of the calling thread on and off."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        watch.set_profile = sys.setprofile
        self.everything = make_callback(watch, watch.functions, complete=True)
        self.targets_only = make_callback(watch, watch.targets, complete=False)

    def in_use(self) -> str:
        """Who else watches this thread: a profiler, a debugger, a coverage tool; empty if nobody."""
        if sys.getprofile() is not None and sys.getprofile() is not self.watch.callback:
            return "sys.setprofile"
        return "sys.settrace" if sys.gettrace() is not None else ""

    def calibrate(self) -> None:
        """Measure what one event costs outside of our own clocks. Runs in the recorder's own thread."""
        self.watch.event_ns = event_cost_ns()

    def start(self, full: bool) -> None:
        self.watch.callback = self.everything if full else self.targets_only
        sys.setprofile(self.watch.callback)

    def stop(self) -> None:
        """Only if it is still ours: the program may have set its own meanwhile."""
        if sys.getprofile() is self.watch.callback:
            sys.setprofile(None)

    def close(self) -> None:
        """Nothing is left behind by a window."""


def make_callback(watch: Watch, functions: Any, complete: bool) -> Callable[[FrameType, str, Any], None]:
    """The callback that books calls of `functions`; a complete one takes up functions it does not know."""
    known = functions.get

    def callback(frame: FrameType, event: str, arg: Any) -> None:
        if event == "call":
            begun = clock()
            function = known(frame.f_code, _UNKNOWN)
            if function is _UNKNOWN and complete:
                function = watch.find(frame.f_code, frame)
            if function is None or function is _UNKNOWN:
                watch.events += 1
                watch.spent_ns += watch.event_ns
            else:
                watch.enter(function, frame, begun)
        elif event == "return":
            begun = clock()
            function = known(frame.f_code)
            if function is None:
                watch.events += 1
                watch.spent_ns += watch.event_ns
            else:
                watch.leave(function, arg, begun)
        else:
            watch.events += 1
            watch.spent_ns += watch.event_ns
        if watch.spent_ns > watch.limit_ns:
            sys.setprofile(None)
            watch.cut()

    return callback


def event_cost_ns(calls: int = 200, rounds: int = 5) -> int:
    """What an event costs beside the callback's own body: the best of some rounds, less the bare calls."""

    def nothing(a: int, b: int) -> None:
        return None

    def ignore(frame: FrameType, event: str, arg: Any) -> None:
        return None

    best = {True: 1 << 62, False: 1 << 62}
    for watched in (False, True) * rounds:
        if watched:
            sys.setprofile(ignore)
        begun = clock()
        for _ in range(calls):
            nothing(1, 2)
        taken = clock() - begun
        sys.setprofile(None)
        best[watched] = min(best[watched], taken)
    return max(20, 3 * (best[True] - best[False]) // (4 * calls))  # real functions have more locals
