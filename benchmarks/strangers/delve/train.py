"""PPO goes down the dungeon.   python train.py"""
import json
import os
import time

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.vec_env import DummyVecEnv

from delve_env import DelveEnv
from laps import Laps

SECONDS = float(os.environ.get("WILD_SECONDS", 20))
N_ENVS = 4
laps = Laps()


class LapPolicy(ActorCriticPolicy):
    def forward(self, obs, deterministic=False):
        with laps.of("act"):
            return super().forward(obs, deterministic)

    def predict_values(self, obs):
        with laps.of("learn.returns"):
            return super().predict_values(obs)


class LapBuffer(RolloutBuffer):
    batches = 0

    def add(self, *a, **kw):
        with laps.of("replay.add"):
            super().add(*a, **kw)

    def compute_returns_and_advantage(self, *a, **kw):
        with laps.of("learn.returns"):
            super().compute_returns_and_advantage(*a, **kw)

    def _get_samples(self, *a, **kw):
        with laps.of("replay.sample"):
            LapBuffer.batches += 1
            return super()._get_samples(*a, **kw)


class LapPPO(PPO):
    def train(self):
        with laps.of("learn.*"):
            super().train()

    def dump_logs(self, *a, **kw):
        with laps.of("log"):
            super().dump_logs(*a, **kw)


class Diary(BaseCallback):
    """Counts, looks at the clock, saves, and tests the hero now and then."""

    def __init__(self, test_every=6, save_every=5):
        super().__init__()
        self.test_every, self.save_every = test_every, save_every
        self.steps = self.episodes = self.rollouts = 0
        self.depths = []
        self.test_env = DelveEnv(seed=999)

    def _on_training_start(self):
        self.deadline = laps.t_start + SECONDS

    def _on_step(self):
        self.steps += self.training_env.num_envs
        for info in self.locals["infos"]:
            if "episode" in info:
                self.episodes += 1
                self.depths.append(info["depth"])
        return time.perf_counter() < self.deadline

    def _on_rollout_end(self):
        self.rollouts += 1
        if self.depths:
            self.logger.record("delve/depth", sum(self.depths[-50:]) / len(self.depths[-50:]))
        if self.rollouts % self.test_every == 0:
            with laps.of("eval"):
                self.logger.record("delve/test_depth", self.test())
        if self.rollouts % self.save_every == 0:
            with laps.of("checkpoint"):
                self.model.save("delve_last.zip")

    def test(self, games=2):
        total = 0
        for g in range(games):
            obs, _ = self.test_env.reset(seed=g)
            done = False
            while not done:
                a, _ = self.model.predict(obs, deterministic=False)
                obs, _, term, trunc, info = self.test_env.step(a)
                done = term or trunc
            total += info["depth"]
        return total / games


def main():
    torch.set_num_threads(1)
    venv = DummyVecEnv([lambda i=i: Monitor(DelveEnv(seed=i, laps=laps)) for i in range(N_ENVS)])
    model = LapPPO(LapPolicy, venv, n_steps=128, batch_size=128, n_epochs=4, learning_rate=3e-4, ent_coef=0.01,
                   rollout_buffer_class=LapBuffer, policy_kwargs=dict(net_arch=[128, 64]), verbose=1, device="cpu")
    diary = Diary()
    laps.start()
    model.learn(total_timesteps=10 ** 9, callback=diary)
    laps.stop()

    truth = {"wall_seconds": laps.wall, "stages": dict(laps.totals), "env_steps": diary.steps,
             "episodes": diary.episodes, "updates": LapBuffer.batches}
    for k, v in sorted(laps.totals.items(), key=lambda kv: -kv[1]):
        print(f"{k:16s}{v:8.2f}s {100 * v / laps.wall:5.1f}%")
    path = os.environ.get("WILD_TRUTH")
    if path:
        with open(path, "w") as f:
            json.dump(truth, f, indent=1)


if __name__ == "__main__":
    main()
