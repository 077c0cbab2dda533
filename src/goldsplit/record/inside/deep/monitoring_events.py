"""Calls as `sys.monitoring` reports them: Python 3.12 and later. Only the user's code objects are watched, so
that all other code runs at full speed; new ones are looked for in the first burst of a window."""

from __future__ import annotations

import sys
from threading import get_ident
from types import CodeType
from typing import Any

from goldsplit.model.wire import ALL
from goldsplit.record.inside.deep.call_watch import Function, Watch, clock
from goldsplit.record.inside.deep.native_sites import NativeSites, unbound

#: Tool numbers without a meaning of their own.
_FREE_TOOLS = (3, 4)
_TAKEN_BY = {0: "a debugger", 1: "a coverage tool", 2: "a profiler"}


class MonitoringEvents:
    """Switches the events of the user's code objects on and off."""

    def __init__(self, watch: Watch, native: NativeSites) -> None:
        self.watch = watch
        self.native = native
        self.monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        events = self.monitoring.events
        self.local = events.PY_START | events.PY_RESUME | events.PY_RETURN | events.PY_YIELD
        self.wanted = self.local
        self.tool: int | None = None
        self.watched: list[CodeType] = []
        self.looked_for_new = False

    def in_use(self) -> str:
        """Who else watches this process: a profiler, a debugger, a coverage tool; empty if none."""
        for number, what in _TAKEN_BY.items():
            if self.monitoring.get_tool(number) is not None:
                return f"{what} ({self.monitoring.get_tool(number)})"
        if sys.getprofile() is not None:
            return "sys.setprofile"
        return "sys.settrace" if sys.gettrace() is not None else ""

    def calibrated_ns(self) -> int:
        """What one event costs beside what we clock. Runs in the recorder's own thread."""
        return self._event_cost_ns() if self._take_tool() else 100

    def open(self) -> None:
        """A window begins."""
        self.looked_for_new = False

    def start(self, mode: int) -> None:
        """Look at the calling thread."""
        if not self._take_tool():
            return
        functions: Any = self.watch.functions if mode == ALL else {}
        self.watched = [code for code, function in list(functions.items()) if function is not None]
        self.wanted = self.local | (self.monitoring.events.CALL if mode == ALL else 0)
        for code in self.watched:
            self.monitoring.set_local_events(self.tool, code, self.wanted)
        if mode == ALL and not self.looked_for_new:
            self.looked_for_new = True
            self.monitoring.set_events(self.tool, self.monitoring.events.PY_START)

    def stop(self) -> None:
        if self.tool is None:
            return
        self.monitoring.set_events(self.tool, 0)
        for code in self.watched:
            self.monitoring.set_local_events(self.tool, code, 0)
        self.watched = []

    def stop_from_outside(self) -> bool:
        """From another thread."""
        self.stop()
        return True

    def close(self) -> None:
        """A window is over: give the tool number back."""
        if self.tool is not None:
            self.stop()
            self.monitoring.free_tool_id(self.tool)
            self.tool = None

    def _take_tool(self) -> bool:
        if self.tool is not None:
            return True
        for number in _FREE_TOOLS:
            if self.monitoring.get_tool(number) is None:
                self.monitoring.use_tool_id(number, "goldsplit")
                self.tool = number
                events = self.monitoring.events
                for event in (events.PY_START, events.PY_RESUME):
                    self.monitoring.register_callback(number, event, self._begins)
                for event in (events.PY_RETURN, events.PY_YIELD):
                    self.monitoring.register_callback(number, event, self._ends)
                self.monitoring.register_callback(number, events.CALL, self._calls)
                for event in (events.C_RETURN, events.C_RAISE):
                    self.monitoring.register_callback(number, event, self._native_ends)
                return True
        return False

    def _begins(self, code: CodeType, offset: int) -> Any:
        try:
            return self._see_begin(code)
        except Exception as error:  # it would be raised in the program
            return self._fail(error)

    def _fail(self, error: Exception) -> None:
        self.stop()
        self.watch.failed(self._fail, error)

    def _see_begin(self, code: CodeType) -> Any:
        begun = clock()
        watch = self.watch
        if watch.ident != get_ident():
            return None
        frame = sys._getframe(2)
        function: Function | None = watch.functions.get(code)
        if function is None:
            if code not in watch.functions:
                function = watch.find(code, frame)
            if function is None:
                return self.monitoring.DISABLE  # not the user's: not again at this place
            self.watched.append(code)
            self.monitoring.set_local_events(self.tool, code, self.wanted)
        watch.events += 1
        watch.enter(function, begun)
        if watch.spent_ns() > watch.limit_ns:
            self.stop()
            watch.cut()
        return None

    def _ends(self, code: CodeType, offset: int, result: Any) -> Any:
        begun = clock()
        watch = self.watch
        if watch.ident == get_ident():
            function = watch.functions.get(code)
            if function is not None:
                watch.events += 1
                try:
                    watch.leave(function, begun)
                except Exception as error:
                    self._fail(error)
        return None

    def _calls(self, code: CodeType, offset: int, callable_: Any, first: Any) -> Any:
        watch = self.watch
        if watch.ident == get_ident():
            begun = clock()
            try:
                found = unbound(callable_, first)
                if found is not None:
                    self.native.begins(sys._getframe(1), *found)
            except Exception as error:
                self._fail(error)
            watch.events += 1
            watch.spend(clock() - begun)
        return None

    def _native_ends(self, code: CodeType, offset: int, callable_: Any, first: Any) -> Any:
        try:
            if self.native.open is not None and self.watch.ident == get_ident():
                self.native.ends()
        except Exception as error:
            self._fail(error)
        return None

    def _event_cost_ns(self, calls: int = 200, rounds: int = 5) -> int:
        """The best of some rounds, without the bare calls; no thread is looked at meanwhile."""

        def nothing(a: int, b: int) -> None:
            return None

        best = {True: 1 << 62, False: 1 << 62}
        for watched in (False, True) * rounds:
            self.monitoring.set_local_events(self.tool, nothing.__code__, self.local if watched else 0)
            begun = clock()
            for _ in range(calls):
                nothing(1, 2)
            best[watched] = min(best[watched], clock() - begun)
        self.monitoring.set_local_events(self.tool, nothing.__code__, 0)
        return max(20, (best[True] - best[False]) // (2 * calls))
