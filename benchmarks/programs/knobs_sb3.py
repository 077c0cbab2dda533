"""Stable-Baselines3, untouched: PPO on SubprocVecEnv, one game per worker."""

from __future__ import annotations

import functools

from hill_env import HillEnv
from knobs_loop import Speed, knobs, warm_up_torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import SubprocVecEnv


class UntilTimeIsUp(BaseCallback):
    def __init__(self, speed: Speed, envs: int) -> None:
        super().__init__()
        self.speed, self.envs = speed, envs

    def _on_step(self) -> bool:
        return self.speed.going_on(self.envs)


def main() -> None:
    args = knobs("PPO on SubprocVecEnv", envs=2, step_us=4000.0, epochs=4, rollout=128)
    warm_up_torch()
    vec_env = SubprocVecEnv([functools.partial(HillEnv, i, args.step_us) for i in range(args.envs)])
    n_steps = args.rollout // args.envs
    model = PPO(
        "MlpPolicy", vec_env, n_steps=n_steps, batch_size=32, n_epochs=args.epochs, device="cpu", seed=3
    )
    speed = Speed(args.seconds)
    model.learn(total_timesteps=10**9, callback=UntilTimeIsUp(speed, args.envs))
    speed.tell()
    vec_env.close()


if __name__ == "__main__":
    main()
