"""Watch functions by the events that the interpreter itself reports of their code alone (`sys.monitoring`):
Python 3.12 and later. All other code runs at full speed, and nothing of the program is replaced."""

from __future__ import annotations

import sys
from typing import Any

from goldsplit.record.inside.core import report_code, report_return, report_start, report_unwind
from goldsplit.record.inside.deep.watched.watched_function import WatchedFunction

#: Tool numbers without a meaning of their own; the windows use the other one.
_FREE_TOOLS = (4, 3)


class ReportedCalls:
    """The code objects whose events are on."""

    def __init__(self) -> None:
        self.monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        self.placed: dict[WatchedFunction, bool] = {}
        self.tool: int | None = None

    def place(self, function: WatchedFunction) -> bool:
        """Watch a function from now on; False if no events can be had."""
        if function in self.placed:
            return True
        if not self._take_tool() or not report_code(function.code, function.core):
            return False
        events = self.monitoring.events
        self.monitoring.set_local_events(self.tool, function.code, events.PY_START | events.PY_RETURN)
        self.placed[function] = True
        return True

    def remove(self, function: WatchedFunction) -> None:
        """No more events of this function."""
        if self.placed.pop(function, False):
            self.monitoring.set_local_events(self.tool, function.code, 0)
            report_code(function.code, None)

    def close(self) -> None:
        """No more events at all: give the tool number back."""
        for function in list(self.placed):
            self.remove(function)
        if self.tool is not None:
            self.monitoring.set_events(self.tool, 0)
            self.monitoring.free_tool_id(self.tool)
            self.tool = None

    def _take_tool(self) -> bool:
        if self.tool is not None:
            return True
        events = self.monitoring.events
        for number in _FREE_TOOLS:
            if self.monitoring.get_tool(number) is None:
                self.monitoring.use_tool_id(number, "goldsplit")
                self.tool = number
                self.monitoring.register_callback(number, events.PY_START, report_start)
                self.monitoring.register_callback(number, events.PY_RETURN, report_return)
                self.monitoring.register_callback(number, events.PY_UNWIND, report_unwind)
                self.monitoring.set_events(number, events.PY_UNWIND)  # this one cannot be local
                return True
        return False
