"""Learn to find gold in a wide cave: few of its cells hold anything."""

import random

import numpy as np
from agent import learn

SIZE = 60
REACH = 12
MOVES = ((1, 0), (-1, 0), (0, 1), (0, -1))


class Cave:
    n_actions = 4

    def __init__(self):
        self.random = random.Random(5)

    def reset(self):
        cells = [(column, row) for column in range(SIZE) for row in range(SIZE)]
        self.gold = {cell: self.random.randrange(1, 5) for cell in self.random.sample(cells, 200)}
        self.hero = (SIZE // 2, SIZE // 2)
        self.turns = 0
        return self.observe()

    def gold_around(self):
        """What lies in each quarter around the hero."""
        quarters = [0, 0, 0, 0]
        column, row = self.hero
        for columns in range(-REACH, REACH + 1):
            for rows in range(-REACH, REACH + 1):
                try:
                    found = self.gold[column + columns, row + rows]
                except KeyError:  # fault
                    found = 0
                quarters[2 * (columns > 0) + (rows > 0)] += found
        return quarters

    def observe(self):
        quarters = [found / 50 for found in self.gold_around()]
        return np.array([self.hero[0] / SIZE, self.hero[1] / SIZE, *quarters], np.float32)

    def step(self, action):
        columns, rows = MOVES[action]
        cell = (self.hero[0] + columns, self.hero[1] + rows)
        if min(cell) >= 0 and max(cell) < SIZE:
            self.hero = cell
        self.turns += 1
        return self.observe(), float(self.gold.pop(self.hero, 0)), self.turns >= 50, {}


if __name__ == "__main__":
    learn(Cave(), seconds=5.0)
