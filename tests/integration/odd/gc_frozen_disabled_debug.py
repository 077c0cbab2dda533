import gc, weakref
gc.disable(); gc.freeze()
class Game:
    def reset(self): self.me = self
    def step(self, action): return action, 1.0, False, {}
for _ in range(50): game = Game(); game.reset(); game.step(1)
reference = weakref.ref(game); del game
print(gc.isenabled(), reference() is not None); gc.unfreeze(); gc.collect(); print(reference())
def kept():
    class Local:
        def reset(self): return 0
        def step(self, action): return action, 1.0, False, {}
    Local().step(1)
    return weakref.ref(Local)
local = kept(); gc.collect(); print(local())
