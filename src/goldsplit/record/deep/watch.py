"""Books the calls of the user's own functions in one thread, with the cost of looking taken off.

Times are of a clock that stands still while our own code runs. What the interpreter spends on calling us cannot be
clocked from inside: events are counted beside the times, and the analysis takes their cost off, which it knows from
stretches of the loop that were looked at and stretches that were not.

A *segment* lies between two beats of the loop (the end of an environment step, or of an update); what was seen in
a segment is booked by which of the two ended it, so that a loop of both is put together in its true proportion.
"""

from __future__ import annotations

import os
import time
from threading import get_ident
from types import CodeType, FrameType
from typing import Any

from goldsplit.model.naming import is_library, stage_of_function
from goldsplit.record.deep.compare import Comparison
from goldsplit.record.engine import ENGINE

clock = time.perf_counter_ns
_OURS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep  # noqa: PTH100, PTH120

STEP, UPDATE = 0, 1
"""Which kind of beat ended a segment."""

#: Code objects of their own, but to the reader a part of the function around them.
_PARTS = frozenset({"<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>"})
_GENERATOR_FLAGS = 0x20 | 0x80 | 0x200


class Function:
    """One function of the user's own code."""

    __slots__ = (
        "active", "booked", "calls", "code", "comparison", "kind", "named_stage", "own_events", "own_ns",
        "seeded", "stages", "total_events", "total_ns", "touched",
    )  # fmt: skip

    def __init__(self, code: CodeType, kind: str) -> None:
        self.code = code
        self.kind = kind
        self.named_stage = stage_of_function(code.co_qualname) or ""
        self.stages: dict[str, int] = {}
        self.calls = self.active = 0
        self.own_ns = self.total_ns = self.own_events = self.total_events = 0
        self.touched = False
        self.seeded = False
        self.comparison: Comparison | None = None
        self.booked = ([0, 0, 0, 0, 0], [0, 0, 0, 0, 0])
        """Calls, own and total nanoseconds, own and total events in segments that ended with a step, and with
        an update."""


class Open:
    """A call that has begun."""

    __slots__ = ("call", "child_events", "children_ns", "function", "start_events", "start_ns")

    def __init__(self, function: Function, start_ns: int, start_events: int, call: Any) -> None:
        self.function = function
        self.start_ns = start_ns
        self.start_events = start_events
        self.children_ns = 0
        self.child_events = 0
        self.call = call


