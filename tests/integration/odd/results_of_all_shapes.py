def play(game, steps=300):
    seen = [repr(game.reset())]
    for number in range(steps):
        result = game.step(number)
        if number in (0, 1, 40, 41, 255, 296):
            seen.append(type(result).__name__)
    return seen

import collections, dataclasses
Point = collections.namedtuple('Point', 'state reward done info')
@dataclasses.dataclass
class Data:
    state: int
    done: bool
def made(result):
    class Game:
        def reset(self): return None
        def step(self, action): return result() if callable(result) else result
    return Game()
for result in (None, {}, {'done': True}, Point(1, 2.0, True, {}), Data(1, True), 3, 'text', [1, 2, 3], (), (1,),
               (1, 2), (1, 2, 3), (1, 2, None), (1, 2, 'done'), (1, 2, {}, {}, {}), lambda: iter('ab'),
               lambda: (number for number in range(3)), (1, 2, [True, 'x'], [0], {}), float('nan'), ...,
               (1, 2, [True], [False, False], {}), (0, 0, b'x', b'y', 0)):
    print(play(made(result), 45))
