"""Learn to fight a hex battle: three units against three that wander."""

import random
from collections import deque

import numpy as np
from agent import learn

SIZE = 8
NEIGHBOURS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))


def path_lengths(walls, occupied, start):  # fault
    """Steps from a cell to every cell that can be reached."""
    lengths = {start: 0}
    queue = deque([start])
    while queue:
        column, row = queue.popleft()
        for columns, rows in NEIGHBOURS:
            cell = (column + columns, row + rows)
            if cell in lengths or cell in walls or not (0 <= cell[0] < SIZE and 0 <= cell[1] < SIZE):
                continue
            lengths[cell] = lengths[column, row] + 1
            if cell not in occupied:
                queue.append(cell)
    return lengths


class Unit:
    def __init__(self, cell):
        self.cell = cell
        self.health = 6


class HexBattle:
    n_actions = 18

    def __init__(self):
        self.random = random.Random(3)

    def reset(self):
        cells = [(column, row) for column in range(SIZE) for row in range(SIZE)]
        self.random.shuffle(cells)
        self.walls = frozenset(cells[6:16])
        self.units = [Unit(cell) for cell in cells[:3]]
        self.enemies = [Unit(cell) for cell in cells[3:6]]
        self.turns = 0
        return self.observe()

    def occupied(self):
        return frozenset(unit.cell for unit in self.units + self.enemies)

    def observe(self):
        values = []
        for unit in self.units + self.enemies:
            values += (unit.cell[0] / SIZE, unit.cell[1] / SIZE, unit.health / 6)
        occupied = self.occupied()
        for unit in self.units:
            for enemy in self.enemies:
                lengths = path_lengths(self.walls, occupied, unit.cell)
                values.append(lengths.get(enemy.cell, 40) / 40)
        return np.array(values, np.float32)

    def enemy_turn(self):
        for enemy in self.enemies:
            self.wander(enemy)
            for unit in self.units:
                away = abs(unit.cell[0] - enemy.cell[0]) + abs(unit.cell[1] - enemy.cell[1])
                if away <= 1 and self.random.random() < 0.2:
                    unit.health -= 1

    def wander(self, enemy):
        column, row = enemy.cell
        cells = [(column + columns, row + rows) for columns, rows in NEIGHBOURS]
        inside = [cell for cell in cells if 0 <= min(cell) <= max(cell) < SIZE]
        occupied = self.occupied()
        free = [cell for cell in inside if cell not in occupied and cell not in self.walls]
        if free:
            enemy.cell = self.random.choice(free)

    def step(self, action):
        unit = self.units[action // 6]
        columns, rows = NEIGHBOURS[action % 6]
        cell = (unit.cell[0] + columns, unit.cell[1] + rows)
        reward = 0.0
        for enemy in self.enemies:
            if enemy.cell == cell:
                enemy.health -= 2
                reward = 1.0
        free = cell not in self.walls and cell not in self.occupied()
        if free and 0 <= min(cell) <= max(cell) < SIZE:
            unit.cell = cell
        self.enemy_turn()
        self.turns += 1
        lost = any(unit.health <= 0 for unit in self.units)
        won = any(enemy.health <= 0 for enemy in self.enemies)
        return self.observe(), reward, lost or won or self.turns >= 60, {}


if __name__ == "__main__":
    learn(HexBattle(), seconds=4.0)
