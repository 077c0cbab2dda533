from collections import defaultdict
from time import perf_counter_ns


class StopWatch:
    """Chess clock: only one side is running at any moment."""

    def __init__(self):
        self.totals = defaultdict(int)
        self.stack = ["rest"]
        self.last = perf_counter_ns()
        self.frozen = False

    def restart(self):
        self.totals.clear()
        self.stack = ["rest"]
        self.last = perf_counter_ns()
        self.startedAt = self.last

    def push(self, side):
        if self.frozen:
            return
        now = perf_counter_ns()
        self.totals[self.stack[-1]] += now - self.last
        self.stack.append(side)
        self.last = now

    def pop(self):
        if self.frozen:
            return
        now = perf_counter_ns()
        self.totals[self.stack.pop()] += now - self.last
        self.last = now

    def finish(self):
        now = perf_counter_ns()
        self.totals[self.stack[-1]] += now - self.last
        self.last = now
        return now - self.startedAt


watch = StopWatch()
