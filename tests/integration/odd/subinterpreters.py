import sys

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

TEXT = """
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
game = Game()
print(game.reset(), [game.step(i) for i in range(3)], flush=True)
"""


class Game:
    def reset(self):
        return 0

    def step(self, action):
        return action, 1.0, False, {}


print(Game().step(1), flush=True)
for _ in range(2):
    inner = interpreters.create()
    interpreters.run_string(inner, TEXT)
    interpreters.destroy(inner)
print(Game().step(2), len(interpreters.list_all()))
sys.exit(5)
