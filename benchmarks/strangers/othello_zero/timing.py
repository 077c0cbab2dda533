import time

totals = {}
_open = []
frozen = False


class timed:
    """with timed("x"): ... - czas wewnętrznych bloków odejmowany od zewnętrznych"""
    __slots__ = ("key", "t0", "inner", "on")

    def __init__(self, key):
        self.key = key

    def __enter__(self):
        self.on = not frozen
        if self.on:
            self.inner = 0.0
            _open.append(self)
            self.t0 = time.perf_counter()

    def __exit__(self, *a):
        if self.on:
            dt = time.perf_counter() - self.t0
            _open.pop()
            totals[self.key] = totals.get(self.key, 0.0) + dt - self.inner
            if _open:
                _open[-1].inner += dt
