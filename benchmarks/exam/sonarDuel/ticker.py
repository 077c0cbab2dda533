from time import perf_counter


class Ticker:
    """frames with child time taken off. mute=True swallows everything nested in it."""

    def __init__(self):
        self.begin()

    def begin(self):
        self.total = {}
        self.frames = [["other", perf_counter(), 0.0, False]]
        self.nGrad = 0

    def push(self, key, mute=False):
        if self.frames[-1][3]:
            key, mute = self.frames[-1][0], True
        self.frames.append([key, perf_counter(), 0.0, mute])

    def pop(self):
        key, t0, kids, _ = self.frames.pop()
        dt = perf_counter() - t0
        self.total[key] = self.total.get(key, 0.0) + dt - kids
        self.frames[-1][2] += dt
        return t0, dt

    def move(self, fromKey, toKey, secs):
        self.total[fromKey] = self.total.get(fromKey, 0.0) - secs
        self.total[toKey] = self.total.get(toKey, 0.0) + secs

    def end(self):
        key, t0, kids, _ = self.frames[0]
        dt = perf_counter() - t0
        self.total[key] = self.total.get(key, 0.0) + dt - kids
        return dt


ticker = Ticker()
