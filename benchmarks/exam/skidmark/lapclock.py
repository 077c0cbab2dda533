"""Who eats my frame time?  Nested laps, every second gets booked exactly once."""
from time import perf_counter


class LapClock:
    def __init__(self):
        self.book = {}
        self.total = 0.0
        self._pile = ["other"]
        self._mark = 0.0
        self._deaf = True          # nobody listens until the flag drops

    def flag(self):
        self._deaf = False
        self.began = self._mark = perf_counter()

    def into(self, what):
        if self._deaf:
            return
        now = perf_counter()
        top = self._pile[-1]
        self.book[top] = self.book.get(top, 0.0) + now - self._mark
        self._mark = now
        self._pile.append(what)

    def out(self):
        if self._deaf:
            return
        now = perf_counter()
        top = self._pile.pop()
        self.book[top] = self.book.get(top, 0.0) + now - self._mark
        self._mark = now

    # time trials use the same game code, those laps must not be split up
    def hush(self, what):
        self.into(what)
        self._deaf = True

    def unhush(self):
        self._deaf = False
        self.out()

    def running(self):
        return perf_counter() - self.began

    def chequered(self):
        now = perf_counter()
        top = self._pile[-1]
        self.book[top] = self.book.get(top, 0.0) + now - self._mark
        self.total = now - self.began
        self._deaf = True


LAPS = LapClock()
