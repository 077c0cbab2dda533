"""Learn a hex skirmish; a compiled kernel computes its distances."""

import random

import numba
import numpy as np
from agent import learn

SIZE = 15
UNITS = 10


@numba.njit(cache=True)
def hex_distance(first, second):
    columns, rows = second[0] - first[0], second[1] - first[1]
    return (abs(columns) + abs(rows) + abs(columns + rows)) // 2


class Skirmish:
    n_actions = 4 * UNITS

    def __init__(self):
        self.rng = np.random.default_rng(3)
        self.random = random.Random(3)

    def reset(self):
        self.ours = self.rng.integers(0, SIZE, (UNITS, 2))
        self.theirs = self.rng.integers(0, SIZE, (UNITS, 2))
        self.turns = 0
        return self.observe()

    def distances(self):
        table = np.zeros((UNITS, UNITS))
        for i in range(UNITS):
            for j in range(UNITS):
                table[i, j] = hex_distance(self.ours[i], self.theirs[j])  # fault
        return table

    def observe(self):
        self.table = self.distances()
        parts = [self.ours.ravel(), self.theirs.ravel(), self.table.min(0), self.table.min(1)]
        return np.concatenate(parts).astype(np.float32) / SIZE

    def enemy_turn(self):
        for place, nearest in enumerate(self.table.argmin(0).tolist()):
            if self.random.random() < 0.5:
                enemy, goal = self.theirs[place].tolist(), self.ours[nearest].tolist()
                axis = self.random.randrange(2)
                enemy[axis] += (goal[axis] > enemy[axis]) - (goal[axis] < enemy[axis])
                self.theirs[place] = enemy

    def step(self, action):
        unit, direction = divmod(action, 4)
        dx, dy = ((1, 0), (-1, 0), (0, 1), (0, -1))[direction]
        x, y = self.ours[unit]
        self.ours[unit] = min(SIZE - 1, max(0, x + dx)), min(SIZE - 1, max(0, y + dy))
        self.enemy_turn()
        self.turns += 1
        obs = self.observe()
        return obs, float(self.table.min() > 1), self.turns >= 60, {}


if __name__ == "__main__":
    learn(Skirmish(), seconds=4.0)
