def play(game, steps=300):
    seen = [repr(game.reset())]
    for number in range(steps):
        result = game.step(number)
        if number in (0, 1, 40, 41, 255, 296):
            seen.append(type(result).__name__)
    return seen

class Odd:
    ndim = 3
    def sum(self): raise SystemError
class Game:
    def reset(self): return Odd()
    def step(self, action): return (0, 1.0, Odd(), Odd(), {})
print([line.split(' at ')[0] for line in play(Game())])
