class Loud(bytes):
    def __eq__(self, other): print("compared", type(other).__name__); return super().__eq__(other)
    __hash__ = bytes.__hash__
class Game:
    def reset(self): return Loud(b"x")
    def step(self, action): return Loud(b"y"), Loud(b"1"), Loud(b""), {Loud(b"k"): 1}
game = Game(); game.reset()
for n in range(60): game.step(b"a")
class Di(dict):
    def __contains__(self, k): print("in"); return False
    def get(self, *a): print("get"); return None
    def __getitem__(self, k): print("item"); raise KeyError(k)
    def keys(self): print("keys"); return []
    def __iter__(self): print("iter"); return iter(())
class Dicts:
    def reset(self): return 0
    def step(self, action): return 0, 1.0, False, False, Di(episode={"r": 1})
d = Dicts(); d.reset()
for n in range(60): d.step(n)
class Once:
    def reset(self): return iter([1])
    def step(self, action): self.it = iter([1, 2]); return self.it, (x for x in "ab"), False, {}
o = Once(); o.reset(); r = o.step(1); print(list(r[0]), list(r[1]))
