"""Tiny nested clock. Inner blocks are taken out of the outer ones."""
from time import perf_counter


class _Blk:
    __slots__ = ("c", "key")

    def __init__(self, c, key):
        self.c, self.key = c, key

    def __enter__(self):
        c = self.c
        now = perf_counter()
        if c.stack:
            c.tot[c.stack[-1]] += now - c.mark
        c.stack.append(self.key)
        c.mark = now

    def __exit__(self, *exc):
        c = self.c
        now = perf_counter()
        c.tot[c.stack.pop()] += now - c.mark
        c.mark = now


class _Nop:
    def __enter__(self):
        pass

    def __exit__(self, *exc):
        pass


_NOP = _Nop()


class Clk:
    def __init__(self):
        self.tot, self.stack, self.mark, self.blks = {}, [], 0.0, {}
        self.running = False
        self.t0 = self.wall = 0.0

    def start(self):
        self.tot = {k: 0.0 for k in self.blks}
        self.tot["other"] = 0.0
        self.stack = ["other"]
        self.t0 = self.mark = perf_counter()
        self.running = True

    def stop(self):
        now = perf_counter()
        self.tot["other"] += now - self.mark
        self.wall = now - self.t0
        self.running = False

    def since(self):
        return perf_counter() - self.t0

    def __call__(self, key):
        # evaluation counts as one lump, so nothing inside it is booked
        if not self.running or self.stack[-1] == "eval":
            return _NOP
        b = self.blks.get(key)
        if b is None:
            b = self.blks[key] = _Blk(self, key)
            self.tot[key] = 0.0
        return b


clk = Clk()
