"""Watches the hot functions of this process for the whole run, within a share of its time.

Which functions: those that the launcher's stack samples show (`hot_list`), and until there are any, or where
there are none, those that a short look at all calls has shown. The recorder's thread looks after them a few
times a second: it reads the list, counts what watching costs, and stops timing or watching what is called so
often that counting it would be expensive.
"""

from __future__ import annotations

import sys
from types import CodeType
from typing import Any

from goldsplit.record.inside.core import WatchedCore, watched_call
from goldsplit.record.inside.deep.call_watch import Function, clock
from goldsplit.record.inside.deep.watched.code_index import CodeIndex, Found
from goldsplit.record.inside.deep.watched.compare import names_within_reach
from goldsplit.record.inside.deep.watched.counted_steps import StepCount
from goldsplit.record.inside.deep.watched.hot_list import HotList
from goldsplit.record.inside.deep.watched.reported_calls import ReportedCalls
from goldsplit.record.inside.deep.watched.watched_function import CREDIT_NS, WatchedFunction
from goldsplit.record.inside.deep.watched.wrapping import Wrapping
from goldsplit.record.inside.deep.worked_time import worked_ns
from goldsplit.record.inside.engine import thread_clock

#: Functions that are watched at most.
MOST_WATCHED = 64
#: Share of a process's processor time that counting and timing calls may cost, and comparing them.
COUNT_SHARE, COMPARE_SHARE = 0.005, 0.01
#: The hottest ones, and how many compared calls of them are wanted first of all.
HOTTEST, WANTED = 10, 400
#: The part of its weight that is left to a function whose first compared calls have nothing in common.
UNPROMISING = 0.2
#: When all of them have so many, comparing goes on with this part of its share.
AFTERWARDS = 0.2
#: Soon after a function was added it is looked after, in case it is called very often.
SOON_NS = 25_000_000
#: Usually they are looked after this often; until then nothing can be stopped.
USUALLY_NS = 1_000_000_000
#: A function that is called less often than this per second has all its calls compared, if together these
#: functions need no more than this part of the time for comparing.
RARE_PER_SECOND, RARE_PART = 20.0, 0.6
#: Timed calls after which timing may stop.
ENOUGH_TIMED = 5_000
#: Processor time that is given beforehand for counting.
COUNT_CREDIT_NS = 500_000_000
#: A function that is too expensive even to count rests for so long at least and at most.
LEAST_REST_NS, MOST_REST_NS = 250_000_000, 60_000_000_000
#: Before a compiler looks at the program everything is put back; after so many times for good.
MOST_WAYS_MADE = 5


