import sys
class Game:
    def reset(self): return 0
    def step(self, depth): return (depth, 1.0, False, {}) if not depth else self.step(depth - 1)
game = Game()
print(game.step(900))
def deepest(n=0):
    try: return deepest(n + 1)
    except RecursionError: return n
print(deepest() > 900)
try: game.step(10**6)
except RecursionError as error: print(type(error).__name__, error)
print(game.step(10))
