"""One function that is watched for the whole run: its calls are counted and timed by the core, and bursts of
consecutive calls are looked at closely, as many as their share of the time allows.

Cost and time are processor time: on a busy machine, or where threads wait for each other, the wall clock also
runs in our code while others work.
"""

from __future__ import annotations

import sys
from collections import Counter as Tally
from threading import get_ident
from types import CodeType, FrameType
from typing import Any

from goldsplit.model.usual_names import stage_of_function
from goldsplit.model.wire import Counter
from goldsplit.record.inside.core import WatchedCore
from goldsplit.record.inside.deep.caches import dict_cache_of
from goldsplit.record.inside.deep.call_watch import is_users
from goldsplit.record.inside.deep.watched.compare import Comparison
from goldsplit.record.inside.deep.worked_time import worked_ns
from goldsplit.record.inside.engine import ENGINE, thread_clock

#: Processor time that is given beforehand, so that a function's first calls may be looked at.
CREDIT_NS = 1_000_000_000
#: Calls in a row that are looked at: about those of one environment step, within these limits.
SHORTEST_BURST, LONGEST_BURST = 16, 256
#: A burst that has cost so much ends.
MOST_BURST_NS = 3_000_000
#: Of a function that is called less often than this, the calls of all threads are looked at; else only those
#: of one thread follow on each other.
RARE_PER_SECOND = 200
MOST_CALLERS = 12
#: How far up the caller is looked for, past comprehensions and library code.
MOST_FRAMES_UP = 6
_NOT_GIVEN = object()


