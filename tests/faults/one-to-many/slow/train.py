"""Learn to lead a company through a wood: the observation has the ways to all enemies."""

import random
from collections import deque

import numpy as np
from agent import learn

SIZE = 9
MOVES = ((1, 0), (-1, 0), (0, 1), (0, -1))


def path_length(trees, start, goal):  # fault
    """Steps from one cell to another one around all trees; 40 if there is no way."""
    lengths = {start: 0}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        for columns, rows in MOVES:
            cell = (here[0] + columns, here[1] + rows)
            if cell in lengths or cell in trees or not (0 <= cell[0] < SIZE and 0 <= cell[1] < SIZE):
                continue
            lengths[cell] = lengths[here] + 1
            queue.append(cell)
    return lengths.get(goal, 40)


class Wood:
    n_actions = 4

    def __init__(self):
        self.random = random.Random(11)

    def reset(self):
        cells = [(column, row) for column in range(SIZE) for row in range(SIZE)]
        self.planted = self.random.sample(cells, 12)
        self.trees = frozenset(self.planted)
        free = [cell for cell in cells if cell not in self.trees]
        places = self.random.sample(free, 8)
        self.company, self.enemies = places[:2], places[2:]
        self.turns = 0
        return self.observe()

    def observe(self):
        values = []
        for one in self.company:
            values += (one[0] / SIZE, one[1] / SIZE)
            for enemy in self.enemies:
                values.append(path_length(self.trees, one, enemy) / 40)
        return np.array(values, np.float32)

    def wander(self, cell):
        columns, rows = self.random.choice(MOVES)
        target = (cell[0] + columns, cell[1] + rows)
        inside = 0 <= target[0] < SIZE and 0 <= target[1] < SIZE
        return target if inside and target not in self.trees else cell

    def step(self, action):
        columns, rows = MOVES[action]
        leader = self.company[0]
        target = (leader[0] + columns, leader[1] + rows)
        if 0 <= target[0] < SIZE and 0 <= target[1] < SIZE and target not in self.trees:
            self.company[0] = target
        self.company[1] = self.wander(self.company[1])
        self.enemies = [self.wander(enemy) for enemy in self.enemies]
        self.planted[self.turns % 12] = (self.random.randrange(SIZE), self.random.randrange(SIZE))
        self.trees = frozenset(self.planted)  # one tree falls, another one grows
        self.turns += 1
        caught = self.company[0] in self.enemies
        return self.observe(), float(not caught), caught or self.turns >= 40, {}


if __name__ == "__main__":
    learn(Wood(), seconds=5.0)