class FunctionWatch:
    """The watched functions of one process."""

    def __init__(self, run_dir: str) -> None:
        self.hot = HotList(run_dir)
        self.index = CodeIndex()
        self.functions: dict[CodeType, WatchedFunction] = {}
        self.places: Any = ReportedCalls() if sys.version_info >= (3, 12) else Wrapping()
        self.call_ns = (0.0, 0.0, 0.0)
        """What one call costs, counted only, timed, and looked at by something that does nothing."""
        self.steps = StepCount()
        self.count_spent_ns = 0.0
        self.looked_after_ns = 0
        """How long the process had worked when the functions were last looked after."""
        self.began_worked_ns = 0
        self.tended_ns = 0
        """What looking after them has cost."""
        self.soon_ns = 0
        self.began_ns = 0
        self.ways_made = 0
        self.is_off = False

    def next_border_ns(self) -> int:
        """When the recorder's thread is needed beside its usual times."""
        return self.soon_ns or 1 << 62

    def tend(self, now: int) -> None:
        """Look after everything: new functions, cost, shares."""
        if self.is_off:
            return
        begun = thread_clock()
        self._tend(now)
        if self.began_ns:
            self.tended_ns += thread_clock() - begun

    def _tend(self, now: int) -> None:
        self.soon_ns = 0
        hot = self.hot.news()
        if hot:
            self.index.refresh()
            found = [self.index.at(*row) for row in hot]
            self.add([one for one in found if one is not None], now)
        self._count_cost(now)
        worked = worked_ns()
        for function in self.functions.values():
            if not function.on_since_ns and worked >= function.rests_until_ns:
                self._place(function, now)
        self._share_out()

    def add_seen(self, functions: list[Function], now: int) -> None:
        """Watch functions that a look at all calls has shown, behind those that samples show."""
        self.index.refresh()
        found = [self.index.of(function.code) for function in functions]
        if sys.version_info >= (3, 12):  # what is made inside another function needs no place to be watched
            pairs = zip(found, functions, strict=True)
            found = [one or Found(function.code, function.kind, None) for one, function in pairs]
        new = [one for one in found if one is not None and one.code not in self.functions]
        self.add(new, now, len(self.functions))

    def add(self, found: list[Found], now: int, first_rank: int = 0) -> None:
        """Watch these functions, the hottest first; those of an earlier list stay, behind them."""
        if self.is_off:
            return
        if not self.call_ns[1]:
            self.call_ns = call_costs_ns()
        self.index.refresh()
        codes = self.index.codes()
        for rank, one in enumerate(found, first_rank):
            known = self.functions.get(one.code)
            if known is not None:
                known.rank = rank
            elif len(self.functions) < MOST_WATCHED:
                function = WatchedFunction(one.code, one.kind, rank)
                function.owner = one.owner
                function.comparison.names = names_within_reach(one.code, codes)
                function.look_ns = self.call_ns[2] - self.call_ns[1]
                self.functions[one.code] = function
                self._place(function, now)
        for function in self.functions.values():
            if all(one.code is not function.code for one in found) and function.rank >= first_rank:
                function.rank += len(found)
        self._share_out()

    def _place(self, function: WatchedFunction, now: int) -> None:
        if not self.places.place(function):
            function.rests_until_ns = 1 << 62  # a closure on 3.11, or the program has replaced it
            return
        function.core.countdown = 1
        self.soon_ns = now + SOON_NS
        self.began_ns = self.began_ns or now
        self.began_worked_ns = self.began_worked_ns or worked_ns()
        function.began_worked_ns = function.began_worked_ns or worked_ns()
        function.on_since_ns = now
        function.steps_before = self.steps.made()
        function.calls_before = function.core.calls

    def _add_time(self, function: WatchedFunction, now: int) -> None:
        """Add the time since the last look, and its steps, to those in which a function was watched."""
        steps = self.steps.made()
        function.on_ns += now - function.on_since_ns
        for place, before in enumerate(function.steps_before):
            function.steps[place] += steps[place] - before
        function.on_since_ns, function.steps_before = now, steps
        most = max(function.steps)
        function.per_step = function.core.calls / most if most else 1.0

    def _remove(self, function: WatchedFunction, now: int) -> None:
        self.places.remove(function)
        self._add_time(function, now)
        function.on_since_ns = 0

    def _count_cost(self, now: int) -> None:
        """Add up what the calls since the last look have cost; what is too expensive is timed no more,
        then not counted for a while."""
        worked = worked_ns()
        period = max(1, worked - self.looked_after_ns) if self.looked_after_ns else SOON_NS
        self.looked_after_ns = worked
        ahead = USUALLY_NS / max(period, SOON_NS)
        rows = []
        for function in self.functions.values():
            cost = (function.core.calls - function.calls_before) * self.call_ns[bool(function.core.timed)]
            function.calls_before = function.core.calls
            self.count_spent_ns += cost
            function.comparison.judge()
            if function.on_since_ns:
                self._add_time(function, now)
                rows.append((cost, function))
        # What will have been spent when we look again, and what may be spent until then.
        expected = self.count_spent_ns + ahead * sum(cost for cost, _ in rows)
        over = expected - COUNT_SHARE * (worked - self.began_worked_ns + COUNT_CREDIT_NS + USUALLY_NS)
        rows.sort(key=lambda row: row[0], reverse=True)
        for cheaper in (self._time_no_more, self._let_rest):
            for cost, function in rows:
                if over > 0 and cost:
                    over -= ahead * cheaper(function, cost, now)
        if over > 0:  # not enough of them were timed yet
            self.soon_ns = now + SOON_NS

    def _time_no_more(self, function: WatchedFunction, cost: float, now: int) -> float:
        """Only count a function's calls, if enough were timed; what that saves per look."""
        core = function.core
        if not core.timed or core.timed_calls < ENOUGH_TIMED:
            return 0.0
        core.timed = False
        return cost * (1.0 - self.call_ns[0] / self.call_ns[1])

    def _let_rest(self, function: WatchedFunction, cost: float, now: int) -> float:
        """Do not even count a function's calls for a while; what that saves per look."""
        if function.core.timed:  # until there are enough of them, which costs a millisecond at most
            return 0.0
        self._remove(function, now)
        worked = worked_ns()
        debt = self.count_spent_ns - COUNT_SHARE * (worked - self.began_worked_ns)
        is_compared = function.comparison.compared >= WANTED / 2  # else it is soon looked at again
        rest = max(debt, 2.0 * cost if is_compared else cost) / COUNT_SHARE
        least = USUALLY_NS if is_compared else LEAST_REST_NS
        function.rests_until_ns = worked + int(min(MOST_REST_NS, max(least, rest)))
        self.soon_ns = now + LEAST_REST_NS
        return cost

    def _share_out(self) -> None:
        """Divide what comparing may cost: most to the hottest functions that were not compared enough."""
        called = [function for function in self.functions.values() if function.core.calls]
        called.sort(key=lambda function: function.rank)
        hottest = set(called[:HOTTEST])
        has_enough = all(f.comparison.compared >= WANTED for f in hottest)
        share = COMPARE_SHARE * (AFTERWARDS if has_enough or self._has_overspent() else 1.0)
        worked = worked_ns()
        needs = {f: need for f in called if (need := rare_need(f, worked)) is not None}
        granted = min(1.0, RARE_PART * share / (sum(needs.values()) or 1.0))
        share -= granted * sum(needs.values())
        weights = {f: weight_of(f, f in hottest) for f in self.functions.values() if f not in needs}
        total = sum(weights.values()) or 1.0
        for function in self.functions.values():
            if function in needs:
                function.share = granted * needs[function]
            else:
                function.share = share * weights[function] / total

    def _has_overspent(self) -> bool:
        """Whether comparing has cost more than it may: shares change, and what was spent stays spent."""
        allowed = COMPARE_SHARE * (worked_ns() - self.began_worked_ns + CREDIT_NS)
        return sum(f.spent_ns for f in self.functions.values()) > allowed

    def spent_ns(self) -> int:
        """What watching has cost so far: counting and timing calls, comparing them, looking after it all."""
        compared = sum(f.spent_ns for f in self.functions.values())
        return int(self.count_spent_ns) + compared + self.tended_ns

    def make_way(self) -> None:
        """A compiler is about to read the program's functions: it must find them as they are."""
        now = clock()
        self.ways_made += 1
        for function in list(self.functions.values()):
            if function.on_since_ns:
                self._remove(function, now)
                function.rests_until_ns = worked_ns() + USUALLY_NS
        self.is_off = self.ways_made >= MOST_WAYS_MADE

    def close(self) -> None:
        """Put everything back for good."""
        self.is_off = True
        self.places.close()


