from time import perf_counter


class Sandglass:
    """One glass, one grain stream: to(x) says 'from now on it is x' and hands back what it was."""

    def __init__(self):
        self.heaps = {}
        self.now = None
        self.stuck = False
        self.last = 0.0

    def turn(self):
        self.first = self.last = perf_counter()
        self.now = "other"

    def to(self, what):
        was = self.now
        if self.stuck or was is None:
            return was
        t = perf_counter()
        self.heaps[was] = self.heaps.get(was, 0.0) + t - self.last
        self.last = t
        self.now = what
        return was

    def empty(self):
        self.to("other")
        self.now = None
        return self.last - self.first


GLASS = Sandglass()
