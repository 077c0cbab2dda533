from time import perf_counter

class StopWatch:
    """Nested sections; a parent does not count the time of its children."""
    def __init__(self):
        self.totals, self.stack = {}, []
        self.mark = perf_counter()
    def push(self, name):
        now = perf_counter()
        if self.stack:
            self.totals[self.stack[-1]] = self.totals.get(self.stack[-1], 0.0) + now - self.mark
        self.stack.append(name)
        self.mark = now
    def pop(self):
        now = perf_counter()
        name = self.stack.pop()
        self.totals[name] = self.totals.get(name, 0.0) + now - self.mark
        self.mark = now

watch = StopWatch()
