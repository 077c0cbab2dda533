"""ship's bell.  with bell("env.step"): ...   (self time per watch, nested ones taken out)"""
from time import perf_counter as _pc


class _Watch:
    __slots__ = ("b", "name", "alone")

    def __init__(self, b, name, alone):
        self.b, self.name, self.alone = b, name, alone

    def __enter__(self):
        b = self.b
        if b.below:
            b.below += 1
            return
        now = _pc()
        b.spent[b.deck[-1]] = b.spent.get(b.deck[-1], 0.0) + now - b.mark
        b.mark = now
        b.deck.append(self.name)
        if self.alone:
            b.below = 1

    def __exit__(self, *_):
        b = self.b
        if b.below > 1:
            b.below -= 1
            return
        b.below = 0
        now = _pc()
        nm = b.deck.pop()
        b.spent[nm] = b.spent.get(nm, 0.0) + now - b.mark
        b.mark = now


class Bell:
    def __init__(self):
        self.watches = {}
        self.cast_off()

    def cast_off(self):
        self.spent, self.deck, self.below = {}, ["other"], 0
        self.mark = self.born = _pc()

    def __call__(self, name, alone=False):
        w = self.watches.get(name)
        if w is None:
            w = self.watches[name] = _Watch(self, name, alone)
        return w

    def anchor(self):
        now = _pc()
        self.spent["other"] = self.spent.get("other", 0.0) + now - self.mark
        self.mark = now
        return now - self.born


bell = Bell()
