import copy, pickle
class Game:
    def __init__(self): self.turn = 0
    def reset(self): self.turn = 0; return 0
    def step(self, action): self.turn += 1; return self.turn, 1.0, False, False, {}
    @staticmethod
    def select_action(state): return state
game = Game(); game.step(0)
for protocol in range(2, 6):
    again = pickle.loads(pickle.dumps([game, Game, game.step, Game.step, Game.select_action], protocol))
    print(again[0].step(1), again[1] is Game, again[2](1), again[3] is Game.step, again[4](3))
for made in (copy.copy(game), copy.deepcopy(game), copy.deepcopy([game.step])[0].__self__):
    print(made.step(0), made is game)
print(copy.copy(Game.step) is Game.step, copy.deepcopy(Game.step) is Game.step)
print(len(pickle.dumps(game)), pickle.dumps(game.step)[:40])
