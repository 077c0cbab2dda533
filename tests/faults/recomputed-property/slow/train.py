"""Learn to chase: hunters with a reach that depends on the walls around them."""

import random

import numpy as np
from agent import learn

SIZE = 14
MOVES = ((1, 0), (-1, 0), (0, 1), (0, -1))


class Hunter:
    def __init__(self, walls, cell, speed):
        self.walls = walls
        self.speed = speed
        self.cell = cell

    def move_to(self, cell):
        self.cell = cell

    @property  # fault
    def reach(self):  # fault
        """Cells that it can reach in one turn."""
        reached = {self.cell}
        border = [self.cell]
        for _ in range(self.speed):
            after = []
            for x, y in border:
                for dx, dy in MOVES:
                    cell = (x + dx, y + dy)
                    if cell not in reached and cell not in self.walls and 0 <= min(cell) <= max(cell) < SIZE:
                        reached.add(cell)
                        after.append(cell)
            border = after
        return reached


class Chase:
    n_actions = 4

    def __init__(self):
        self.random = random.Random(3)

    def reset(self):
        cells = [(x, y) for x in range(SIZE) for y in range(SIZE)]
        self.random.shuffle(cells)
        self.walls = frozenset(cells[:20])
        self.player = cells[20]
        self.hunters = [Hunter(self.walls, cell, 2) for cell in cells[21:24]]
        self.turns = 0
        return self.observe()

    def observe(self):
        x, y = self.player
        values = [x / SIZE, y / SIZE]
        for hunter in self.hunters:
            values += [(hunter.cell[0] - x) / SIZE, (hunter.cell[1] - y) / SIZE, len(hunter.reach) / 20]
            values += [(x + dx, y + dy) in hunter.reach for dx, dy in MOVES]
        return np.array(values, np.float32)

    def hunt(self, hunter):
        goal = self.player
        best = min(sorted(hunter.reach), key=lambda cell: abs(cell[0] - goal[0]) + abs(cell[1] - goal[1]))
        hunter.move_to(best)
        return best == goal

    def step(self, action):
        x, y = self.player[0] + MOVES[action][0], self.player[1] + MOVES[action][1]
        if (x, y) not in self.walls and 0 <= x < SIZE and 0 <= y < SIZE:
            self.player = (x, y)
        self.turns += 1
        caught = False
        for hunter in self.hunters:
            if self.random.random() < 0.1:
                caught = self.hunt(hunter) or caught
        return self.observe(), -1.0 if caught else 0.1, caught or self.turns >= 100, {}


if __name__ == "__main__":
    learn(Chase(), seconds=4.0)
