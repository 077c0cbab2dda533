"""Opens and closes the deep look's windows in this process, and keeps to the budget inside them.

Windows are opened and closed by the recorder's thread, with a snapshot at both ends. Inside, the loop's own
threads begin and end *bursts* at the loop's beats, so that our cost stays below a share of the window.
"""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

from goldsplit.model.wire import ALL, CHOSEN, STEP, UPDATE, Counter, Key, Line
from goldsplit.record.inside.deep import window_schedule
from goldsplit.record.inside.deep.budget import Budget, waited_ns
from goldsplit.record.inside.deep.caches import LruCaches
from goldsplit.record.inside.deep.call_watch import Watch, clock
from goldsplit.record.inside.deep.costs import Costs
from goldsplit.record.inside.deep.deep_line import deep_line
from goldsplit.record.inside.deep.monitoring_events import MonitoringEvents
from goldsplit.record.inside.deep.most_expensive import choose
from goldsplit.record.inside.deep.native_sites import NativeSites
from goldsplit.record.inside.deep.profile_events import ProfileEvents
from goldsplit.record.inside.deep.site_table import replace_all, restore_before_compiling
from goldsplit.record.inside.deep.sites import Sites
from goldsplit.record.inside.deep.torch_sites import TorchSites
from goldsplit.record.inside.engine import ENGINE, ThreadState
from goldsplit.record.inside.own_failures import count_failure

#: Over the budget by this factor, we stop in the middle of a step.
CUT_FACTOR = 1.25
#: Inside a real program an event costs more than in a tight loop; how much more is soon measured.
FIRST_GUESS = 1.4
#: So many segments are seen with all functions before the expensive ones are chosen.
ALL_FIRST = 6

Beat = tuple[int, int, int]
"""When a thread's last beat was, how long the thread had waited in all by then, and what we had spent."""


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
        self.beats = [0, 0]
        self.costs = Costs()
        self.spent_before_ns = self.segment_spent_ns = 0
        self.windows = 0

    def next_border_ns(self, now: int) -> int:
        """When the recorder's thread is needed next; far away if there is no plan yet."""
        if self.refused or self.plan is None:
            return 1 << 62
        if self.is_open:
            return self.end_ns
        self.index, start, _ = self.plan.next_window(now, self.index)
        return max(now, start)

    def look_for_plan(self, now: int) -> None:
        """Take over the run's plan, or make it once this process has stepped enough."""
        if self.plan is not None or not ENGINE.first_step_ns:
            return
        if not self.budget.began_ns:
            self.budget.begin(now, list(ENGINE.threads))
        self.plan = window_schedule.read_plan(self.run_dir)
        if self.plan is None:
            steps = stepped()
            if window_schedule.is_time(ENGINE.first_step_ns, now, steps):
                per_step = (now - ENGINE.first_step_ns) / max(1.0, steps)
                plan = window_schedule.plan_for(now, per_step)
                self.plan = window_schedule.share_plan(self.run_dir, plan)

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
        self.budget.open_window(now, self.end_ns - now)
        self.last_beat = {}
        self.has_seen_all = False
        self.has_spent = not self._affords(self._next_mode())
        if not self.has_spent:
            self._place()
        self.is_open = True
        ENGINE.on_beat = self.beat

    def _place(self) -> None:
        """Put every stand-in for something of the program in its place."""
        for function in self.watch.chosen.values():
            if function.comparison is not None:
                function.comparison.new_window()
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
            self._end_cut_segment(STEP if self.beats[STEP] or not self.beats[UPDATE] else UPDATE)
        self.restore()
        self.budget.close_window(self.watch.spent_ns() - self.spent_before_ns)
        self.watch.set_event_ns(self.costs.event_ns(self.calibrated_ns))
        choose(self.watch)
        return deep_line(self)

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
        for clean_up in (self.events.stop, self.torch_sites.leave, self.watch.stop, self.restore):
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
        self.beats[kind] += 1
        self.watch.updates += kind
        before = self.last_beat.get(ident)
        waited, spent = waited_ns(state), self.watch.spent_ns()
        self.budget.see_waiting(state, now, waited)
        was_watched = self.watching == ident
        if was_watched:
            if before is not None:
                work = now - before[0] - (waited - before[1])
                self.budget.add_looked(kind, work, spent - before[2])
            self._beat_watched(kind, steps, now)
            self.steps_per_beat = steps or self.steps_per_beat
        elif not self.watching and self.is_open:
            if before is not None:
                wall = now - before[0]
                self.costs.add_plain(kind, wall)
                self.budget.add_plain(kind, wall - (waited - before[1]))
            if not self.has_spent:
                self._begin_burst(ident, now)
        ended = clock()
        if not was_watched and self.watching != ident:
            self.budget.beats_ns += ended - now
        self.last_beat[ident] = (now if self.watching == ident else ended, waited, spent)

    def _next_mode(self) -> int:
        """What the next burst sees: once in a window all functions, unless that has cost too much so far."""
        clocked = self.budget.by_mode
        all_is_due = not self.has_seen_all and clocked[ALL][1] <= clocked[CHOSEN][1]
        return ALL if not self.watch.chosen or all_is_due else CHOSEN

    def _left_ns(self, mode: int) -> float:
        """What looking in this mode may still cost in this window."""
        allowed = self.budget.window_ns(self.budget.whole_ns(mode))
        return allowed - self.budget.factor() * (self.watch.spent_ns() - self.spent_before_ns)

    def _affords(self, mode: int) -> bool:
        """Whether there is enough left for a whole segment; a part would show its beginning only."""
        left = self._left_ns(mode)
        return left > 0 and left >= self.budget.whole_ns(mode)

    def _begin_burst(self, ident: int, now: int) -> None:
        self.refused = self.events.in_use()
        if self.refused:
            text = f"no deep look here: the program uses {self.refused} itself"
            ENGINE.events.append({Key.KIND: Line.NOTE, Key.TEXT: text})
            return
        watch = self.watch
        if not watch.chosen and sum(watch.segments[ALL]) >= ALL_FIRST:
            choose(self.watch)
            self.events.open()
        mode = self._next_mode()
        if not self._affords(mode):
            self._spend_no_more()
            return
        self.has_seen_all |= mode == ALL
        self.bursts += 1
        if self.bursts in (8, 16, 32):
            watch.set_event_ns(self.costs.event_ns(self.calibrated_ns))
        self.watching = ident
        limit = int(watch.spent_ns() + CUT_FACTOR * self._left_ns(mode) / self.budget.factor())
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
            enough = watch.mode == ALL and sum(watch.segments[ALL]) >= ALL_FIRST
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
        self.has_spent = True
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


def stepped() -> float:
    """Environment steps that this process has counted."""
    return sum(
        value
        for state in list(ENGINE.threads)
        for name, value in list(state.counts.items())
        if name in (Counter.OWN_ENV_STEPS, Counter.VECTOR_ENV_STEPS)
    )


def make_events(watch: Watch, native: NativeSites) -> Any:
    """How this interpreter reports calls."""
    if sys.version_info >= (3, 12):
        return MonitoringEvents(watch, native)
    return ProfileEvents(watch, native)
