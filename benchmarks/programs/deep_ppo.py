"""Stable-Baselines3's PPO on CartPole with the user's own wrapper."""

from __future__ import annotations

from typing import Any

import gymnasium
import torch
from clocks import Truth, program_arguments
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
    def __init__(self, truth: Truth) -> None:
        super().__init__()
        self.truth = truth

    def _on_rollout_start(self) -> None:
        if not self.num_timesteps:
            self.truth.keep_going()  # start-up ends here

    def _on_step(self) -> bool:
        return self.truth.keep_going()


def main() -> None:
    args = program_arguments("PPO on CartPole").parse_args()
    torch.set_num_threads(1)
    until = Until(Truth("deep_ppo", args.seconds, args.steps))
    env = DummyVecEnv([lambda: Shaped(gymnasium.make("CartPole-v1"))] * 4)
    model = PPO("MlpPolicy", env, n_steps=16, n_epochs=4, seed=args.seed)
    model.learn(10**9, callback=until)


if __name__ == "__main__":
    main()
