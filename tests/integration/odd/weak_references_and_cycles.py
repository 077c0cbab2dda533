import gc, sys, weakref
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
    def __del__(self): print("gone", self.name)
def make(name): game = Game(); game.name = name; return game
game = make("a"); game.reset(); game.step(1)
print(sys.getrefcount(game)); reference = weakref.ref(game, lambda r: print("callback")); del game; print(reference())
known = weakref.WeakSet(); keys = weakref.WeakKeyDictionary()
game = make("b"); known.add(game); keys[game] = 1; game.step(1); bound = game.step; del game
print(len(known), len(keys)); del bound; print(len(known), len(keys))
proxy = weakref.proxy(other := make("c")); print(proxy.step(2)); del other
try: proxy.step(3)
except ReferenceError as error: print(error)
class Result(list):
    def __del__(self): print("result gone")
class Gives:
    def reset(self): return 0
    def step(self, action): return Result([action]), 1.0, False, {}
gives = Gives(); gives.reset()
for n in range(3): result = gives.step(n); print("kept", len(result)); del result
class Raises:
    def reset(self): return 0
    def step(self, action): big = Result(); raise ValueError(action)
try: Raises().step(1)
except ValueError as error: print("caught", error.__traceback__.tb_next is not None)
print("after", gc.collect() >= 0)
