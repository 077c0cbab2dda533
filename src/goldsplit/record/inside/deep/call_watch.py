"""Counts and times the calls of the user's own functions in one thread, without the cost of looking.

Times are from a clock that stands still while our own code runs. What the interpreter spends on calling us
cannot be measured from inside: events are counted beside the times, and the analysis subtracts their cost.

A *segment* lies between two beats of the loop (the end of an environment step, or of an update). What was
seen in it is added to the figures of the beat that ended it: so the analysis can put steps and updates
together in their true proportion.
"""

from __future__ import annotations

import os
import time
from threading import get_ident
from types import CodeType, FrameType
from typing import Any

from goldsplit.model.stack_frames import is_library, is_shipped
from goldsplit.model.usual_names import stage_of_function
from goldsplit.model.wire import ALL
from goldsplit.record.inside.engine import ENGINE
from goldsplit.record.inside.own_failures import count_failure

clock = time.perf_counter_ns
_OURS = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "..")) + os.sep  # noqa: PTH100, PTH118, PTH120

#: These have their own code objects, but a reader takes them for a part of the function around them.
_PARTS = frozenset({"<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>"})
#: Places in the figures of a function.
CALLS, OWN_NS, TOTAL_NS, OWN_EVENTS, TOTAL_EVENTS = range(5)
_GENERATOR_FLAGS = 0x20 | 0x80 | 0x200


class Function:
    """One function of the user's own code."""

    __slots__ = (
        "active", "calls", "code", "figures", "kind", "named_stage", "own_events", "own_ns", "stages",
        "total_events", "total_ns", "touched",
    )  # fmt: skip

    def __init__(self, code: CodeType, kind: str) -> None:
        self.code = code
        self.kind = kind
        self.named_stage = stage_of_function(code.co_qualname) or ""
        self.stages: dict[str, int] = {}
        self.calls = self.active = 0
        self.own_ns = self.total_ns = self.own_events = self.total_events = 0
        self.touched = False
        self.figures = ([0] * 5, [0] * 5)
        """In segments that ended with a step, and with an update: calls, own and total nanoseconds, own and
        total events."""


Entry = list[Any]
"""A call that has begun, as a plain list for speed: see the places below."""
FUNCTION, START_NS, START_EVENTS, CHILDREN_NS, CHILD_EVENTS = range(5)


