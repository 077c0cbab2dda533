"""Learn to walk to the exit of a cave: the observation has the length of the way."""

import random

import numpy as np
from agent import learn

SIZE = 18
MOVES = ((1, 0), (-1, 0), (0, 1), (0, -1))


class Cave:
    n_actions = 4

    def __init__(self):
        self.random = random.Random(5)

    def reset(self):
        cells = [(column, row) for column in range(SIZE) for row in range(SIZE)]
        self.rocks = set(self.random.sample(cells, 50))
        free = [cell for cell in cells if cell not in self.rocks]
        self.hero, self.exit = self.random.sample(free, 2)
        self.turns = 0
        return self.observe()

    def flood(self, start):
        """All cells that can be reached, the nearest first."""
        reached = [start]
        queue = [start]
        while queue:
            column, row = queue.pop(0)
            for columns, rows in MOVES:
                cell = (column + columns, row + rows)
                if not (0 <= cell[0] < SIZE and 0 <= cell[1] < SIZE) or cell in self.rocks:
                    continue
                if cell not in reached:  # fault
                    reached.append(cell)
                    queue.append(cell)
        return reached

    def observe(self):
        reached = self.flood(self.hero)
        values = [self.hero[0] / SIZE, self.hero[1] / SIZE, self.exit[0] / SIZE, self.exit[1] / SIZE]
        values += [len(reached) / SIZE**2, self.turns / 50]
        return np.array(values, np.float32)

    def step(self, action):
        columns, rows = MOVES[action]
        cell = (self.hero[0] + columns, self.hero[1] + rows)
        if min(cell) >= 0 and max(cell) < SIZE and cell not in self.rocks:
            self.hero = cell
        self.turns += 1
        out = self.hero == self.exit
        return self.observe(), float(out), out or self.turns >= 50, {}


if __name__ == "__main__":
    learn(Cave(), seconds=4.0)
