import json, os, time

import torch
from torch import nn
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from hexenv import HexEnv
from tapes import TapeVec, clock, sort_out

N = 9
WORKERS = 4
LIMIT = float(os.getenv("WILD_SECONDS", "20"))


def maker(i):
    def make():
        torch.set_num_threads(1)
        return HexEnv(N, seed=100 + i)
    return make


class LittleConv(BaseFeaturesExtractor):
    def __init__(self, space, features_dim=96):
        super().__init__(space, features_dim)
        self.body = nn.Sequential(nn.Conv2d(5, 16, 3, padding=1), nn.ReLU(),
                                  nn.Conv2d(16, 16, 3, padding=1), nn.ReLU(), nn.Flatten())
        self.head = nn.Sequential(nn.Linear(16 * N * N, features_dim), nn.ReLU())

    def forward(self, x):
        return self.head(self.body(x))


class Score(BaseCallback):
    def __init__(self):
        super().__init__()
        self.moves = self.games = self.wins = self.opt_steps = 0
        self.last = []

    def _on_step(self):
        self.moves += WORKERS
        for done, info in zip(self.locals["dones"], self.locals["infos"]):
            if done:
                self.games += 1
                self.last.append(info["won"])
        return time.perf_counter() - clock.t0 < LIMIT

    def _on_rollout_end(self):
        clock.enter("log")
        self.last = self.last[-200:]
        if self.last:
            print("%6.1fs  games %5d  won %.2f" % (time.perf_counter() - clock.t0, self.games,
                                                   sum(self.last) / len(self.last)), flush=True)
        clock.leave()


def main():
    torch.set_num_threads(1)
    env = TapeVec([maker(i) for i in range(WORKERS)])
    model = MaskablePPO(MaskableActorCriticPolicy, env, n_steps=64, batch_size=128, n_epochs=3, gamma=0.98,
                        ent_coef=0.01, learning_rate=5e-4, device="cpu",
                        policy_kwargs=dict(features_extractor_class=LittleConv, normalize_images=False, net_arch=[64]))
    score = Score()

    # clocks into the library
    clock.patch(model.policy, "forward", "act")
    clock.patch(model.policy, "predict_values", "learn.returns")
    clock.patch(model.rollout_buffer, "compute_returns_and_advantage", "learn.returns")
    clock.patch(model.rollout_buffer, "add", "replay.add")
    clock.patch(model.rollout_buffer, "_get_samples", "replay.sample")
    clock.patch(model, "train", "learn.*")
    clock.patch(model, "dump_logs", "log")

    def count(*_):
        score.opt_steps += 1
    model.policy.optimizer.register_step_post_hook(count)

    clock.go()
    model.learn(10 ** 9, callback=score)
    clock.halt()

    stages = dict(clock.sec)
    for k, v in sort_out(clock.waits, env.tapes).items():
        stages[k] = stages.get(k, 0.0) + v
    env.close()
    wall = clock.t1 - clock.t0
    for k in sorted(stages, key=stages.get, reverse=True):
        print("  %-14s %7.2f" % (k, stages[k]))
    if os.getenv("WILD_TRUTH"):
        json.dump({"wall_seconds": wall, "stages": stages, "env_steps": score.moves, "episodes": score.games,
                   "updates": score.opt_steps}, open(os.environ["WILD_TRUTH"], "w"))


if __name__ == "__main__":
    main()
