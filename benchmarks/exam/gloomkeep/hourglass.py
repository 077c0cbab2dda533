"""tiny stopwatch. glass.into("thing") ... glass.out()   -- self time only, no double counting"""
from time import perf_counter


class Hourglass:
    def __init__(self):
        self.sand = {}
        self._stack = ["other"]
        self._deaf = 0
        self._last = self.t0 = perf_counter()

    def start(self):
        self.sand = {}
        self._stack = ["other"]
        self._deaf = 0
        self._last = self.t0 = perf_counter()

    def into(self, key, whole=False):
        if self._deaf:
            self._deaf += 1
            return
        now = perf_counter()
        top = self._stack[-1]
        self.sand[top] = self.sand.get(top, 0.0) + now - self._last
        self._last = now
        self._stack.append(key)
        if whole:               # everything below belongs to this one (demo games)
            self._deaf = 1

    def out(self):
        if self._deaf > 1:
            self._deaf -= 1
            return
        self._deaf = 0
        now = perf_counter()
        top = self._stack.pop()
        self.sand[top] = self.sand.get(top, 0.0) + now - self._last
        self._last = now

    def stop(self):
        now = perf_counter()
        top = self._stack[-1]
        self.sand[top] = self.sand.get(top, 0.0) + now - self._last
        self._last = now
        return now - self.t0


glass = Hourglass()
