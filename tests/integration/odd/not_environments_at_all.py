def play(game, steps=300):
    seen = [repr(game.reset())]
    for number in range(steps):
        result = game.step(number)
        if number in (0, 1, 40, 41, 255, 296):
            seen.append(type(result).__name__)
    return seen

import functools
class Scheduler:
    def reset(self): self.rate = 1.0
    def step(self, epoch): self.rate /= 2; return self.rate
class Sequencer:
    def __init__(self): self.beat = 0
    def reset(self): self.beat = 0
    def step(self): self.beat += 1; return 'note'
class Properties:
    reset = property(lambda self: 1)
    step = property(lambda self: 2)
class Statics:
    @staticmethod
    def reset(*given): return given
    @staticmethod
    def step(action): return action, 1.0, False, {}
class Classes:
    @classmethod
    def reset(cls): return cls.__name__
    @classmethod
    def step(cls, action): return cls.__name__, 1.0, False, {}
class Partial:
    def _step(self, how, action): return how, action
    step = functools.partialmethod(_step, 'partly')
    def reset(self): return 0
class Cached:
    @functools.lru_cache
    def step(self, action): return action, 0, False, {}
    def reset(self): return 0
class Descriptor:
    def __get__(self, owner, kind): return lambda action: (action, kind.__name__)
class Described:
    step = Descriptor()
    def reset(self): return 0
class Called:
    class step:
        def __init__(self, action): self.action = action
    def reset(self): return 0
for kind in (Scheduler, Statics, Classes, Partial, Cached, Described, Called):
    print(kind.__name__, play(kind(), 45))
sequencer = Sequencer()
print([sequencer.step() for _ in range(3)], Properties().step, Cached.step.cache_info(), Statics.step(4))