def rare_need(function: WatchedFunction, worked: int) -> float | None:
    """Of a function that is called rarely: the share of the time that comparing all its calls needs, with
    some to spare. None: it is called often, or nothing is known yet."""
    calls, looked_at = int(function.core.calls), function.looked_at
    elapsed = worked - function.began_worked_ns
    if not function.on_since_ns or not looked_at or elapsed < USUALLY_NS:
        return None
    if calls * 1e9 > RARE_PER_SECOND * elapsed:
        return None
    return 1.5 * function.spent_ns / looked_at * calls / elapsed


def weight_of(function: WatchedFunction, is_hottest: bool) -> float:
    """How much of the time for comparing a function gets."""
    if not function.on_since_ns:
        return 0.0
    weight = 1.0 if is_hottest else 0.25
    if function.comparison.compared >= WANTED:
        return 0.2 * weight
    is_promising = function.cache is not None or function.comparison.is_promising()
    return weight if is_promising else UNPROMISING * weight


def call_costs_ns(calls: int = 300, rounds: int = 5) -> tuple[float, float, float]:
    """What a watched call costs beside the call itself, counted only, timed and looked at: the best of some
    rounds. In a real program the processor's caches are colder: twice that."""

    def nothing(a: int, b: int) -> None:
        return None

    def begin(given: Any, named: Any) -> int:
        core.countdown = 1
        return thread_clock()

    def end(token: Any, result: Any, elapsed_ns: int) -> None:
        thread_clock()

    core: Any = WatchedCore(begin, end)
    watched = watched_call(nothing, None, core)
    best = [1 << 62] * 4
    for kind in (0, 1, 2, 3) * rounds:
        core.timed, core.countdown = kind >= 2, int(kind == 3)
        called = nothing if kind == 0 else watched
        begun = clock()
        for _ in range(calls):
            called(1, 2)
        best[kind] = min(best[kind], clock() - begun)
    plain, counted, timed, looked = (taken / calls for taken in best)
    return 2.0 * max(5.0, counted - plain), 2.0 * max(10.0, timed - plain), 2.0 * max(20.0, looked - plain)
