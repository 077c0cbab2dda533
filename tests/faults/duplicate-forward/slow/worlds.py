"""A small vector of point-and-target worlds in NumPy: fast, so that the learner matters."""

import numpy as np

N_OBS = 6
N_ACTIONS = 4
MOVES = np.array([(1, 0), (-1, 0), (0, 1), (0, -1)], np.float32)


class Worlds:
    """Several worlds, stepped together; those that end begin again at once."""

    def __init__(self, count):
        self.count = count
        self.rng = np.random.default_rng(3)

    def reset(self):
        self.points = self.rng.uniform(-5, 5, (self.count, 2)).astype(np.float32)
        self.targets = self.rng.uniform(-5, 5, (self.count, 2)).astype(np.float32)
        self.turns = np.zeros(self.count, np.int64)
        return self.observe()

    def observe(self):
        away = self.targets - self.points
        return np.concatenate([self.points, self.targets, away], axis=1)

    def step(self, actions):
        before = np.abs(self.targets - self.points).sum(1)
        for _ in range(6):
            self.points += MOVES[actions] / 6
            self.targets += self.rng.normal(0.0, 0.02, self.targets.shape).astype(np.float32)
            np.clip(self.points, -6.0, 6.0, out=self.points)
        after = np.abs(self.targets - self.points).sum(1)
        self.turns += 1
        done = (after < 1.0) | (self.turns >= 50)
        rewards = (before - after).astype(np.float32)
        ended = np.flatnonzero(done)
        if len(ended):
            self.points[ended] = self.rng.uniform(-5, 5, (len(ended), 2))
            self.targets[ended] = self.rng.uniform(-5, 5, (len(ended), 2))
            self.turns[ended] = 0
        return self.observe(), rewards, done, {}
