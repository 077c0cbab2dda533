def play(game, steps=300):
    seen = [repr(game.reset())]
    for number in range(steps):
        result = game.step(number)
        if number in (0, 1, 40, 41, 255, 296):
            seen.append(type(result).__name__)
    return seen

class Odd:
    def __getattr__(self, name):
        if name.startswith('__'): raise AttributeError(name)
        raise KeyError(name)
class Game:
    def reset(self): return 1
    def step(self, action): return Odd()
try:
    play(Game())
finally:
    print('through')
raise SystemExit(7)
