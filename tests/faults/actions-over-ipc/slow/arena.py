"""A grid with walls: reach the goal. Moves into walls are illegal."""

import gymnasium as gym
import numpy as np


class ArenaEnv(gym.Env):
    """One agent, one goal, and a map that stays the same."""

    def __init__(self, size: int = 28) -> None:
        self.size = size
        self.observation_space = gym.spaces.Box(-1.0, 1.0, (8,), np.float32)
        self.action_space = gym.spaces.Discrete(4)
        rng = np.random.default_rng(1)
        self.open = [[bool(rng.random() > 0.15) for _ in range(size)] for _ in range(size)]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.position = (1, 1)
        self.goal = (self.size - 2, self.size - 2)
        self.open[1][1] = self.open[self.size - 2][self.size - 2] = True
        self.turn = 0
        self.distance = self.path_length()
        return self.features(), {}

    def step(self, action):
        dx, dy = ((0, 1), (0, -1), (1, 0), (-1, 0))[int(action)]
        x, y = self.position[0] + dx, self.position[1] + dy
        if 0 <= x < self.size and 0 <= y < self.size and self.open[x][y]:
            self.position = (x, y)
        self.turn += 1
        before, self.distance = self.distance, self.path_length()
        reward = float(before - self.distance) / self.size
        return self.features(), reward, self.position == self.goal, self.turn >= 200, {}

    def path_length(self):
        """Steps from the agent to the goal, by breadth-first search over the whole map."""
        seen = {self.position: 0}
        frontier = [self.position]
        while frontier:
            following = []
            for x, y in frontier:
                steps = seen[x, y] + 1
                for cell in ((x, y + 1), (x, y - 1), (x + 1, y), (x - 1, y)):
                    if cell in seen or not (0 <= cell[0] < self.size and 0 <= cell[1] < self.size):
                        continue
                    if self.open[cell[0]][cell[1]]:
                        seen[cell] = steps
                        following.append(cell)
            frontier = following
        return seen.get(self.goal, self.size * 2)

    def action_masks(self):
        """Which of the four moves are possible here."""
        x, y = self.position
        cells = ((x, y + 1), (x, y - 1), (x + 1, y), (x - 1, y))
        return np.array([0 <= a < self.size and 0 <= b < self.size and self.open[a][b] for a, b in cells])

    def sample_action(self):
        """A legal move, at random."""
        return int(self.np_random.choice(np.flatnonzero(self.action_masks())))

    def features(self):
        row = np.zeros(8, np.float32)
        row[0] = self.position[0] / self.size
        row[1] = self.position[1] / self.size
        row[2] = self.goal[0] / self.size
        row[3] = self.goal[1] / self.size
        row[4] = min(1.0, self.distance / (2 * self.size))
        row[5] = min(1.0, self.turn / 200)
        return row
