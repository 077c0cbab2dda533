"""Learn a skirmish; the reward is what a turn has changed."""

import random

import numpy as np
from agent import learn

SIZE = 10
UNITS = 4


class Skirmish:
    n_actions = 4 * UNITS

    def __init__(self):
        self.random = random.Random(3)

    def reset(self):
        def army(side):
            rows = (0, 1) if side == "ours" else (SIZE - 2, SIZE - 1)
            return [
                {"cell": [self.random.randrange(SIZE), self.random.choice(rows)], "health": 5, "orders": []}
                for _ in range(UNITS)
            ]

        self.state = {"ours": army("ours"), "theirs": army("theirs"), "turn": 0}
        return self.observe()

    def observe(self):
        values = []
        for unit in self.state["ours"] + self.state["theirs"]:
            x, y = unit["cell"]
            values += [x / SIZE, y / SIZE, unit["health"] / 5]
        return np.array(values, np.float32)

    @staticmethod
    def score(state):
        return sum(unit["health"] for unit in state["ours"]) - sum(unit["health"] for unit in state["theirs"])

    def move(self, unit, dx, dy):
        x, y = unit["cell"]
        unit["cell"] = [min(SIZE - 1, max(0, x + dx)), min(SIZE - 1, max(0, y + dy))]
        unit["orders"] = [dx, dy]

    def shoot(self, side, other):
        for unit in self.state[side]:
            for target in self.state[other]:
                near = abs(unit["cell"][0] - target["cell"][0]) + abs(unit["cell"][1] - target["cell"][1])
                if near <= 2 and unit["health"] > 0 and target["health"] > 0 and self.random.random() < 0.3:
                    target["health"] -= 1

    def step(self, action):
        before = self.score(self.state)
        unit, direction = divmod(action, 4)
        self.move(self.state["ours"][unit], *((1, 0), (-1, 0), (0, 1), (0, -1))[direction])
        for enemy in self.state["theirs"]:
            self.move(enemy, self.random.choice((-1, 0, 1)), self.random.choice((-1, 0)))
        self.shoot("ours", "theirs")
        self.shoot("theirs", "ours")
        self.state["turn"] += 1
        reward = self.score(self.state) - before
        dead = any(all(u["health"] <= 0 for u in self.state[side]) for side in ("ours", "theirs"))
        return self.observe(), float(reward), dead or self.state["turn"] >= 60, {}


if __name__ == "__main__":
    learn(Skirmish(), seconds=4.0)