class Watch:
    """What has been seen in this process's windows so far."""

    def __init__(self) -> None:
        self.functions: dict[CodeType, Function | None] = {}
        self.stack: list[Open] = []
        self.touched: list[Function] = []
        self.lost_ns = 0
        """Time of our own code, clocked: our clock stands still in it."""
        self.events = 0
        self.event_ns = 150
        """What an event costs beside that, by calibration: good enough for keeping to a budget."""
        self.spent_ns = 0
        """Both together: what looking has cost so far."""
        self.limit_ns = 1 << 62
        self.full = True
        """Whether this burst sees every function of the user's; otherwise only those that are compared."""
        self.targets: dict[CodeType, Function] = {}
        self.over_limit = False
        self.ident = 0
        """The thread that is being looked at; 0: none."""
        self.updates = 0
        self.set_profile: Any = type
        """Called with None and with `callback` around longer stretches of our own code in the program's thread,
        so that they are not watched themselves; does nothing where they are not watched anyway."""
        self.callback: Any = None
        self.touched_sites: list[Any] = []
        self.cut_ns = 0
        self.segment_start_ns = self.segment_start_events = 0
        self.segments = [0.0, 0.0]
        self.segment_ns = [0, 0]
        self.segment_events = [0, 0]
        self.env_steps = 0.0
        self.all_segments = [0.0, 0.0]
        """Also those in which only some functions were seen: lines are seen in all of them."""

    def now(self) -> int:
        return clock() - self.lost_ns

    def stage(self) -> str:
        """The stage that this thread is in: its innermost span's, else by the name of a function it is in."""
        try:
            stage = str(ENGINE.local.state.current.stage)
        except AttributeError:
            stage = ""
        if stage:
            return stage
        named = (entry.function.named_stage for entry in reversed(self.stack))
        return next((stage for stage in named if stage), "")

    def spend(self, ns: int) -> None:
        """Take measured time of our own off the clock."""
        self.lost_ns += ns
        self.spent_ns += ns

    def find(self, code: CodeType, frame: FrameType) -> Function | None:
        """The function of a code object that is seen for the first time; None if it is not the user's."""
        users = is_users(code) and code.co_name not in _PARTS
        found = Function(code, kind_of(code, frame)) if users else None
        self.functions[code] = found
        return found

    def enter(self, function: Function, frame: FrameType, begun_ns: int) -> None:
        """A call of a user's function begins."""
        function.calls += 1
        function.active += 1
        if not function.touched:
            function.touched = True
            self.touched.append(function)
            stage = self.stage() or function.named_stage
            function.stages[stage] = function.stages.get(stage, 0) + 1
        call = None
        comparison = function.comparison
        if comparison is not None:
            call = comparison.begins(frame)
            comparison.key_ns += clock() - begun_ns
        self.stack.append(Open(function, begun_ns - self.lost_ns, self.events, call))
        self.events += 1
        spent = clock() - begun_ns
        self.lost_ns += spent
        self.spent_ns += spent + self.event_ns

    def leave(self, function: Function, result: Any, begun_ns: int) -> None:
        """It ends, by return, yield or exception."""
        stack = self.stack
        if not stack or stack[-1].function is not function:
            if not self._unwind_to(function, begun_ns):
                return
        ended = stack.pop()
        self.events += 1
        elapsed = self._book(ended, begun_ns - self.lost_ns)
        function.active -= 1
        if ended.call is not None and function.comparison is not None:
            function.comparison.ends(ended.call, result, elapsed)
            function.comparison.key_ns += clock() - begun_ns
        spent = clock() - begun_ns
        self.lost_ns += spent
        self.spent_ns += spent + self.event_ns

    def _book(self, ended: Open, now_ns: int) -> int:
        """Book a call that has ended, and the time of its callees on its caller."""
        function = ended.function
        elapsed = max(0, now_ns - ended.start_ns)
        events = self.events - ended.start_events
        function.own_ns += max(0, elapsed - ended.children_ns)
        function.own_events += events - ended.child_events
        if function.active == 1:
            function.total_ns += elapsed
            function.total_events += events
        if self.stack:
            caller = self.stack[-1]
            caller.children_ns += elapsed
            caller.child_events += events
        return elapsed

    def _unwind_to(self, function: Function, begun_ns: int) -> bool:
        """Calls above it ended unseen (an exception on 3.12+); False if it began before we looked."""
        if not any(entry.function is function for entry in self.stack):
            return False
        while self.stack[-1].function is not function:
            ended = self.stack.pop()
            self._book(ended, begun_ns - self.lost_ns)
            ended.function.active -= 1
        return True

    def begin(self, frame: FrameType | None, full: bool, limit_ns: int) -> None:
        """Start to look; what already runs below is known from its frames."""
        self.full, self.limit_ns = full, limit_ns
        self.over_limit, self.cut_ns = False, 0
        running: list[Function] = []
        while frame is not None:
            code = frame.f_code
            function = self.functions[code] if code in self.functions else self.find(code, frame)
            if function is not None:
                running.append(function)
            frame = frame.f_back
        now = self.now()
        self.stack = []
        for function in reversed(running):
            function.active += 1
            function.seeded = True
            self.stack.append(Open(function, now, self.events, None))
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

    def _settle(self, now: int) -> None:
        """Book what the calls that are still open have cost up to now."""
        for place in range(len(self.stack) - 1, -1, -1):
            entry = self.stack[place]
            function = entry.function
            elapsed, events = max(0, now - entry.start_ns), self.events - entry.start_events
            function.own_ns += max(0, elapsed - entry.children_ns)
            function.own_events += events - entry.child_events
            if all(other.function is not function for other in self.stack[:place]):
                function.total_ns += elapsed
                function.total_events += events
            if place:
                self.stack[place - 1].children_ns += elapsed
                self.stack[place - 1].child_events += events
            entry.start_ns, entry.children_ns = now, 0
            entry.start_events, entry.child_events = self.events, 0

    def seen_ns(self) -> int:
        """How much of the present segment was seen."""
        return max(0, (self.cut_ns or self.now()) - self.segment_start_ns)

    def end_segment(self, kind: int, steps: float, weight: float = 1.0) -> None:
        """Book what the segment that ends now has seen, by the kind of beat that ends it; with weight 0 forget
        it, because its times are not the program's own."""
        now = self.cut_ns or self.now()
        self._settle(now)
        for function in self.touched:
            if self.full and weight:
                booked = function.booked[kind]
                booked[0] += function.calls
                booked[1] += function.own_ns
                booked[2] += function.total_ns
                booked[3] += function.own_events
                booked[4] += function.total_events
            function.calls = function.own_ns = function.total_ns = 0
            function.own_events = function.total_events = 0
            function.touched = False
            if kind == STEP and function.comparison is not None:
                function.comparison.new_step()
        self.touched = []
        for entry in self.stack:
            if not entry.function.touched:
                entry.function.touched = True
                self.touched.append(entry.function)
        if self.full and weight:
            self.segments[kind] += weight
            self.segment_ns[kind] += now - self.segment_start_ns
            self.segment_events[kind] += self.events - self.segment_start_events
            self.env_steps += steps * weight
        self.all_segments[kind] += weight
        for row in self.touched_sites:
            row.book(kind, weight)
        self.touched_sites = []
        self.segment_start_ns, self.cut_ns = now, 0
        self.segment_start_events = self.events

    def stop(self) -> None:
        """Stop to look; calls that are open are left as they are."""
        for entry in self.stack:
            entry.function.active = 0
        self.stack = []
        self.ident = 0


def is_users(code: CodeType) -> bool:
    """Whether code is the user's own: neither installed, nor the standard library's, nor ours."""
    return not is_library(code.co_filename) and not code.co_filename.startswith(_OURS)


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
