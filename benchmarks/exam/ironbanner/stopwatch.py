"""Tiny exclusive stopwatch. Only the innermost open key gets the time.

I wrote this for my keyboard-firmware project and keep copying it around.
"""
from time import perf_counter


class Stopwatch:
    def __init__(self):
        self.sums = {}
        self.stack = []
        self.mark = 0.0
        self.running = False

    def go(self, base="other"):
        """start of the measured loop; everything not claimed is `base`"""
        self.sums.clear()
        self.stack = [base]
        self.running = True
        self.mark = self.t0 = perf_counter()

    def halt(self):
        now = perf_counter()
        self._give(now)
        self.running = False
        return now - self.t0

    def _give(self, now):
        k = self.stack[-1]
        self.sums[k] = self.sums.get(k, 0.0) + now - self.mark
        self.mark = now

    def push(self, key):
        if self.running:
            self._give(perf_counter())
            self.stack.append(key)

    def pop(self):
        if self.running:
            self._give(perf_counter())
            self.stack.pop()


sw = Stopwatch()  # one global, like a real hobbyist
