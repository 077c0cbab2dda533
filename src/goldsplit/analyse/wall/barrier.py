"""The idle barrier of lock-step workers: one is done with its part of a round, another is not yet.

A round is a turn of the driver (see driver_turns.py) that a raw window shows from its beginning to its end.
"""

from __future__ import annotations

from dataclasses import dataclass

from goldsplit.analyse.wall.causes import CauseFinder
from goldsplit.analyse.wall.driver_turns import TurnReader, WaitGroup
from goldsplit.analyse.wall.timeline import ThreadTimeline
from goldsplit.model.recording import ThreadKey


@dataclass(frozen=True, slots=True)
class Stay:
    """One thread in one round."""

    end_ns: int
    """When the round ended."""
    driver_waited_ns: int
    idle_ns: int
    """From the end of its own work to the end of the last one's, while the driver was at its wait."""


class Barriers:
    """The rounds of a run, and what each thread did in them."""

    def __init__(self, finder: CauseFinder, driver: ThreadKey, borders: tuple[int, int]) -> None:
        self._timelines = finder.timelines
        self._driver = driver
        self._rounds: list[tuple[WaitGroup, int]] = []  # with the end of the last work that was waited for
        reader = TurnReader(finder, driver)
        for group in reader.groups(borders):
            team = [finder.timelines[thread] for thread in reader.wakers([group])]
            if team and all(one.covers(group.turn_start_ns, group.end_ns) for one in team):
                self._rounds.append((group, max(_work_end(one, group) for one in team)))

    def stays(self, thread: ThreadKey) -> list[Stay]:
        """A thread in each round that was seen; none where it was never seen at work: its part is unknown."""
        timeline = self._timelines.get(thread)
        if timeline is None or thread == self._driver or not timeline.work:
            return []
        if not self._rounds:
            return self._stays_in_windows(timeline)
        return [
            self._stay(timeline, group, last_ns)
            for group, last_ns in self._rounds
            if timeline.covers(group.turn_start_ns, group.end_ns)
        ]

    def _stay(self, timeline: ThreadTimeline, group: WaitGroup, last_ns: int) -> Stay:
        waited_ns = self._timelines[self._driver].waits.length_ns(group.turn_start_ns, group.end_ns)
        own_ns = _work_end(timeline, group)
        idle_ns = max(0, last_ns - max(own_ns, group.first_wait_ns)) if own_ns else 0
        return Stay(group.end_ns, waited_ns, idle_ns)

    def _stays_in_windows(self, timeline: ThreadTimeline) -> list[Stay]:
        """Where rounds are too long to be seen whole, each raw window counts as one. A thread is then idle
        while both it and the driver wait: a worker's end and the driver's waking lie only moments apart."""
        driver = self._timelines.get(self._driver)
        if driver is None:
            return []
        found = []
        for window in timeline.windows:
            waits = timeline.waits.between(window.start_ns, window.end_ns)
            both_ns = sum(driver.waits.length_ns(wait.start_ns, wait.end_ns) for wait in waits)
            waited_ns = driver.waits.length_ns(window.start_ns, window.end_ns)
            found.append(Stay(window.end_ns, waited_ns, both_ns))
        return found


def idle_share(stays: list[Stay]) -> float | None:
    """Idle time as a share of the driver's waiting; None: not known. Not of the thread's own waiting: that is
    also for the driver's work, and raw windows are often too short to show it whole."""
    waited_ns = sum(stay.driver_waited_ns for stay in stays)
    return min(1.0, sum(stay.idle_ns for stay in stays) / waited_ns) if waited_ns else None


def _work_end(timeline: ThreadTimeline, group: WaitGroup) -> int:
    """When a thread's work in a round ended; 0: it did none."""
    work = timeline.work.last(group.turn_start_ns, group.end_ns)
    return work[1] if work is not None else 0
