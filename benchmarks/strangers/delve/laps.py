"""Where does the time go? Nested stopwatch, a lap never counts its inner laps."""
import time
from collections import defaultdict


class _Lap:
    __slots__ = ("laps", "name")

    def __init__(self, laps, name):
        self.laps = laps
        self.name = name

    def __enter__(self):
        self.laps.push(self.name)

    def __exit__(self, *exc):
        self.laps.pop()


class Laps:
    def __init__(self):
        self.totals = defaultdict(float)
        self.stack = []
        self.mark = 0.0
        self.t_start = self.t_end = 0.0
        self._cache = {}

    def start(self):
        self.totals.clear()
        self.stack = ["other"]
        self.mark = self.t_start = time.perf_counter()

    def stop(self):
        self.t_end = time.perf_counter()
        self.totals[self.stack[-1]] += self.t_end - self.mark
        self.stack = []

    @property
    def wall(self):
        return self.t_end - self.t_start

    def push(self, name):
        now = time.perf_counter()
        if self.stack:
            self.totals[self.stack[-1]] += now - self.mark
            self.stack.append(name)
            self.mark = now

    def pop(self):
        now = time.perf_counter()
        if self.stack:
            self.totals[self.stack.pop()] += now - self.mark
            self.mark = now

    def of(self, name):
        lap = self._cache.get(name)
        if lap is None:
            lap = self._cache[name] = _Lap(self, name)
        return lap


class NoLaps(Laps):
    """For the test dungeon, which is timed as a whole."""

    def push(self, name):
        pass

    def pop(self):
        pass