class Watch:
    """What has been seen in this process's windows so far."""

    def __init__(self) -> None:
        self.functions: dict[CodeType, Function | None] = {}
        self.stack: list[Entry] = []
        self.touched: list[Function] = []
        self.lost_ns = 0
        """Time of our own code, clocked: our clock stands still in it."""
        self.events = 0
        self.event_ns = 150
        """What an event costs beside that, with what it slows around it; used to keep to the budget."""
        self.overcounted_ns = 0
        """All events times `event_ns` is this much more than what they cost when they happened."""
        self.limit_ns = 1 << 62
        self.mode = ALL
        self.over_limit = False
        self.ident = 0
        """The thread that is being looked at; 0: none."""
        self.updates = 0
        self.set_profile: Any = type
        """Called with None before a longer part of our own code in the program's thread, and with `callback`
        after it, so that our code is not watched itself; does nothing where it is not watched anyway."""
        self.callback: Any = None
        self.touched_sites: list[Any] = []
        self.cut_ns = 0
        self.segment_start_ns = self.segment_start_events = 0
        self.segments = ([0.0, 0.0], [0.0, 0.0])
        """Segments seen, by mode and kind; below their time and their events, and the steps by mode."""
        self.segment_ns = ([0, 0], [0, 0])
        self.segment_events = ([0, 0], [0, 0])
        self.env_steps = [0.0, 0.0]

    def now(self) -> int:
        return clock() - self.lost_ns

    def stage(self) -> str:
        """The stage of this thread's innermost span; without one, by the name of a function that it is in."""
        state = ENGINE.by_ident.get(get_ident())
        if state is not None and state.current.stage:
            return str(state.current.stage)
        named = (entry[FUNCTION].named_stage for entry in reversed(self.stack))
        return next((stage for stage in named if stage), "")

    def spend(self, ns: int) -> None:
        """Subtract measured time of our own code from the clock."""
        self.lost_ns += ns

    def find(self, code: CodeType, frame: FrameType) -> Function | None:
        """The function of a code object that is seen for the first time; None if it is not the user's."""
        compiled = (
            type(frame.f_globals.get(code.co_name)).__name__ == "CPUDispatcher"
        )  # Numba pretends a frame
        users = is_users(code) and code.co_name not in _PARTS and not compiled
        found = None
        if users:
            begun = clock()
            found = Function(code, kind_of(code, frame))
            self.spend(clock() - begun)
        self.functions[code] = found
        return found

    def enter(self, function: Function, begun_ns: int) -> None:
        """A call of a user's function begins."""
        function.calls += 1
        function.active += 1
        if not function.touched:
            self._touch(function)
        self.stack.append([function, begun_ns - self.lost_ns, self.events, 0, 0])
        self.lost_ns += clock() - begun_ns

    def leave(self, function: Function, begun_ns: int) -> None:
        """The call ends, by return, yield or exception."""
        stack = self.stack
        if not stack or stack[-1][FUNCTION] is not function:
            if not any(entry[FUNCTION] is function for entry in stack):
                return  # it began before we looked
            self._unwind_to(function, begun_ns)
        _, start_ns, start_events, children_ns, child_events = stack.pop()
        elapsed = begun_ns - self.lost_ns - start_ns
        events = self.events - start_events
        function.own_ns += elapsed - children_ns
        function.own_events += events - child_events
        if function.active == 1:
            function.total_ns += elapsed
            function.total_events += events
        function.active -= 1
        if stack:
            caller = stack[-1]
            caller[CHILDREN_NS] += elapsed
            caller[CHILD_EVENTS] += events
        self.lost_ns += clock() - begun_ns

    def _touch(self, function: Function) -> None:
        """First call in this segment."""
        function.touched = True
        self.touched.append(function)
        stage = self.stage() or function.named_stage
        function.stages[stage] = function.stages.get(stage, 0) + 1

    def _unwind_to(self, function: Function, begun_ns: int) -> None:
        """The calls inside it ended unseen: by an exception, on 3.12 and later."""
        while self.stack[-1][FUNCTION] is not function:
            self.leave(self.stack[-1][FUNCTION], begun_ns)

    def spent_ns(self) -> int:
        """What looking has cost so far."""
        return self.lost_ns + self.events * self.event_ns - self.overcounted_ns

    def set_event_ns(self, event_ns: int) -> None:
        """Set what an event costs from now on; what has been spent stays as it is."""
        self.overcounted_ns += self.events * (event_ns - self.event_ns)
        self.event_ns = event_ns

    def begin(self, frame: FrameType | None, mode: int, limit_ns: int) -> None:
        """Start to look. Calls that run already are known from their frames, unless only lines are seen."""
        self.mode, self.limit_ns = mode, limit_ns
        self.over_limit, self.cut_ns = False, 0
        running: list[Function] = []
        while frame is not None and mode == ALL:
            code = frame.f_code
            function = self.functions[code] if code in self.functions else self.find(code, frame)
            if function is not None:
                running.append(function)
            frame = frame.f_back
        now = self.now()
        self.stack = []
        for function in reversed(running):
            function.active += 1
            self.stack.append([function, now, self.events, 0, 0])
            if not function.touched:
                function.touched = True
                self.touched.append(function)
        self.segment_start_ns, self.segment_start_events = now, self.events
        self.ident = get_ident()

    def cut(self) -> None:
        """Stop in the middle of a segment: the budget is spent, or the window is over."""
        self.cut_ns = self.now()
        self._settle(self.cut_ns)
        self.stop()
        self.over_limit = True

    def failed(self, where: Any, error: Exception) -> None:
        """Our own code has failed in the program's thread: it is looked at no more until the next burst."""
        self.set_profile(None)
        self.stop()
        self.cut_ns, self.limit_ns = self.now(), 0
        self.over_limit = True
        if not count_failure(where, error):
            raise error

    def _settle(self, now: int) -> None:
        """Count what the calls that are still open have cost up to now."""
        for place in range(len(self.stack) - 1, -1, -1):
            function, start_ns, start_events, children_ns, child_events = self.stack[place]
            elapsed, events = max(0, now - start_ns), self.events - start_events
            function.own_ns += max(0, elapsed - children_ns)
            function.own_events += events - child_events
            if all(other[FUNCTION] is not function for other in self.stack[:place]):
                function.total_ns += elapsed
                function.total_events += events
            if place:
                self.stack[place - 1][CHILDREN_NS] += elapsed
                self.stack[place - 1][CHILD_EVENTS] += events
            self.stack[place] = [function, now, self.events, 0, 0]

    def seen_ns(self) -> int:
        """How much of the present segment was seen."""
        return max(0, (self.cut_ns or self.now()) - self.segment_start_ns)

    def end_segment(self, kind: int, steps: float, weight: float = 1.0) -> None:
        """Add what was seen in the segment that ends now to the figures of the beat that ends it. With weight
        0 forget it, because its times are not the program's own."""
        now = self.cut_ns or self.now()
        self._settle(now)
        for function in self.touched:
            if weight:
                figures = function.figures[kind]
                figures[CALLS] += function.calls
                figures[OWN_NS] += function.own_ns
                figures[TOTAL_NS] += function.total_ns
                figures[OWN_EVENTS] += function.own_events
                figures[TOTAL_EVENTS] += function.total_events
            function.calls = function.own_ns = function.total_ns = 0
            function.own_events = function.total_events = 0
            function.touched = False
        self.touched = []
        for entry in self.stack:
            if not entry[FUNCTION].touched:
                entry[FUNCTION].touched = True
                self.touched.append(entry[FUNCTION])
        if weight:
            self.segments[self.mode][kind] += weight
            self.segment_ns[self.mode][kind] += now - self.segment_start_ns
            self.segment_events[self.mode][kind] += self.events - self.segment_start_events
            self.env_steps[self.mode] += steps * weight
        for row in self.touched_sites:
            row.end_segment(kind, weight)
        self.touched_sites = []
        self.segment_start_ns, self.cut_ns = now, 0
        self.segment_start_events = self.events

    def stop(self) -> None:
        """Stop looking; calls that are open are left as they are."""
        for entry in self.stack:
            entry[FUNCTION].active = 0
        self.stack = []
        self.ident = 0


def is_users(code: CodeType) -> bool:
    """Whether code is the user's own: neither installed, nor the standard library's, nor ours."""
    file = code.co_filename
    return not is_library(file) and (is_shipped(file) or not file.startswith(_OURS))


def kind_of(code: CodeType, frame: FrameType) -> str:
    """function, method, property or generator."""
    if code.co_flags & _GENERATOR_FLAGS:
        return "generator"
    if not code.co_argcount or code.co_varnames[0] not in ("self", "cls"):
        return "function"
    owner = frame.f_locals.get(code.co_varnames[0])
    kind = owner if isinstance(owner, type) else type(owner)
    for base in type.__getattribute__(kind, "__mro__"):
        attribute = type.__getattribute__(base, "__dict__").get(code.co_name)
        if attribute is not None:
            getter = getattr(attribute, "fget", None) if type(attribute) is property else None
            if getter is None:
                getter = getattr(attribute, "func", None)  # functools.cached_property
            return "property" if getattr(getter, "__code__", None) is code else "method"
    return "method"
