# tiny stopwatch. into("x") ... out(). whatever is on top of the pile gets the time.
from time import perf_counter


class Chrono:
    def __init__(self):
        self.sums = {}
        self.pile = ["other"]
        self.last = self.began = perf_counter()
        self.deaf = False

    def go(self):
        self.sums = {}
        self.pile = ["other"]
        self.last = self.began = perf_counter()

    def into(self, what):
        if self.deaf:
            return
        now = perf_counter()
        top = self.pile[-1]
        self.sums[top] = self.sums.get(top, 0.0) + now - self.last
        self.last = now
        self.pile.append(what)

    def out(self):
        if self.deaf:
            return
        now = perf_counter()
        top = self.pile.pop()
        self.sums[top] = self.sums.get(top, 0.0) + now - self.last
        self.last = now

    def halt(self):
        now = perf_counter()
        self.sums["other"] = self.sums.get("other", 0.0) + now - self.last
        self.last = now
        return now - self.began


clock = Chrono()
