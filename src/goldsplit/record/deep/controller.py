"""Opens and closes the deep look's windows in this process, and keeps to the budget inside them.

Windows are opened and closed by the recorder's thread, with a snapshot at both ends. Inside, the loop's own
threads begin and end *bursts* at the loop's beats, so that our cost stays below a share of the window.
"""

from __future__ import annotations

import sys
import threading
import time
from types import CodeType
from typing import Any

from goldsplit.record.deep import schedule
from goldsplit.record.deep.compare import Comparison, names_within_reach
from goldsplit.record.deep.costs import Costs
from goldsplit.record.deep.lines import deep_line
from goldsplit.record.deep.monitoring_events import MonitoringEvents
from goldsplit.record.deep.profile_events import ProfileEvents
from goldsplit.record.deep.site_table import replace_all
from goldsplit.record.deep.sites import Sites
from goldsplit.record.deep.torch_sites import TorchSites
from goldsplit.record.deep.watch import STEP, UPDATE, Function, Watch, clock
from goldsplit.record.engine import ENGINE, ThreadState

#: Our cost inside a window, relative to the program's own time so far: begin a burst below the first, end it
#: above the second. Of the window's whole length: above the third a burst is cut in the middle of a step.
BEGIN_BELOW, END_ABOVE, CUT_ABOVE = 0.22, 0.34, 0.28
#: Of a window's length: what a burst may cost before the window has earned it.
CREDIT = 0.06
MOST_TARGETS = 24
#: A function is compared from this share of the time seen.
TARGET_SHARE = 0.01
#: So many segments are seen whole before some are spent on comparing alone; then every third is whole.
WHOLE_FIRST, WHOLE_EVERY = 6, 3


