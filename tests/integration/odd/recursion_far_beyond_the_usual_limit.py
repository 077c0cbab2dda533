import sys
sys.setrecursionlimit(400_000)
class Game:
    def reset(self): return 0
    def step(self, depth): return (depth, 1.0, False, {}) if not depth else self.step(depth - 1)
class Search:
    def select_action(self, depth): return 0 if not depth else 1 + self.select_action(depth - 1)
print(Game().step(100_000), Search().select_action(100_000))
