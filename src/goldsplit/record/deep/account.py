"""What looking may cost in a window, and what it did cost: an account that all windows of a process share.

The measure is *work*: the time from beat to beat less what the thread spent waiting, because that is what
looking lengthens. A window spends ahead on the work that it should hold; what the work then really was, and
what looking at it really cost, is settled when the window closes. Debts are paid with plain windows.
"""

from __future__ import annotations

from goldsplit.model.stage import WAITING
from goldsplit.record.engine import ThreadState

#: Of the work in all windows together, what looking may add.
SHARE = 1 / 3
#: What was saved may be spent later, but one window gets at most this many times its own due.
MOST_AT_ONCE = 4 / 3
#: What we clock is less than what looking really costs: the program's caches suffer too. By what factor is
#: measured; the guess counts like this much measured time.
FIRST_FACTOR, FIRST_WEIGHT_NS = 2.0, 5_000_000
LEAST_FACTOR, MOST_FACTOR = 1.0, 4.0
#: Before anything is known, a thread that seems to do nothing but wait is thought to work this much.
LEAST_SHARE = 0.2
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
        self.work_ns = self.wall_ns = 0
        self.clocked_ns = 0.0
        self.turning_ns = 0
        """What opening and closing windows took."""
        self.judged_ns = self.judged_real_ns = 0.0
        """Of segments whose usual length is known: what was clocked, and what looking at them really cost."""
        self.work_share = 1.0

    def guess_work_share(self, share: float) -> None:
        """How much of its time the thread works, as long as no window has shown it."""
        if not self.wall_ns:
            self.work_share = max(LEAST_SHARE, min(1.0, share))

    def add_plain(self, kind: int, work_ns: int, wall_ns: int) -> None:
        """A segment that nobody looked at."""
        self._add_work(work_ns, wall_ns)
        sums = self.plain[kind]
        if sums[0] >= MOST_KEPT:
            sums[0], sums[1] = sums[0] / 2, sums[1] / 2
        sums[0] += 1
        sums[1] += work_ns

    def add_looked(self, kind: int, work_ns: int, wall_ns: int, clocked_ns: int) -> None:
        """A segment that was looked at, to its end or not."""
        self._add_work(work_ns, wall_ns)
        sums = self.looked[kind]
        sums[0] += 1
        sums[1] += work_ns
        sums[2] += clocked_ns

    def add_seen(self, mode: int, part: float, clocked_ns: int) -> None:
        """This part of a segment was seen, in a burst of this mode, for so much."""
        self.by_mode[mode][0] += part
        self.by_mode[mode][1] += clocked_ns

    def _add_work(self, work_ns: int, wall_ns: int) -> None:
        self.work_ns += work_ns
        self.wall_ns += wall_ns
        if self.wall_ns:
            self.work_share = self.work_ns / self.wall_ns

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

    def saved_ns(self) -> float:
        """What the closed windows have left over; negative: what they owe."""
        looking_ns = self.factor() * self.clocked_ns
        return SHARE * max(0.0, self.work_ns - looking_ns) - looking_ns - self.turning_ns

    def close_window(self, clocked_ns: int) -> None:
        """Settle what a window has cost, of which so much was clocked."""
        self.clocked_ns += clocked_ns
        for plain, looked in zip(self.plain, self.looked, strict=True):
            if plain[0] >= ENOUGH and looked[0]:
                self.judged_real_ns += looked[1] - looked[0] * plain[1] / plain[0]
                self.judged_ns += looked[2]
                looked[:] = [0.0, 0.0, 0.0]


def budget_ns(account: Account, saved_ns: float, length_ns: int, whole_ns: float) -> float:
    """What a window may cost: its due and what was saved, as far as one window may have it; for one whole
    segment the savings may be used up."""
    due = account.due_ns(length_ns)
    return min(due + saved_ns, max(MOST_AT_ONCE * due, whole_ns))


def waited_ns(state: ThreadState) -> int:
    """How long a thread has waited for others, in all."""
    return sum(node.total_ns for node in state.nodes if node.stage in WAITING)
