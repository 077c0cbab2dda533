import gymnasium as gym
import numpy as np
from stable_baselines3.common.vec_env import VecFrameStack

from clk import clk


class HoldAct(gym.Wrapper):
    """Repeat the action for a few ticks, sum reward, cut long runs."""

    def __init__(self, env, hold=3, maxLen=300):
        super().__init__(env)
        self.hold, self.maxLen = hold, maxLen
        self.cnt = 0
        self.ret = 0.0

    def reset(self, **kw):
        self.cnt, self.ret = 0, 0.0
        return self.env.reset(**kw)

    def step(self, action):
        with clk("env.step"):
            tot = 0.0
            for _ in range(self.hold):
                obs, r, term, trunc, info = self.env.step(action)
                tot += r
                if term or trunc:
                    break
            self.cnt += 1
            self.ret += tot
            if self.cnt >= self.maxLen:
                trunc = True
            if term or trunc:
                info["ep"] = (self.ret, self.cnt)
            return obs, tot, term, trunc, info


class DustNoise(gym.ObservationWrapper):
    """Dust on the lens: a few random pixels go grey."""

    def __init__(self, env, n=12, seed=0):
        super().__init__(env)
        self.n = n
        self.g = np.random.default_rng(seed)

    def observation(self, obs):
        with clk("env.observe"):
            h, w = obs.shape[1:]
            obs = obs.copy()
            obs[0, self.g.integers(h, size=self.n), self.g.integers(w, size=self.n)] = 90
            return obs


class Stack(VecFrameStack):
    def step_wait(self):
        obs, rew, dones, infos = self.venv.step_wait()
        with clk("env.observe"):
            obs, infos = self.stacked_obs.update(obs, dones, infos)
        return obs, rew, dones, infos

    def reset(self):
        obs = self.venv.reset()
        with clk("env.observe"):
            return self.stacked_obs.reset(obs)
