"""What looking may cost in a window, and what it did cost: a budget that all windows of a process share.

There are two limits: a share of the *work* in windows (the thread's processor time from beat to
beat, because that is what looking makes longer), so that no window is slowed too much; and a smaller share
of the processor time that the process really had so far. A window spends by an estimate of its work; when it
closes, its real work and its real cost are added. If too much was spent, later windows do not look.
"""

from __future__ import annotations

from collections.abc import Iterable

from goldsplit.model.stage import WAITING
from goldsplit.record.inside.deep.worked_time import worked_ns
from goldsplit.record.inside.engine import ThreadState

#: Share of the work in all windows together that looking may add.
SHARE = 1 / 3
#: Share of the run's work that windows may add, with all that belongs to them. We promise at most 5 %,
#: watched functions included; as much again is for what we cannot measure, such as the processor's caches
#: after a window (benchmarks/deep_cost.py).
RUN_SHARE = 0.012
#: The part of that where several processes wait for each other: each delays all the others, and they are
#: looked at in the same windows but not in the same steps.
OF_SEVERAL = 0.5
#: Processor time that every run is given beforehand, so that its first windows may spend something.
CREDIT_NS = 1_500_000_000
#: A beat that took longer was not running: the machine did something else.
LONGEST_BEAT_NS = 50_000
#: What was saved may be spent later, but one window gets at most this many times its own share.
MOST_AT_ONCE = 4 / 3
#: What we clock is less than what looking really costs: the program's caches suffer too. The factor is
#: measured; the first guess counts like this much measured time.
FIRST_FACTOR, FIRST_WEIGHT_NS = 2.0, 5_000_000
LEAST_FACTOR, MOST_FACTOR = 0.7, 8.0
#: A thread that seems to do nothing but wait is taken to work this share of the time.
LEAST_SHARE = 0.05
#: So many plain segments of a kind say how long one usually is; older ones count less and less.
ENOUGH, MOST_KEPT = 4, 200

Sums = list[float]
"""Number, working nanoseconds and, if they were looked at, clocked nanoseconds of segments."""


