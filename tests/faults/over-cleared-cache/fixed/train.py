"""Learn to sneak: guards see the player along straight lines between walls."""

import random

import numpy as np
from agent import learn

SIZE = 12
MOVES = ((1, 0), (-1, 0), (0, 1), (0, -1))


class Sneaking:
    n_actions = 4

    def __init__(self):
        self.random = random.Random(3)
        self.sight_cache = {}

    def reset(self):
        cells = [(x, y) for x in range(SIZE) for y in range(SIZE)]
        self.random.shuffle(cells)
        self.walls = frozenset(cells[:12])
        self.player = cells[12]
        self.guards = cells[13:18]
        self.posts = cells[18:23]
        self.turns = 0
        self.sight_cache.clear()
        return self.observe()

    def sees(self, start, end):
        """Whether there is no wall between two cells."""
        key = (start, end)
        if key in self.sight_cache:
            return self.sight_cache[key]
        result = True
        steps = 4 * max(abs(end[0] - start[0]), abs(end[1] - start[1]))
        for i in range(1, steps):
            x = start[0] + (end[0] - start[0]) * i / steps
            y = start[1] + (end[1] - start[1]) * i / steps
            if (round(x), round(y)) in self.walls:
                result = False
                break
        self.sight_cache[key] = result
        return result

    def observe(self):
        x, y = self.player
        values = [x / SIZE, y / SIZE]
        for guard in self.guards:
            values += [guard[0] / SIZE, guard[1] / SIZE]
            values += [self.sees(guard, post) for post in self.posts]
        return np.array(values, np.float32)

    def move_guards(self):
        for i, (x, y) in enumerate(self.guards):
            if self.random.random() < 0.2:
                dx, dy = self.random.choice(MOVES)
                cell = (x + dx, y + dy)
                if cell not in self.walls and 0 <= min(cell) <= max(cell) < SIZE:
                    self.guards[i] = cell

    def step(self, action):
        x, y = self.player[0] + MOVES[action][0], self.player[1] + MOVES[action][1]
        if (x, y) not in self.walls and 0 <= x < SIZE and 0 <= y < SIZE:
            self.player = (x, y)
        self.move_guards()
        seen = sum(self.sees(guard, self.player) for guard in self.guards)
        self.turns += 1
        return self.observe(), -0.1 * seen, self.turns >= 100, {}


if __name__ == "__main__":
    learn(Sneaking(), seconds=4.0)
