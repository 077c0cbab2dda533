"""What looking may cost in a window, and what it did cost: an account that all windows of a process share.

The measure is *work*: the time from beat to beat less what the thread spent waiting, because that is what
looking lengthens. There are two bounds: a share of the work in windows, so that no window is slowed too much,
and a smaller share of the whole run's. A window spends ahead on the work that it should hold; what the work
then really was, and what looking at it really cost, is settled when the window closes. Debts are paid with
plain windows.
"""

from __future__ import annotations

from collections.abc import Iterable

from goldsplit.model.stage import WAITING
from goldsplit.record.inside.engine import ThreadState

#: Of the work in all windows together, what looking may add.
SHARE = 1 / 3
#: Of the run's work, what windows may add with all that belongs to them. At most 5 % is promised; half of it
#: is for what we cannot clock, such as the processor's caches after a window (benchmarks/deep_cost.py).
RUN_SHARE = 0.025
#: And what of that is left where several processes work hand in hand: each delays all the others, and they
#: are looked at in the same windows but not in the same steps.
OF_SEVERAL = 0.5
#: The first windows spend ahead on a run of this length.
SHORTEST_RUN_NS = 8_000_000_000
#: What was saved may be spent later, but one window gets at most this many times its own due.
MOST_AT_ONCE = 4 / 3
#: What we clock is less than what looking really costs: the program's caches suffer too. By what factor is
#: measured; the guess counts like this much measured time.
FIRST_FACTOR, FIRST_WEIGHT_NS = 2.0, 5_000_000
LEAST_FACTOR, MOST_FACTOR = 1.0, 8.0
#: Even a thread that seems to do nothing but wait is thought to work this much.
LEAST_SHARE = 0.05
#: So many plain segments of a kind say what one usually takes; older ones fade.
ENOUGH, MOST_KEPT = 4, 200

Sums = list[float]
"""Number, working nanoseconds and, if they were looked at, clocked nanoseconds of segments."""


class Account:
    """Work and cost in the windows of one process."""

    def __init__(self) -> None:
        self.plain: tuple[Sums, Sums] = ([0.0, 0.0], [0.0, 0.0])
        self.looked: tuple[Sums, Sums] = ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
        """By the kind of beat that ended them; looked at: those of the open window."""
        self.by_mode: tuple[Sums, Sums] = ([0.0, 0.0], [0.0, 0.0])
        """By what a burst sees: whole segments that were looked at, and what was clocked for them."""
        self.work_ns = 0
        self.clocked_ns = 0.0
        self.turning_ns = 0
        """What opening and closing windows took, with their snapshots and the writing of what was seen."""
        self.beats_ns = 0
        """What counting and timing took in windows where nobody looked."""
        self.judged_ns = self.judged_real_ns = 0.0
        """Of segments whose usual length is known: what was clocked, and what looking at them really cost."""
        self.work_share = 1.0
        """How much of its time the thread works that had the last beat."""
        self.is_one_of_several = False
        """Whether other processes of the run are looked at too."""
        self.began_ns = 0
        self.waited_before: dict[int, int] = {}
        self.length_ns = 0
        self.saved_at_open_ns = self.run_left_at_open_ns = 0.0

    def begin(self, now_ns: int, states: Iterable[ThreadState]) -> None:
        """The loop has begun; what its threads have waited before is no part of it."""
        self.began_ns = now_ns
        self.waited_before = {id(state): waited_ns(state) for state in states}

    def see_waiting(self, state: ThreadState, now_ns: int, waited: int) -> None:
        """How long a thread has waited in all, at one of its beats."""
        waited -= self.waited_before.get(id(state), 0)
        share = 1.0 - waited / max(1, now_ns - self.began_ns)
        self.work_share = max(LEAST_SHARE, min(1.0, share))

    def add_plain(self, kind: int, work_ns: int) -> None:
        """A segment that nobody looked at."""
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
        """This part of a segment was seen, in a burst of this mode, for so much."""
        self.by_mode[mode][0] += part
        self.by_mode[mode][1] += clocked_ns

    def factor(self) -> float:
        """What looking really costs, over what we clock."""
        real_ns = FIRST_FACTOR * FIRST_WEIGHT_NS + self.judged_real_ns
        return min(MOST_FACTOR, max(LEAST_FACTOR, real_ns / (FIRST_WEIGHT_NS + self.judged_ns)))

    def whole_ns(self, mode: int) -> float:
        """What looking at one whole segment really costs; 0: not known."""
        segments, clocked_ns = self.by_mode[mode]
        return self.factor() * clocked_ns / segments if segments else 0.0

    def due_ns(self, length_ns: int) -> float:
        """What a window of this length may cost by itself."""
        return SHARE * self.work_share * length_ns

    def cost_ns(self) -> float:
        """What the closed windows have cost. Turning one while the thread waits lengthens nothing."""
        return self.factor() * self.clocked_ns + self.beats_ns + self.work_share * self.turning_ns

    def saved_ns(self) -> float:
        """What the closed windows have left over; negative: what they owe."""
        return SHARE * max(0.0, self.work_ns - self.factor() * self.clocked_ns) - self.cost_ns()

    def run_left_ns(self, now_ns: int) -> float:
        """What the run up to now leaves to spend; negative: what it has lost too much."""
        run_ns = max(SHORTEST_RUN_NS, now_ns - self.began_ns)
        share = RUN_SHARE * OF_SEVERAL if self.is_one_of_several else RUN_SHARE
        return share * self.work_share * run_ns - self.cost_ns()

    def open_window(self, now_ns: int, length_ns: int) -> None:
        """What a window of this length finds when it opens."""
        self.length_ns = length_ns
        self.saved_at_open_ns = self.saved_ns()
        self.run_left_at_open_ns = self.run_left_ns(now_ns)

    def budget_ns(self, whole_ns: float) -> float:
        """What the open window may cost: its due and what was saved, as far as one window may have it; for
        one whole segment the savings may be used up. In any case not more than the run has left."""
        due = self.due_ns(self.length_ns)
        at_once = max(MOST_AT_ONCE * due, whole_ns)
        return min(due + self.saved_at_open_ns, at_once, self.run_left_at_open_ns)

    def close_window(self, clocked_ns: int) -> None:
        """Settle what a window has cost, of which so much was clocked."""
        self.clocked_ns += clocked_ns
        for plain, looked in zip(self.plain, self.looked, strict=True):
            if plain[0] >= ENOUGH and looked[0]:
                self.judged_real_ns += looked[1] - looked[0] * plain[1] / plain[0]
                self.judged_ns += looked[2]
                looked[:] = [0.0, 0.0, 0.0]


def waited_ns(state: ThreadState) -> int:
    """How long a thread has waited for others, in all."""
    return sum(node.total_ns for node in state.nodes if node.stage in WAITING)
