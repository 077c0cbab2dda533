from time import perf_counter

import gymnasium as gym
import numpy as np

from dungeon import CLK, VIEW


class OneHotView(gym.ObservationWrapper):
    """dict -> flat float vector (9 planes of what is lit + stats)"""

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = gym.spaces.Box(-1, 1, (9 * VIEW * VIEW + 4,), np.float32)

    def observation(self, obs):
        t = perf_counter()
        planes = np.zeros((9, VIEW, VIEW), np.float32)
        for r in range(VIEW):
            for c in range(VIEW):
                planes[obs["view"][r, c], r, c] = 1.0
        out = np.concatenate([planes.ravel(), obs["stats"]])
        CLK["env.observe"] += perf_counter() - t
        return out


class Curiosity(gym.Wrapper):
    """bonus for newly lit cells + walking closer to whatever is the next goal"""

    def _goal_distance(self):
        e = self.env.unwrapped
        goal = np.argwhere(e.grid == (3 if e.has_key else 2))
        if len(goal) == 0:
            return 0
        return int(e._distances(int(goal[0][1]), int(goal[0][0]))[e.y, e.x])

    def reset(self, **kw):
        obs, info = self.env.reset(**kw)
        t = perf_counter()
        self.last, self.key = self._goal_distance(), False
        CLK["env.reset"] += perf_counter() - t
        return obs, info

    def step(self, action):
        obs, rew, term, trunc, info = self.env.step(action)
        t = perf_counter()
        e = self.env.unwrapped
        d = self._goal_distance()
        if e.has_key == self.key:
            rew += 0.03 * (self.last - d)
        self.last, self.key = d, e.has_key
        rew += 0.005 * e.new_cells
        CLK["env.reward"] += perf_counter() - t
        return obs, rew, term, trunc, info
