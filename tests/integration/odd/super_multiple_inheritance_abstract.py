def play(game, steps=300):
    seen = [repr(game.reset())]
    for number in range(steps):
        result = game.step(number)
        if number in (0, 1, 40, 41, 255, 296):
            seen.append(type(result).__name__)
    return seen

import abc
class Base(abc.ABC):
    def reset(self): return 'base'
    @abc.abstractmethod
    def step(self, action): return [action]
class Left(Base):
    def step(self, action): return ['left', *super().step(action)]
class Right(Base):
    def step(self, action): return ['right', *super().step(action)]
class Both(Left, Right):
    def step(self, action): return ('both', *super().step(action), False)
    def reset(self): return super().reset() + '!'
print(Both().step(1), Both().step(2), play(Both()), Both.__mro__, Both.__abstractmethods__, Base.__abstractmethods__)
try: Base()
except TypeError as error: print(error)
