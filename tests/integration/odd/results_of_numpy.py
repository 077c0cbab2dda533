def play(game, steps=300):
    seen = [repr(game.reset())]
    for number in range(steps):
        result = game.step(number)
        if number in (0, 1, 40, 41, 255, 296):
            seen.append(type(result).__name__)
    return seen

import numpy as np
def made(*result):
    class Game:
        def reset(self): return 0
        def step(self, action): return result
    return Game()
for done in (np.bool_(True), np.array(True), np.array([True, False]), np.zeros((2, 2), bool), np.array([1.5]),
             np.array(['a']), np.array([None], dtype=object), np.ma.masked_array([True], [True]),
             np.zeros(4, bool)[::2], np.zeros(0, bool)):
    print(play(made(0, 1.0, done, done, {}), 45), play(made(0, 1.0, done), 45), done)
