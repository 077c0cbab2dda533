"""The driver's own clock: step times in a fine histogram, and throughput in short windows.

A bucket is 2 % wide and keeps the sum of its times: percentiles are within 2 %, shares are nearly exact, and
the size does not grow with the number of steps.
"""

from __future__ import annotations

from math import log
from typing import Any

from goldsplit.model.env_alone.drive_wire import DRIVE_BUCKETS_PER_E, DriveKey

#: A window is at least this long; when there are many, they are joined in pairs.
WINDOW_NS = 10_000_000
MOST_WINDOWS = 64


class Times:
    """How long something took, again and again."""

    __slots__ = ("buckets", "calls", "longest_ns", "total_ns")

    def __init__(self) -> None:
        self.buckets: dict[int, list[int]] = {}
        self.calls = 0
        self.total_ns = 0
        self.longest_ns = 0

    def add(self, ns: int) -> None:
        bucket = self.buckets.get(place := int(log(ns + 1) * DRIVE_BUCKETS_PER_E))
        if bucket is None:
            bucket = self.buckets[place] = [0, 0]
        bucket[0] += 1
        bucket[1] += ns
        self.calls += 1
        self.total_ns += ns
        if ns > self.longest_ns:
            self.longest_ns = ns

    def plain(self) -> dict[str, Any]:
        return {
            DriveKey.CALLS: self.calls,
            DriveKey.NS: self.total_ns,
            DriveKey.LONGEST_NS: self.longest_ns,
            DriveKey.BUCKETS: [[place, *self.buckets[place]] for place in sorted(self.buckets)],
        }


class PhaseTimes:
    """What was measured in one phase (warm-up or after it): single steps, and the environment's speed."""

    __slots__ = ("times", "windows")

    def __init__(self) -> None:
        self.times = Times()
        self.windows = Windows()


class Windows:
    """Throughput in windows of the environment's own time: steps, masks and resets."""

    __slots__ = ("done", "length_ns", "ns", "steps", "total_ns", "total_steps")

    def __init__(self) -> None:
        self.done: list[list[int]] = []
        """[steps, nanoseconds] of each window."""
        self.length_ns = WINDOW_NS
        self.steps = self.ns = self.total_steps = self.total_ns = 0

    def add(self, steps: int, ns: int) -> None:
        self.steps += steps
        self.ns += ns
        self.total_steps += steps
        self.total_ns += ns
        if self.ns >= self.length_ns:
            self.done.append([self.steps, self.ns])
            self.steps = self.ns = 0
            if len(self.done) >= MOST_WINDOWS:
                pairs = zip(self.done[::2], self.done[1::2], strict=True)
                self.done = [[a[0] + b[0], a[1] + b[1]] for a, b in pairs]
                self.length_ns *= 2
