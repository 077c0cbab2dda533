"""Opens and closes the deep look's windows in this process, and keeps to the budget inside them.

Windows are opened and closed by the recorder's thread, with a snapshot at both ends. Inside, the loop's own
threads begin and end *bursts* at the loop's beats, so that our cost stays below a share of the window.
"""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

from goldsplit.model.wire import ALL, CHOSEN, STEP, UPDATE, Key, Line
from goldsplit.record.inside.deep import window_schedule
from goldsplit.record.inside.deep.beat_count import BeatCount
from goldsplit.record.inside.deep.budget import Budget, waited_ns
from goldsplit.record.inside.deep.caches import LruCaches
from goldsplit.record.inside.deep.call_watch import Watch, clock
from goldsplit.record.inside.deep.costs import Costs
from goldsplit.record.inside.deep.deep_line import deep_line
from goldsplit.record.inside.deep.event_source import make_events
from goldsplit.record.inside.deep.most_expensive import most_expensive
from goldsplit.record.inside.deep.native_sites import NativeSites
from goldsplit.record.inside.deep.site_table import replace_all, restore_before_compiling
from goldsplit.record.inside.deep.sites import Sites
from goldsplit.record.inside.deep.torch_sites import TorchSites
from goldsplit.record.inside.deep.watched.counted_steps import stepped
from goldsplit.record.inside.deep.watched.function_watch import FunctionWatch
from goldsplit.record.inside.deep.watched.watched_line import watched_line
from goldsplit.record.inside.engine import ENGINE, ThreadState, thread_clock
from goldsplit.record.inside.own_failures import count_failure

#: Over the budget by this factor, we stop in the middle of a step.
CUT_FACTOR = 1.25
#: Inside a real program an event costs more than in a tight loop; how much more is soon measured.
FIRST_GUESS = 1.4
#: So many segments are seen with all functions before the expensive ones are chosen.
ALL_FIRST = 6
#: A burst that sees all functions may use this part of what is left, so that lines are seen, too.
ALL_PART = 0.5
#: One window in so many also has a burst that sees all functions.
ALL_EVERY = 2
#: With less than this left to spend a burst is not worth its start.
LEAST_LEFT_NS = 100_000
#: Segments that one window looks at, at most: of short steps many fit its budget, and all are alike.
MOST_SEGMENTS = 64
#: Segments that are timed after what a window may cost is spent, to know what looking costs.
PLAIN_AFTER = 16
#: How often what is known of the watched functions is written.
WRITE_EVERY_NS = 5_000_000_000

Beat = tuple[int, int, int]
"""When a thread's last beat was, how much processor time it had had by then, and what we had spent."""


