"""Learn a unit game; expressions in a configuration describe its observation."""

import random

import numpy as np
from agent import learn

FEATURES = [
    f"{weight} * ({left} - {right}) / (1 + abs({left} + {right}))"
    for weight in (0.5, 1.0)
    for left in ("x", "y", "health", "morale")
    for right in ("enemy_x", "enemy_y", "enemy_health", "turn", "fuel")
]


class UnitGame:
    n_actions = 4

    def __init__(self):
        self.random = random.Random(3)

    def reset(self):
        self.values = {name: self.random.uniform(-5, 5) for name in ("x", "y", "enemy_x", "enemy_y")}
        self.values |= {"health": 10, "enemy_health": 10, "morale": 5, "fuel": 40, "turn": 0}
        return self.observe()

    def observe(self):
        observation = np.zeros(len(FEATURES), np.float32)
        for i, text in enumerate(FEATURES):
            observation[i] = eval(text, {"abs": abs}, self.values)  # fault
        return observation

    def step(self, action):
        values = self.values
        before = abs(values["x"] - values["enemy_x"]) + abs(values["y"] - values["enemy_y"])
        dx, dy = ((1, 0), (-1, 0), (0, 1), (0, -1))[action]
        values["x"] += dx
        values["y"] += dy
        values["enemy_x"] += self.random.uniform(-0.5, 0.5)
        values["enemy_y"] += self.random.uniform(-0.5, 0.5)
        after = abs(values["x"] - values["enemy_x"]) + abs(values["y"] - values["enemy_y"])
        if after < 2:
            values["enemy_health"] -= 1
        values["fuel"] -= 1
        values["turn"] += 1
        values["morale"] += 1 if after < before else -1
        done = values["fuel"] <= 0 or values["enemy_health"] <= 0
        return self.observe(), before - after, done, {}


if __name__ == "__main__":
    learn(UnitGame(), seconds=4.0)
