"""Learn to settle on an island: the observation has how good each place is."""

import random

import numpy as np
from agent import learn

SIZE = 10
MOVES = ((1, 0), (-1, 0), (0, 1), (0, -1))


class Island:
    n_actions = 4

    def __init__(self):
        self.random = random.Random(7)

    def reset(self):
        cells = [(column, row) for column in range(SIZE) for row in range(SIZE)]
        self.wells = self.random.sample(cells, 6)
        self.worth = [self.random.random() for _ in self.wells]
        self.settler = self.random.choice(cells)
        self.turns = 0
        return self.observe()

    def influence(self):
        """How much water each place has, from all wells."""
        water = []
        for column in range(SIZE):
            for row in range(SIZE):
                total = 0.0
                for (well_column, well_row), worth in zip(self.wells, self.worth, strict=True):
                    away = abs(well_column - column) + abs(well_row - row)
                    total += worth / (1.0 + away * away)  # fault
                water.append(total)
        return water

    def observe(self):
        water = self.influence()
        here = water[self.settler[0] * SIZE + self.settler[1]]
        values = [self.settler[0] / SIZE, self.settler[1] / SIZE, here, max(water), self.turns / 40]
        return np.array(values, np.float32)

    def step(self, action):
        columns, rows = MOVES[action]
        cell = (self.settler[0] + columns, self.settler[1] + rows)
        if min(cell) >= 0 and max(cell) < SIZE:
            self.settler = cell
        place = self.random.randrange(len(self.wells))
        self.worth[place] *= 0.9 + 0.2 * self.random.random()
        self.turns += 1
        obs = self.observe()
        return obs, float(obs[2]), self.turns >= 40, {}


if __name__ == "__main__":
    learn(Island(), seconds=4.0)