class Controller:
    """The deep look of one process."""

    def __init__(self, run_dir: str) -> None:
        self.run_dir = run_dir
        self.plan: window_schedule.Plan | None = None
        self.index = 0
        self.is_open = False
        self.start_ns = self.end_ns = 0
        self.watch = Watch()
        self.sites = Sites(self.watch)
        self.events: Any = make_events(self.watch, NativeSites(self.sites))
        self.torch_sites = TorchSites(self.sites)
        self.lru_caches = LruCaches(self.sites)
        self.functions = FunctionWatch(run_dir)
        self.guards = Sites(self.watch)
        """Stand-ins that make way before a compiler reads the program, for the whole run."""
        self.written_ns = 0
        self.calibrated_ns = 0
        self.watching = 0
        """The thread that is being looked at; 0: none."""
        self.refused = ""
        self.last_beat: dict[int, Beat] = {}
        self.bursts = 0
        self.has_seen_all = False
        self.has_spent = False
        self.budget = Budget()
        self.steps_per_beat = 1.0
        self.beats = BeatCount()
        self.segments_left = 0  # segments that may still be looked at in the open window
        self.plain_left = 0  # segments that are still to be timed after the open window has spent its share
        self.costs = Costs()
        self.spent_before_ns = self.segment_spent_ns = 0
        self.windows = 0

    def next_border_ns(self, now: int) -> int:
        """When the recorder's thread is needed next; far away if there is no plan yet."""
        soon = self.functions.next_border_ns()
        if self.refused or self.plan is None:
            return soon
        if self.is_open:
            return min(soon, self.end_ns)
        self.index, start, _ = self.plan.next_window(now, self.index)
        return min(soon, max(now, start))

    def tend_functions(self, now: int, last: bool = False) -> list[dict[str, Any]]:
        """Look after the functions that are watched for the whole run; now and then a line to write."""
        self.functions.tend(now)
        if self.functions.functions and not self.guards.replaced:
            restore_before_compiling(self.guards, self.functions.make_way)
        if not self.functions.began_ns or not (last or now - self.written_ns >= WRITE_EVERY_NS):
            return []
        self.written_ns = now
        return [watched_line(self.functions, now)]

    def look_for_plan(self, now: int) -> None:
        """Take over the run's plan, or make it once this process has stepped enough."""
        if self.plan is not None or not ENGINE.first_step_ns:
            return
        if not self.budget.began_ns:
            self.budget.begin(now, list(ENGINE.threads))
        self.plan = window_schedule.join_plan(self.run_dir, ENGINE.first_step_ns, now, stepped())

    def due(self, now: int) -> bool:
        """Whether a window begins or ends now."""
        if self.plan is None or self.refused:
            return False
        if self.is_open:
            return now >= self.end_ns
        self.index, start, end = self.plan.next_window(now, self.index)
        return start <= now < end - (end - start) // 3

    def open(self, now: int) -> None:
        """Begin a window; the recorder has just taken a snapshot."""
        if self.plan is None:
            return
        if self.watching:  # a thread has not run since the last window ended
            if not self.watch.over_limit:
                self.index += 1
                return
            self.watching = 0
        if not self.calibrated_ns:
            self.calibrated_ns = self.events.calibrated_ns()
            self.watch.set_event_ns(int(FIRST_GUESS * self.calibrated_ns))
        _, self.end_ns = self.plan.window(self.index)
        self.start_ns = now
        self.spent_before_ns = self.watch.spent_ns()
        self.budget.is_one_of_several = window_schedule.recorded_processes(self.run_dir) > 1
        self.budget.open_window(self.end_ns - now)
        self.last_beat = {}
        self.has_seen_all = False
        self.segments_left = MOST_SEGMENTS
        self.is_open, self.has_spent = True, not self._affords(self._next_mode())
        self.beats.open()
        if self.has_spent:
            self.beats.fall_silent()
            return
        self._place()
        ENGINE.on_beat = self.beat

    def _place(self) -> None:
        """Put every stand-in for something of the program in its place."""
        self.events.open()
        replace_all(self.sites)
        self.torch_sites.replace()
        self.lru_caches.replace()
        restore_before_compiling(self.sites, self.restore)

    def restore(self) -> None:
        """Take every stand-in away."""
        self.sites.restore()
        self.torch_sites.restore()
        self.events.close()

    def close(self) -> dict[str, Any]:
        """End the window; what it has seen, as a line to write after the snapshot."""
        ENGINE.on_beat = self.torch_sites.leave_late
        self.is_open = False
        self.index += 1
        self.windows += 1
        if self.watching:
            self._stop_thread()
            self._end_cut_segment(self.beats.usual_kind())
        self.restore()
        self.budget.close_window(self.watch.spent_ns() - self.spent_before_ns, self.beats.close())
        self.watch.set_event_ns(self.costs.event_ns(self.calibrated_ns))
        self._choose()
        return deep_line(self)

    def _choose(self) -> None:
        """Watch what all calls together have shown to be expensive."""
        self.functions.add_seen(most_expensive(self.watch), clock())

    def _stop_thread(self) -> None:
        """Stop looking at a thread that is in the middle of something."""
        self.watch.limit_ns = 0  # its next event switches it off
        if self.events.stop_from_outside():
            self.watch.cut()
        deadline = clock() + 30_000_000
        while not self.watch.over_limit and clock() < deadline:
            time.sleep(0.0005)

    def abandon(self) -> None:
        """In a forked child: its parent's window does not go on here."""
        ENGINE.on_beat = None
        self.watch.ident = 0
        self.events.stop()
        self.torch_sites.leave()
        self.restore()
        self.guards.restore()
        self.functions.close()

    # In the program's own threads.

    def beat(self, state: ThreadState, steps: float) -> None:
        """A step (of so many environments) or an update (0) has ended in this thread."""
        try:
            self._beat(state, steps)
        except Exception as error:
            self.give_up()
            if not count_failure(self._beat, error):
                raise

    def give_up(self) -> None:
        """Our own code has failed: no deep look from now on. Nothing of it stays behind in the program."""
        self.refused = "a failure of goldsplit's own"
        left = (self.events.stop, self.torch_sites.leave, self.watch.stop, self.restore)
        for clean_up in (*left, self.functions.close):
            try:
                clean_up()
            except Exception as error:
                if not count_failure(clean_up, error):
                    raise
        self.watching, self.is_open = 0, False
        ENGINE.on_beat = None

    def _beat(self, state: ThreadState, steps: float) -> None:
        now = clock()
        kind = STEP if steps else UPDATE
        ident = threading.get_ident()
        self.beats.hear(kind)
        self.watch.updates += kind
        before = self.last_beat.get(ident)
        worked, spent = thread_clock(), self.watch.spent_ns()
        self.budget.see_waiting(state, now, waited_ns(state))
        was_watched = self.watching == ident
        if was_watched:
            if before is not None:
                self.budget.add_looked(kind, worked - before[1], spent - before[2])
            self._beat_watched(kind, steps, now)
            self.steps_per_beat = steps or self.steps_per_beat
        elif not self.watching and self.is_open:
            if before is not None:
                self.costs.add_plain(kind, now - before[0])
                self.budget.add_plain(kind, worked - before[1])
                self.plain_left -= 1
            if not self.has_spent:
                self._begin_burst(ident, now)
            elif self.plain_left <= 0:
                self.beats.fall_silent()
                ENGINE.on_beat = self.torch_sites.leave_late
        ended = clock()
        if not was_watched and self.watching != ident:
            self.budget.add_beat(ended - now)
            worked = thread_clock()
        self.last_beat[ident] = (now if self.watching == ident else ended, worked, spent)

    def _next_mode(self) -> int:
        """What the next burst sees: in some windows first all functions, else lines only."""
        return ALL if not self.has_seen_all and self.windows % ALL_EVERY == 0 else CHOSEN

    def _left_ns(self, mode: int) -> float:
        """What looking in this mode may still cost in this window."""
        allowed = self.budget.window_ns(self.budget.whole_ns(mode))
        return allowed - self.budget.factor() * (self.watch.spent_ns() - self.spent_before_ns)

    def _affords(self, mode: int) -> bool:
        """Whether there is enough left for a whole segment. One that sees all functions may be cut: of a long
        step it then shows the beginning, which is enough to find functions to watch."""
        left = self._left_ns(mode) if self.segments_left > 0 else 0.0
        return left > LEAST_LEFT_NS and (mode == ALL or left >= self.budget.whole_ns(mode))

    def _begin_burst(self, ident: int, now: int) -> None:
        self.refused = self.events.in_use()
        if self.refused:
            text = f"no deep look here: the program uses {self.refused} itself"
            ENGINE.events.append({Key.KIND: Line.NOTE, Key.TEXT: text})
            return
        watch = self.watch
        mode = self._next_mode()
        if not self._affords(mode):
            self._spend_no_more()
            return
        self.has_seen_all |= mode == ALL
        self.bursts += 1
        if self.bursts in (8, 16, 32):
            watch.set_event_ns(self.costs.event_ns(self.calibrated_ns))
        self.watching = ident
        part = ALL_PART if mode == ALL else CUT_FACTOR
        limit = int(watch.spent_ns() + part * self._left_ns(mode) / self.budget.factor())
        self.segment_spent_ns = watch.spent_ns()
        self.torch_sites.enter()
        watch.begin(sys._getframe(3), mode, limit)
        self.events.start(mode)
        self.costs.begin(watch, now)

    def _beat_watched(self, kind: int, steps: float, now: int) -> None:
        watch = self.watch
        if watch.over_limit:
            self._end_cut_segment(kind)
            self._end_burst()
        else:
            undisturbed = self.costs.end(kind, now, watch)
            watch.end_segment(kind, steps, float(undisturbed))
            self._add_cost(1.0)
            self.segments_left -= 1
            enough = watch.mode == ALL and sum(watch.segments[ALL]) >= ALL_FIRST
            if enough and not self.functions.functions:
                self._choose()
            if enough or not self.is_open or not self._affords(watch.mode):
                self._end_burst()
        self.costs.begin(watch, now)

    def _end_burst(self) -> None:
        """In the thread that was looked at."""
        self.events.stop()
        self.torch_sites.leave()
        self.watch.stop()
        self.watching = 0
        if self.is_open and not self._affords(self._next_mode()):
            self._spend_no_more()

    def _spend_no_more(self) -> None:
        """For the rest of the window the program runs as it is."""
        self.has_spent, self.plain_left = True, PLAIN_AFTER
        self.restore()

    def _add_cost(self, part: float) -> None:
        """This part of a segment was seen."""
        spent = self.watch.spent_ns()
        self.budget.add_seen(self.watch.mode, part, spent - self.segment_spent_ns)
        self.segment_spent_ns = spent

    def _end_cut_segment(self, kind: int) -> None:
        """Count a segment that was not seen to its end as the part of a whole one that its time is."""
        usual_ns: float = self.costs.usual_ns(kind)
        if not usual_ns:
            usual_ns = (clock() - ENGINE.first_step_ns) * self.steps_per_beat / max(1.0, stepped())
        part = min(1.0, self.watch.seen_ns() / usual_ns)
        self._add_cost(part)
        self.watch.end_segment(kind, self.steps_per_beat if kind == STEP else 0.0, part)
        if self.watch.over_limit:
            self.watching = 0
