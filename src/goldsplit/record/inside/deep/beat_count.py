"""How many steps and updates happened in the windows. While a window is looked at each one is heard; for the
rest of it nobody listens, because listening makes every step longer: then the recorder's counters say it."""

from __future__ import annotations

from goldsplit.model.wire import STEP, UPDATE
from goldsplit.record.inside.deep.watched.counted_steps import stepped, updated
from goldsplit.record.inside.deep.worked_time import worked_ns


class BeatCount:
    """Beats of one process, in windows only."""

    def __init__(self) -> None:
        self.beats = [0, 0]
        """Steps and updates, heard or not."""
        self.heard = [0, 0]
        self.heard_counts = [0.0, 0.0]
        """What the counters grew by while we listened: a beat may be a step of many environments."""
        self.since = [0.0, 0.0]
        self.is_silent = False
        self.silent_worked_ns = 0

    def open(self) -> None:
        """A window opens: listen."""
        self.is_silent = False
        self.since = counters()

    def hear(self, kind: int) -> None:
        """One beat."""
        self.beats[kind] += 1
        self.heard[kind] += 1

    def usual_kind(self) -> int:
        """The kind of segment that one is which did not end: a step, if there are any."""
        return STEP if self.beats[STEP] or not self.beats[UPDATE] else UPDATE

    def fall_silent(self) -> None:
        """Nobody listens for the rest of the window."""
        if not self.is_silent:
            self._end_hearing()
            self.is_silent, self.silent_worked_ns = True, worked_ns()

    def close(self) -> int:
        """The window ends: add the beats that nobody heard; how long the process worked meanwhile."""
        if not self.is_silent:
            self._end_hearing()
            return 0
        now = counters()
        for kind in (STEP, UPDATE):
            per_count = self.heard[kind] / self.heard_counts[kind] if self.heard_counts[kind] else 1.0
            self.beats[kind] += max(0, round((now[kind] - self.since[kind]) * min(1.0, per_count)))
        return worked_ns() - self.silent_worked_ns

    def _end_hearing(self) -> None:
        now = counters()
        for kind in (STEP, UPDATE):
            self.heard_counts[kind] += max(0.0, now[kind] - self.since[kind])
        self.since = now


def counters() -> list[float]:
    """Steps and updates that the recorder has counted so far."""
    return [stepped(), updated()]