class Budget:
    """Work and cost in the windows of one process."""

    def __init__(self) -> None:
        self.plain: tuple[Sums, Sums] = ([0.0, 0.0], [0.0, 0.0])
        self.looked: tuple[Sums, Sums] = ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
        """By the kind of beat that ended them; looked at: those of the open window."""
        self.by_mode: tuple[Sums, Sums] = ([0.0, 0.0], [0.0, 0.0])
        """By what a burst sees: whole segments that were looked at, and what was clocked for them."""
        self.work_ns = 0
        self.clocked_ns = 0.0
        self.open_close_ns = 0
        """What opening and closing windows took, with their snapshots and the writing of what was seen."""
        self.beats_ns = 0
        """What counting and timing took at beats of threads that were not looked at."""
        self.judged_ns = self.judged_real_ns = 0.0
        """Of segments whose usual length is known: what was clocked, and what looking at them really cost."""
        self.work_share = 1.0
        """The share of its time that the thread of the last beat works."""
        self.is_one_of_several = False
        """Whether other processes of the run are looked at too."""
        self.began_ns = self.began_worked_ns = 0
        self.waited_before: dict[int, int] = {}
        self.length_ns = 0
        self.saved_at_open_ns = self.run_left_at_open_ns = 0.0

    def begin(self, now_ns: int, states: Iterable[ThreadState]) -> None:
        """The loop has begun; what its threads waited before does not count."""
        self.began_ns, self.began_worked_ns = now_ns, worked_ns()
        self.waited_before = {id(state): waited_ns(state) for state in states}

    def see_waiting(self, state: ThreadState, now_ns: int, waited: int) -> None:
        """How long a thread has waited in all, at one of its beats."""
        waited -= self.waited_before.get(id(state), 0)
        share = 1.0 - waited / max(1, now_ns - self.began_ns)
        self.work_share = max(LEAST_SHARE, min(1.0, share))

    def add_plain(self, kind: int, work_ns: int) -> None:
        """A segment that was not looked at."""
        self.work_ns += work_ns
        sums = self.plain[kind]
        if sums[0] >= MOST_KEPT:
            sums[0], sums[1] = sums[0] / 2, sums[1] / 2
        sums[0] += 1
        sums[1] += work_ns

    def add_looked(self, kind: int, work_ns: int, clocked_ns: int) -> None:
        """A segment that was looked at, to its end or not."""
        self.work_ns += work_ns
        sums = self.looked[kind]
        sums[0] += 1
        sums[1] += work_ns
        sums[2] += clocked_ns

    def add_seen(self, mode: int, part: float, clocked_ns: int) -> None:
        """This part of a segment was seen in a burst of this mode, and so much was clocked for it."""
        self.by_mode[mode][0] += part
        self.by_mode[mode][1] += clocked_ns

    def factor(self) -> float:
        """What looking really costs, divided by what we clock."""
        real_ns = FIRST_FACTOR * FIRST_WEIGHT_NS + self.judged_real_ns
        return min(MOST_FACTOR, max(LEAST_FACTOR, real_ns / (FIRST_WEIGHT_NS + self.judged_ns)))

    def whole_ns(self, mode: int) -> float:
        """What looking at one whole segment really costs; 0: not known."""
        segments, clocked_ns = self.by_mode[mode]
        return self.factor() * clocked_ns / segments if segments else 0.0

    def share_ns(self, length_ns: int) -> float:
        """What a window of this length may cost without savings."""
        return SHARE * self.work_share * length_ns

    def cost_ns(self) -> float:
        """What the closed windows have cost, in processor time."""
        return self.factor() * self.clocked_ns + self.beats_ns + self.open_close_ns

    def saved_ns(self) -> float:
        """What the closed windows have left over; negative: what they spent too much."""
        return SHARE * max(0.0, self.work_ns - self.factor() * self.clocked_ns) - self.cost_ns()

    def add_beat(self, taken_ns: int) -> None:
        """A beat of a thread that is not looked at took so long."""
        self.beats_ns += min(LONGEST_BEAT_NS, taken_ns)

    def run_left_ns(self) -> float:
        """What may still be spent of the run up to now; negative: what was spent too much."""
        share = RUN_SHARE * OF_SEVERAL if self.is_one_of_several else RUN_SHARE
        return share * (CREDIT_NS + worked_ns() - self.began_worked_ns) - self.cost_ns()

    def open_window(self, length_ns: int) -> None:
        """A window of this length opens: keep what there is to spend."""
        self.length_ns = length_ns
        self.saved_at_open_ns = self.saved_ns()
        self.run_left_at_open_ns = self.run_left_ns()

    def window_ns(self, whole_ns: float) -> float:
        """What the open window may cost: its share and what was saved, up to the limit for one window. All
        savings may be used for one whole segment (`whole_ns`). Never more than the run has left."""
        share = self.share_ns(self.length_ns)
        at_once = max(MOST_AT_ONCE * share, whole_ns)
        return min(share + self.saved_at_open_ns, at_once, self.run_left_at_open_ns)

    def close_window(self, clocked_ns: int, unheard_ns: int = 0) -> None:
        """Add what a window has cost, of which so much was clocked; so long the program worked unheard."""
        self.clocked_ns += clocked_ns
        self.work_ns += unheard_ns
        for plain, looked in zip(self.plain, self.looked, strict=True):
            if plain[0] >= ENOUGH and looked[0]:
                self.judged_real_ns += looked[1] - looked[0] * plain[1] / plain[0]
                self.judged_ns += looked[2]
                looked[:] = [0.0, 0.0, 0.0]


def waited_ns(state: ThreadState) -> int:
    """How long a thread has waited for others, in all."""
    return sum(node.total_ns for node in state.nodes if node.stage in WAITING)