class WatchedFunction:
    """What is known of one function, and the plan of which calls to look at."""

    __slots__ = (
        "began_worked_ns", "burst_ident", "burst_left", "burst_spent_ns", "cache", "callers", "calls_before",
        "code", "comparison", "core", "kind", "look_ns", "looked_at", "named_stage", "on_ns", "on_since_ns",
        "owner", "per_step", "rank", "rests_until_ns", "share", "span_stage", "spent_ns", "stages", "steps",
        "steps_before",
    )  # fmt: skip

    def __init__(self, code: CodeType, kind: str, rank: int) -> None:
        self.code = code
        self.kind = kind
        self.rank = rank
        """0: the hottest."""
        self.core: Any = WatchedCore(self.begin, self.end)
        self.comparison = Comparison(code)
        self.cache = dict_cache_of(code)
        self.named_stage = stage_of_function(code.co_qualname) or ""
        self.span_stage = ""
        self.owner: tuple[Any, str] | None = None
        """Where callers look it up, where it is wrapped."""
        self.stages: Tally[str] = Tally()
        self.callers: Tally[CodeType] = Tally()
        self.share = 0.0
        """Of the time, that looking at its calls may cost."""
        self.spent_ns = self.looked_at = 0
        """What looking at calls has cost, and at how many."""
        self.look_ns = 0.0
        """What looking at a call costs beside what is clocked: the way into our code and back."""
        self.began_worked_ns = 0
        self.on_ns = self.on_since_ns = 0
        """How long it was watched before, and since when it is now (0: it is not)."""
        self.steps = [0.0, 0.0]
        """Environment steps, own and of vector environments, in the time in which it was watched."""
        self.steps_before = [0.0, 0.0]
        self.per_step = 1.0
        self.calls_before = 0
        self.rests_until_ns = 0
        self.burst_left = self.burst_ident = self.burst_spent_ns = 0

    def begin(self, given: Any, named: dict[str, Any] | None) -> Any:
        """A call begins that the core gives us to look at: its arguments, or its frame."""
        begun = thread_clock()
        ident = get_ident()
        if self.burst_left <= 0 and not self._begin_burst(worked_ns(), ident):
            self._spend(begun, 0.5 * self.look_ns)
            return None
        self.burst_left -= 1
        self.core.countdown = 1
        if self.burst_ident and ident != self.burst_ident:
            self._spend(begun, 0.5 * self.look_ns)
            return None
        self.looked_at += 1
        if isinstance(given, FrameType):
            caller, values = given.f_back, given.f_locals
            arguments = [values.get(name) for name in self.comparison.parameters]
        else:
            caller = sys._getframe(1)
            arguments = arguments_of(self.comparison.parameters, given, named)
        self._see_place(caller, ident)
        call = self.comparison.begins(arguments, step_of(ident))
        cache = None if self.cache is None or not arguments else self.cache.begins(arguments[0])
        self._spend(begun, 0.5 * self.look_ns)
        return call, cache

    def end(self, token: Any, result: Any, elapsed_ns: int) -> None:
        """The call has returned."""
        begun = thread_clock()
        call, cache = token
        self.comparison.ends(call, result, elapsed_ns)
        if cache is not None and self.cache is not None:
            self.cache.ends(cache, elapsed_ns)
        self._spend(begun, 0.5 * self.look_ns)

    def _spend(self, begun_ns: int, unclocked_ns: float) -> None:
        taken = thread_clock() - begun_ns + int(unclocked_ns)
        self.comparison.key_ns += taken
        self.spent_ns += taken
        self.burst_spent_ns += taken
        if self.burst_spent_ns > MOST_BURST_NS:
            self.burst_left = 0

    def _begin_burst(self, worked: int, ident: int) -> bool:
        """Whether the next burst begins now; else it is planned for later."""
        pause = self.pause_calls(worked)
        if pause > 1:
            self.core.countdown = pause
            return False
        self.burst_left = int(min(LONGEST_BURST, max(SHORTEST_BURST, 1.5 * self.per_step)))
        elapsed = max(1, worked - self.began_worked_ns)
        is_rare = self.core.calls * 1e9 < RARE_PER_SECOND * elapsed
        self.burst_ident = 0 if is_rare else ident
        self.burst_spent_ns = 0
        self.comparison.new_burst()
        return True

    def pause_calls(self, worked: int) -> int:
        """After how many calls looking has become cheap enough again; 1: it is."""
        elapsed = worked - self.began_worked_ns
        over_ns = self.spent_ns - self.share * (elapsed + CREDIT_NS)
        if over_ns <= 0 or self.share <= 0.0:
            return 1
        calls_per_ns = self.core.calls / max(1, elapsed)
        return int(min(1e9, max(2.0, over_ns / self.share * calls_per_ns)))

    def _see_place(self, caller: FrameType | None, ident: int) -> None:
        state = ENGINE.by_ident.get(ident)
        around = str(state.current.stage) if state is not None else ""
        self.stages[self.span_stage or around or self.named_stage] += 1
        for _ in range(MOST_FRAMES_UP):
            if caller is None:
                return
            if caller.f_code.co_name[:1] != "<" and is_users(caller.f_code):
                break
            caller = caller.f_back
        if caller is not None and (caller.f_code in self.callers or len(self.callers) < MOST_CALLERS):
            self.callers[caller.f_code] += 1


def arguments_of(
    parameters: tuple[str, ...], given: tuple[Any, ...], named: dict[str, Any] | None
) -> list[Any]:
    """The arguments of a call in the order of the parameters."""
    if not named:
        return list(given)
    rest = dict(named)
    later = [rest.pop(name, _NOT_GIVEN) for name in parameters[len(given) :]]
    while later and later[-1] is _NOT_GIVEN:
        later.pop()
    return [*given, *(None if value is _NOT_GIVEN else value for value in later), *rest.values()]


def step_of(ident: int) -> Any:
    """What is different in every environment step: this thread's count of them, or if it makes none, the time
    of the last one."""
    state = ENGINE.by_ident.get(ident)
    if state is not None:
        counts = state.counts
        own = counts.get(Counter.OWN_ENV_STEPS) or counts.get(Counter.VECTOR_ENV_STEPS)
        if own is not None:
            return ident, own
    return ident, ENGINE.last_step_ns
