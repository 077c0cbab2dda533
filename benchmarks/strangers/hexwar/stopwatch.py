import time


class Stopwatch:
    """Nested laps. Entering an inner lap pauses the outer one, so laps never overlap."""

    def __init__(self):
        self.totals = {}
        self._stack = []
        self._mark = 0.0

    def start(self, name):
        now = time.perf_counter()
        if self._stack:
            top = self._stack[-1]
            self.totals[top] = self.totals.get(top, 0.0) + now - self._mark
        self._stack.append(name)
        self._mark = now

    def stop(self):
        now = time.perf_counter()
        top = self._stack.pop()
        self.totals[top] = self.totals.get(top, 0.0) + now - self._mark
        self._mark = now

    def clear(self):
        self.totals.clear()


watch = Stopwatch()
