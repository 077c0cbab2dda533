"""python train.py  - MaskablePPO for Chorongiew"""
import csv
import json
import os
import time
from collections import deque

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

from bitwa import BitwaEnv
from zegar import Z, mierz

SECONDS = float(os.environ.get("WILD_SECONDS", 20))
N_ENVS = 4
updates = 0
torch.set_num_threads(1)      # much faster here


class Polityka(MaskableActorCriticPolicy):
    @mierz("act")
    def forward(self, *a, **k):
        return super().forward(*a, **k)

    @mierz("learn.returns")
    def predict_values(self, *a, **k):     # only used for the last value of a rollout
        return super().predict_values(*a, **k)


class Bufor(MaskableRolloutBuffer):
    @mierz("replay.add")
    def add(self, *a, **k):
        super().add(*a, **k)

    @mierz("learn.returns")
    def compute_returns_and_advantage(self, *a, **k):
        super().compute_returns_and_advantage(*a, **k)

    def get(self, batch_size=None):
        global updates
        it = super().get(batch_size)
        while True:
            Z.wejdz("replay.sample")
            b = next(it, None)
            Z.wyjdz()
            if b is None:
                return
            updates += 1
            yield b


class Model(MaskablePPO):
    @mierz("learn.update")
    def train(self):
        super().train()

    @mierz("log")
    def dump_logs(self, *a, **k):
        super().dump_logs(*a, **k)


class Hetman(BaseCallback):
    """win rate, drawing, evaluation, saving, and the end of time"""

    def __init__(self, eval_every=5.0, eval_games=6, draw_every=40):
        super().__init__()
        self.eval_every, self.eval_games, self.draw_every = eval_every, eval_games, draw_every
        self.wins = deque(maxlen=100)
        self.episodes = 0
        self.best = -1.0
        self.eval_env = BitwaEnv()

    def _on_training_start(self):
        self.t0 = self.last_eval = self.last_print = time.perf_counter()
        self.f = open("bitwy.csv", "w", newline="")
        self.csv = csv.writer(self.f)
        self.csv.writerow(["krok", "bitwa", "wygrana", "tura", "pkt", "pkt_wroga", "rany_zadane", "rany_wziete"])

    def _on_step(self):
        for i, (d, info) in enumerate(zip(self.locals["dones"], self.locals["infos"])):
            if d:
                self.episodes += 1
                self.wins.append(info["wygrana"])
                Z.wejdz("log")
                self.csv.writerow([self.num_timesteps, self.episodes, int(info["wygrana"]), info["tura"], info["punkty_moje"],
                                   info["punkty_wroga"], info["rany_zadane"], info["rany_wziete"]])
                Z.wyjdz()
                if self.episodes % self.draw_every == 0:
                    self.training_env.env_method("rysuj", indices=[(i + 1) % N_ENVS])
        t = time.perf_counter()
        if t - self.last_print > 2.0:
            Z.wejdz("log")
            print(f"[{t - self.t0:6.1f}s] kroki {self.num_timesteps}  bitwy {self.episodes}  "
                  f"win rate {100 * np.mean(self.wins) if self.wins else 0:.0f}%", flush=True)
            self.f.flush()
            self.last_print = t
            Z.wyjdz()
        if t - self.last_eval > self.eval_every:
            self.ocena()
            self.last_eval = time.perf_counter()
        return time.perf_counter() - self.t0 < SECONDS

    def ocena(self):
        Z.wejdz("eval")
        Z.wl = False
        wyg = 0
        for g in range(self.eval_games):
            obs, info = self.eval_env.reset(seed=1000 + g)
            done = False
            while not done:
                a, _ = self.model.predict(obs, action_masks=self.eval_env.action_masks(), deterministic=True)
                obs, r, done, _, info = self.eval_env.step(a)
            wyg += info["wygrana"]
        Z.wl = True
        wr = wyg / self.eval_games
        print(f"   *** ocena: {wyg}/{self.eval_games}", flush=True)
        Z.wyjdz()
        if wr >= self.best:
            self.best = wr
            Z.wejdz("checkpoint")
            self.model.save("najlepszy")
            Z.wyjdz()

    def _on_training_end(self):
        self.f.close()


if __name__ == "__main__":
    venv = VecMonitor(DummyVecEnv([BitwaEnv for _ in range(N_ENVS)]))
    model = Model(Polityka, venv, n_steps=128, batch_size=128, n_epochs=4, gamma=0.98, ent_coef=0.01,
                  learning_rate=4e-4, policy_kwargs=dict(net_arch=[256, 128]), rollout_buffer_class=Bufor,
                  verbose=1, device="cpu")
    cb = Hetman()
    Z.wl = True
    Z.wejdz("other")
    model.learn(10 ** 9, callback=cb, log_interval=4)
    wall = Z.wyjdz()
    Z.wl = False
    print("koniec po %.1f s, suma %.1f s" % (wall, sum(Z.suma.values())))
    for k, v in sorted(Z.suma.items(), key=lambda p: -p[1]):
        print(f"{k:16s}{v:8.3f}")
    if os.environ.get("WILD_TRUTH"):
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump({"wall_seconds": wall, "stages": Z.suma, "env_steps": model.num_timesteps,
                       "episodes": cb.episodes, "updates": updates}, f, indent=1)
