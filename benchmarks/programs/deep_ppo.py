"""Stable-Baselines3's PPO on CartPole with a wrapper of the user's own.

    python deep_ppo.py SECONDS

Prints its steps and its CPU seconds as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import gymnasium
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import DummyVecEnv


class Shaped(gymnasium.Wrapper):  # type: ignore[misc]
    def bonus(self, observation: Any) -> float:
        return float(sum(abs(value) for value in observation.tolist()))

    def step(self, action: Any) -> Any:
        observation, reward, ended, cut, info = self.env.step(action)
        return observation, reward - 0.01 * self.bonus(observation), ended, cut, info


class Until(BaseCallback):  # type: ignore[misc]
    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds

    def _on_training_start(self) -> None:
        self.end, self.cpu = time.monotonic() + self.seconds, time.process_time()

    def _on_step(self) -> bool:
        return time.monotonic() < self.end


def main(seconds: float) -> None:
    torch.set_num_threads(1)
    until = Until(seconds)
    env = DummyVecEnv([lambda: Shaped(gymnasium.make("CartPole-v1"))] * 4)
    model = PPO("MlpPolicy", env, n_steps=64, n_epochs=4, seed=1)
    model.learn(10**9, callback=until)
    print(json.dumps({"steps": model.num_timesteps, "cpu": time.process_time() - until.cpu}))


if __name__ == "__main__":
    main(float(sys.argv[1]))
