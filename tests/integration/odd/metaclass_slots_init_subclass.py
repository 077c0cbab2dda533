def play(game, steps=300):
    seen = [repr(game.reset())]
    for number in range(steps):
        result = game.step(number)
        if number in (0, 1, 40, 41, 255, 296):
            seen.append(type(result).__name__)
    return seen

class Meta(type):
    made = []
    def __new__(meta, name, bases, space, **more):
        Meta.made.append((name, sorted(space), more))
        return super().__new__(meta, name, bases, space)
    def __init__(cls, name, bases, space, **more): super().__init__(name, bases, space)
    def __hash__(cls): raise TypeError('no hash')
    def __eq__(cls, other): raise TypeError('no equal')
    def __setattr__(cls, name, value): raise AttributeError('frozen')
    def __getattribute__(cls, name):
        if name == '__module__': return 5
        return super().__getattribute__(name)
class Game(metaclass=Meta, key=1):
    __slots__ = ('turn',)
    def reset(self): self.turn = 0
    def step(self, action): self.turn += 1; return self.turn, 1.0, False, False, {}
class Other(Game):
    def step(self, action): return super().step(action)
class Registered:
    kinds = []
    def __init_subclass__(cls, **more): Registered.kinds.append((cls.__name__, sorted(vars(cls)), more))
class Third(Registered, kind='x'):
    def reset(self): return 0
    def step(self, action): return 0, 1.0, False, {}
print(play(Game()), play(Other()), play(Third()), Meta.made, Registered.kinds)
