"""Exclusive phase timer. While an inner phase runs, the outer one is stopped."""
import time


class _Phase:
    def __init__(self, timer, name):
        self.timer, self.name = timer, name

    def __enter__(self):
        self.timer.push(self.name)

    def __exit__(self, *exc):
        self.timer.pop()


class PhaseTimer:
    OPAQUE = {"eval": {"checkpoint"}}      # phases which swallow their inner phases, except those

    def __init__(self):
        self.reset()
        self._cache = {}

    def reset(self):
        self.totals = {}
        self._stack = []
        self._last = time.perf_counter()

    def phase(self, name):
        if name not in self._cache:
            self._cache[name] = _Phase(self, name)
        return self._cache[name]

    def push(self, name):
        t = time.perf_counter()
        if self._stack:
            outer = self._stack[-1]
            self.totals[outer] = self.totals.get(outer, 0.0) + t - self._last
            if outer in self.OPAQUE and name not in self.OPAQUE[outer]:
                name = outer
        self._stack.append(name)
        self._last = t

    def pop(self):
        t = time.perf_counter()
        name = self._stack.pop()
        self.totals[name] = self.totals.get(name, 0.0) + t - self._last
        self._last = t


TIMER = PhaseTimer()
