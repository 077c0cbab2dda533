def play(game, steps=300):
    seen = [repr(game.reset())]
    for number in range(steps):
        result = game.step(number)
        if number in (0, 1, 40, 41, 255, 296):
            seen.append(type(result).__name__)
    return seen

import types, weakref
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
game = Game()
stored, plain, weak = game.step, Game.step, weakref.WeakMethod(game.step)
print(stored(1), plain(game, 2), weak()(3), weakref.ref(Game.step)() is Game.step)
game.step = lambda action: ('own', action); print(game.step(4), play(game, 3)); del game.step
Game.step = lambda self, action: ('new', action); print(game.step(5), stored(6))
del Game.step
try: game.step(7)
except AttributeError as error: print(error)
Game.step = plain; print(game.step(8), Game.step is plain)
game.step = types.MethodType(lambda self, action: action, game); print(game.step(9))
class Child(Game): step = Game.step
class Named(Game):
    step = reset = lambda self, action=None: (0, 1.0, True, {})
    def __getattr__(self, name): return 'asked for ' + name
print(Child().step(1), play(Named(), 3), Named().other)
