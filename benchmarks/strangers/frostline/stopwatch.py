import time


class Stopwatch:
    """Always running for exactly one label. `back = sw.go("act"); ...; sw.go(back)`"""

    def __init__(self):
        self.seconds = {}
        self.label = None
        self.since = None
        self.started = None

    def start(self, label="other"):
        self.label = label
        self.started = self.since = time.perf_counter()

    def go(self, label):
        t = time.perf_counter()
        self.seconds[self.label] = self.seconds.get(self.label, 0.0) + (t - self.since)
        old, self.label, self.since = self.label, label, t
        return old

    def elapsed(self):
        return time.perf_counter() - self.started

    def stop(self):
        self.go(None)
        return self.since - self.started
