"""Calls as `sys.setprofile` reports them: Python 3.11. It sees the thread that it is set in, and no other."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from goldsplit.model.wire import CHOSEN
from goldsplit.record.inside.deep.call_watch import Watch, clock
from goldsplit.record.inside.deep.native_sites import NATIVE_NAMES, NativeSites
from goldsplit.record.inside.deep.sites import Sites

_UNKNOWN: Any = object()
#: While no user function is called, the budget is checked after so many events.
CHECK_EVERY = 200


class ProfileEvents:
    """Bursts that see all functions use a profile callback; those that see lines only need none."""

    def __init__(self, watch: Watch, native: NativeSites) -> None:
        self.watch = watch
        self.everything = make_callback(watch, native)

    def in_use(self) -> str:
        """Who else watches this thread: a profiler, a debugger, a coverage tool; empty if none."""
        if sys.getprofile() is not None and sys.getprofile() is not self.everything:
            return "sys.setprofile"
        return "sys.settrace" if sys.gettrace() is not None else ""

    def calibrated_ns(self) -> int:
        """What one event costs beside what we clock. Runs in the recorder's own thread."""
        return event_cost_ns()

    def open(self) -> None:
        """A window begins."""

    def start(self, mode: int) -> None:
        """Look at the calling thread."""
        if mode == CHOSEN:
            self.watch.set_profile = type
        else:
            self.watch.set_profile, self.watch.callback = sys.setprofile, self.everything
            sys.setprofile(self.everything)

    def stop(self) -> None:
        """Only if it is still ours: the program may have set its own meanwhile."""
        if sys.getprofile() is self.everything:
            sys.setprofile(None)

    def stop_from_outside(self) -> bool:
        """From another thread; False if the thread itself must do it, at its next event."""
        return self.watch.mode == CHOSEN

    def close(self) -> None:
        """A window ends: nothing of it stays behind."""


def make_callback(watch: Watch, native: NativeSites) -> Callable[[FrameType, str, Any], None]:
    """The callback that counts calls of the user's functions, and adds functions that it does not know yet.

    It runs for every call of any code in the thread, so each look-up in it counts.
    """
    known = watch.functions.get
    events = 0

    def callback(frame: FrameType, event: str, arg: Any) -> None:
        nonlocal events
        try:
            events += 1
            if event == "call":
                function = known(frame.f_code, _UNKNOWN)
                if function is not None:
                    if function is _UNKNOWN:
                        function = watch.find(frame.f_code, frame)
                    if function is not None:
                        watch.events += events
                        events = 0
                        watch.enter(function, clock())
                        if (
                            watch.lost_ns + watch.events * watch.event_ns - watch.overcounted_ns
                            > watch.limit_ns
                        ):
                            stop()
            elif event == "return":
                function = known(frame.f_code)
                if function is not None:
                    watch.events += events
                    events = 0
                    watch.leave(function, clock())
            elif event == "c_call":
                if arg.__name__ in NATIVE_NAMES:
                    native.begins(frame, arg.__name__, arg.__self__)
            elif native.open is not None:
                native.ends()
            if events > CHECK_EVERY:
                watch.events += events
                events = 0
                if watch.spent_ns() > watch.limit_ns:
                    stop()
        except Exception as error:  # it would be raised in the program
            watch.failed(callback, error)

    def stop() -> None:
        sys.setprofile(None)
        watch.cut()

    return callback


def event_cost_ns(calls: int = 200, rounds: int = 5) -> int:
    """What an event of library code costs: the best of some rounds, without the bare calls."""

    def nothing(a: int, b: int) -> None:
        return None

    watch = Watch()
    watch.functions[nothing.__code__] = None
    callback = make_callback(watch, NativeSites(Sites(watch)))
    best = {True: 1 << 62, False: 1 << 62}
    for watched in (False, True) * rounds:
        if watched:
            sys.setprofile(callback)
        begun = clock()
        for _ in range(calls):
            nothing(1, 2)
        taken = clock() - begun
        sys.setprofile(None)
        best[watched] = min(best[watched], taken)
    return max(20, (best[True] - best[False]) // (2 * calls))
