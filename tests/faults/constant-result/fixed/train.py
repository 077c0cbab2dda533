"""Learn to fight on an open plain: units shoot at the enemies they see."""

import math
import random

import numpy as np
from agent import learn

SIZE = 24
UNITS = 5


class Battle:
    n_actions = 4 * UNITS

    def __init__(self, opaque=()):
        self.random = random.Random(3)
        self.opaque = frozenset(opaque)

    def reset(self):
        cells = [(x, y) for x in range(SIZE) for y in range(SIZE)]
        chosen = self.random.sample(cells, 2 * UNITS)
        self.units, self.enemies = chosen[:UNITS], chosen[UNITS:]
        self.health = [8] * UNITS
        self.turns = 0
        return self.observe()

    def has_line_of_sight(self, start, end):
        distance = max(abs(end[0] - start[0]), abs(end[1] - start[1]))
        for i in range(1, distance):
            x = start[0] + round(i * (end[0] - start[0]) / distance)
            y = start[1] + round(i * (end[1] - start[1]) / distance)
            if (x, y) in self.opaque:
                return False
        return True

    def observe(self):
        values = [coordinate / SIZE for cell in self.units + self.enemies for coordinate in cell]
        for unit in self.units:
            near = sorted(math.dist(unit, enemy) for enemy in self.enemies)
            values += [distance / SIZE for distance in near]
        return np.array(values + [health / 8 for health in self.health], np.float32)

    def enemies_shoot(self):
        hurt = 0.0
        for place, enemy in enumerate(self.enemies):
            seen = []
            for index, unit in enumerate(self.units):
                if (not self.opaque or self.has_line_of_sight(enemy, unit)) and self.health[index] > 0:
                    seen.append((math.dist(enemy, unit), index))
            if not seen:
                continue
            distance, target = min(seen)
            if distance < 6:
                self.health[target] -= 1
                hurt += 0.1
            else:
                unit = self.units[target]
                step = [(unit[i] > enemy[i]) - (unit[i] < enemy[i]) for i in (0, 1)]
                self.enemies[place] = (enemy[0] + step[0], enemy[1] + step[1])
        return hurt

    def step(self, action):
        index, direction = divmod(action, 4)
        x, y = self.units[index]
        dx, dy = ((1, 0), (-1, 0), (0, 1), (0, -1))[direction]
        self.units[index] = (min(SIZE - 1, max(0, x + dx)), min(SIZE - 1, max(0, y + dy)))
        reward = 0.1 - self.enemies_shoot()
        self.turns += 1
        return self.observe(), reward, max(self.health) <= 0 or self.turns >= 80, {}


if __name__ == "__main__":
    learn(Battle(), seconds=4.0)
