"""Learn to walk over a field: positions that were seen before are known by a text of the field."""

import random

import numpy as np
from agent import learn

SIZE = 64
MOVES = ((1, 0), (-1, 0), (0, 1), (0, -1))


class Field:
    n_actions = 4

    def __init__(self):
        self.random = random.Random(5)

    def reset(self):
        self.cells = [self.random.choice("abcdefgh") for _ in range(SIZE * SIZE)]
        self.hero = (SIZE // 2, SIZE // 2)
        self.turns = 0
        self.seen = {}
        return self.observe()

    def as_text(self):
        """The field from its end to its beginning, as saved games have it."""
        return ",".join(reversed(self.cells)) + ","

    def observe(self):
        text = self.as_text()
        times = self.seen[text] = self.seen.get(text, 0) + 1
        return np.array([self.hero[0] / SIZE, self.hero[1] / SIZE, times / 9, self.turns / 50], np.float32)

    def step(self, action):
        columns, rows = MOVES[action]
        cell = (self.hero[0] + columns, self.hero[1] + rows)
        if min(cell) >= 0 and max(cell) < SIZE:
            self.hero = cell
        place = self.hero[1] * SIZE + self.hero[0]
        found, self.cells[place] = self.cells[place], "z"
        self.turns += 1
        return self.observe(), float(found == "a"), self.turns >= 50, {}


if __name__ == "__main__":
    learn(Field(), seconds=5.0)
