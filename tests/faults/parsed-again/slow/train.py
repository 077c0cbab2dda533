"""Learn to cross an island: its map and its units are in files."""

import csv
import random
from pathlib import Path

import numpy as np
from agent import learn

HERE = Path(__file__).parent
SIZE = 180
MOVES = ((1, 0), (-1, 0), (0, 1), (0, -1))


def read_island(folder):
    """The map as costs of cells (0 for rock), and the speed of the fastest unit."""
    cells = {}
    for row, line in enumerate((folder / "island.map").read_text().splitlines()):  # fault
        for column, sign in enumerate(line.strip()):
            cells[column, row] = {"#": 0, ".": 1}[sign]
    with (folder / "units.csv").open() as file:
        speeds = [int(row["speed"]) for row in csv.DictReader(file)]
    return cells, max(speeds)


class Island:
    n_actions = 4

    def __init__(self):
        self.random = random.Random(5)

    def reset(self):
        self.cells, self.speed = read_island(HERE)
        self.place = (SIZE // 2, SIZE // 2)
        self.goal = (self.random.randrange(SIZE), self.random.randrange(SIZE))
        self.turns = 0
        return self.observe()

    def observe(self):
        column, row = self.place
        near = [self.cells.get((column + i, row + j), 0) for i in range(-4, 5) for j in range(-4, 5)]
        return np.array(
            [column / SIZE, row / SIZE, self.goal[0] / SIZE, self.goal[1] / SIZE, *near], np.float32
        )

    def step(self, action):
        columns, rows = MOVES[action]
        for _ in range(self.speed):
            cell = (self.place[0] + columns, self.place[1] + rows)
            if self.cells.get(cell, 0):
                self.place = cell
        self.turns += 1
        near = abs(self.place[0] - self.goal[0]) + abs(self.place[1] - self.goal[1])
        return self.observe(), -near / SIZE, near < 3 or self.turns >= 30, {}


if __name__ == "__main__":
    learn(Island(), seconds=5.0)