class Controller:
    """The deep look of one process."""

    def __init__(self, run_dir: str) -> None:
        self.run_dir = run_dir
        self.plan: schedule.Plan | None = None
        self.index = 0
        self.is_open = False
        self.start_ns = self.end_ns = 0
        self.watch = Watch()
        self.events: Any = make_events(self.watch)
        self.sites = Sites(self.watch)
        self.torch_sites = TorchSites(self.sites)
        self.calibrated = False
        self.watching = 0
        """The thread that is being looked at; 0: none."""
        self.refused = ""
        self.last_beat: dict[int, int] = {}
        self.bursts = 0
        self.steps_per_beat = 1.0
        self.beats = [0, 0]
        self.costs = Costs()
        self.spent_before_ns = 0
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
        self.plan = schedule.read_plan(self.run_dir)
        if self.plan is None:
            steps = stepped()
            if schedule.is_time(ENGINE.first_step_ns, now, steps):
                per_step = (now - ENGINE.first_step_ns) / max(1.0, steps)
                self.plan = schedule.share_plan(self.run_dir, schedule.plan_for(now, per_step))

    def due(self, now: int) -> bool:
        """Whether a window begins or ends now."""
        if self.plan is None or self.refused:
            return False
        if self.is_open:
            return now >= self.end_ns
        self.index, start, end = self.plan.next_window(now, self.index)
        return start <= now < end - self.plan.length_ns // 3

    def open(self, now: int) -> None:
        """Begin a window; the recorder has just taken a snapshot."""
        if self.plan is None:
            return
        if self.watching:  # a thread has not run since the last window ended
            if not self.watch.over_limit:
                self.index += 1
                return
            self.watching = 0
        if not self.calibrated:
            self.events.calibrate()
            self.calibrated = True
        _, self.end_ns = self.plan.window(self.index)
        self.start_ns = now
        self.spent_before_ns = self.watch.spent_ns
        self.last_beat = {}
        for function in self.watch.targets.values():
            if function.comparison is not None:
                function.comparison.new_window()
        replace_all(self.sites)
        self.torch_sites.replace()
        self.is_open = True
        ENGINE.on_beat = self.beat

    def close(self) -> dict[str, Any]:
        """End the window; what it has seen, as a line to write after the snapshot."""
        ENGINE.on_beat = None
        self.is_open = False
        self.sites.restore()
        self.index += 1
        self.windows += 1
        if self.watching:
            self.watch.limit_ns = 0  # the thread's next event switches it off
            deadline = clock() + 30_000_000
            while not self.watch.over_limit and clock() < deadline:
                time.sleep(0.0005)
            self._end_cut_segment(STEP if self.beats[STEP] or not self.beats[UPDATE] else UPDATE)
        self.events.close()
        self.choose_targets()
        return deep_line(self)

    def abandon(self) -> None:
        """In a forked child: the parent's window is not ours."""
        ENGINE.on_beat = None
        self.watch.ident = 0
        self.sites.restore()
        self.events.stop()
        self.events.close()

    # In the program's own threads.

    def beat(self, state: ThreadState, steps: float) -> None:
        """A step (of so many environments) or an update (0) has ended in this thread."""
        now = clock()
        kind = STEP if steps else UPDATE
        ident = threading.get_ident()
        self.beats[kind] += 1
        self.watch.updates += kind
        if self.watching == ident:
            self._beat_watched(kind, steps, now)
            self.steps_per_beat = steps or self.steps_per_beat
        elif not self.watching and self.is_open:
            before = self.last_beat.get(ident)
            if before is not None:
                self.costs.add_plain(kind, now - before)
            if self._cost_share(now) < BEGIN_BELOW:
                self._begin_burst(ident, now)
        self.last_beat[ident] = clock()

    def _cost_share(self, now: int) -> float:
        """Our cost so far in this window, less the credit, relative to the program's own time."""
        lost = self.watch.spent_ns - self.spent_before_ns
        credit = CREDIT * (self.end_ns - self.start_ns)
        return (lost - credit) / max(1, now - self.start_ns - lost)

    def _begin_burst(self, ident: int, now: int) -> None:
        self.refused = self.events.in_use()
        if self.refused:
            text = f"no deep look here: the program uses {self.refused} itself"
            ENGINE.events.append({"k": "note", "text": text})
            return
        watch = self.watch
        whole = watch.segments[STEP] + watch.segments[UPDATE] < WHOLE_FIRST
        if not whole and not watch.targets:
            self.choose_targets()
        full = whole or not watch.targets or self.bursts % WHOLE_EVERY == 0
        self.bursts += 1
        self.watching = ident
        limit = int(self.spent_before_ns + CUT_ABOVE * (self.end_ns - self.start_ns))
        watch.begin(sys._getframe(2), full, limit)
        watch.spend(clock() - now)
        self.torch_sites.enter()
        begun = clock()
        self.events.start(full)
        watch.spend(clock() - begun)
        self.costs.begin(watch)

    def _beat_watched(self, kind: int, steps: float, now: int) -> None:
        watch = self.watch
        if watch.over_limit:
            self._end_cut_segment(kind)
            self._end_burst()
        else:
            undisturbed = self.costs.end(kind, now, watch)
            watch.end_segment(kind, steps, float(undisturbed))
            if not self.is_open or self._cost_share(now) > END_ABOVE:
                self._end_burst()
        watch.spend(clock() - now)
        self.costs.begin(watch)

    def _end_burst(self) -> None:
        """In the thread that was looked at."""
        self.events.stop()
        self.torch_sites.leave()
        self.watch.stop()
        self.watching = 0

    def _end_cut_segment(self, kind: int) -> None:
        """Book a segment that was not seen to its end: as that part of one that it was in time."""
        usual_ns = self.costs.usual_ns(kind)
        if not usual_ns:
            usual_ns = (clock() - ENGINE.first_step_ns) * self.steps_per_beat / max(1.0, stepped())
        part = min(1.0, self.watch.seen_ns() / usual_ns)
        self.watch.end_segment(kind, self.steps_per_beat if kind == STEP else 0.0, part)
        if self.watch.over_limit:
            self.watching = 0

    def choose_targets(self) -> None:
        """Which functions to compare from now on: the dearest, unless comparing them was too dear itself."""
        seen = sum(self.watch.segment_ns) or 1
        ranked = sorted(
            (f for f in list(self.watch.functions.values()) if f is not None and comparable(f)),
            key=total_ns,
            reverse=True,
        )
        codes = self._codes_by_name()
        for function in ranked[:MOST_TARGETS]:
            if function.comparison is None and total_ns(function) >= TARGET_SHARE * seen:
                function.comparison = Comparison(function.code)
                self.watch.targets[function.code] = function
            if function.comparison is not None:
                function.comparison.names = names_within_reach(function.code, codes)
        for code, function in list(self.watch.targets.items()):
            if function.comparison is not None:
                function.comparison.judge()
                if function.comparison.given_up:
                    del self.watch.targets[code]

    def _codes_by_name(self) -> dict[str, list[CodeType]]:
        found: dict[str, list[CodeType]] = {}
        for code, function in list(self.watch.functions.items()):
            if function is not None:
                found.setdefault(code.co_name, []).append(code)
        return found


def comparable(function: Function) -> bool:
    """Whether a function's calls can be compared: not what runs around the loop, no generator."""
    name = function.code.co_name
    return not function.seeded and function.kind != "generator" and not name.startswith("<")


def total_ns(function: Function) -> int:
    """All the time seen in a function, callees included."""
    return function.booked[STEP][2] + function.booked[UPDATE][2]


def stepped() -> float:
    """Environment steps that this process has counted."""
    return sum(
        value
        for state in list(ENGINE.threads)
        for name, value in list(state.counts.items())
        if name in ("own_env_steps", "vec_env_steps")
    )


def make_events(watch: Watch) -> Any:
    """What this interpreter offers to see calls with."""
    return MonitoringEvents(watch) if sys.version_info >= (3, 12) else ProfileEvents(watch)
