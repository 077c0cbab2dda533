import os
from collections import deque

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from clk import clk


class TimeUp(BaseCallback):
    def __init__(self, secs):
        super().__init__()
        self.secs = secs

    def _on_step(self):
        return clk.since() < self.secs


class Progress(BaseCallback):
    def __init__(self, every=1000):
        super().__init__()
        self.every, self.nxt = every, every
        self.rets, self.lens = deque(maxlen=40), deque(maxlen=40)
        self.eps = self.laps = 0

    def _on_step(self):
        for d, inf in zip(self.locals["dones"], self.locals["infos"]):
            if d:
                self.eps += 1
                self.laps += bool(inf["lap"])
                self.rets.append(inf["ep"][0])
                self.lens.append(inf["ep"][1])
        if self.num_timesteps >= self.nxt:
            self.nxt += self.every
            with clk("log"):
                print(f"[{clk.since():6.1f}s] steps {self.num_timesteps:6d}  eps {self.eps:4d}  laps {self.laps:3d}  "
                      f"ret {np.mean(self.rets or [0]):7.2f}  len {np.mean(self.lens or [0]):5.0f}  "
                      f"expl {self.model.exploration_rate:.2f}", flush=True)
        return True


class TrialLap(BaseCallback):
    """Drive greedily on a fixed track, keep the best model, take a picture."""

    def __init__(self, venv, every=3000, folder="out"):
        super().__init__()
        self.venv, self.every, self.nxt = venv, every, every
        self.folder, self.best = folder, -1e9
        os.makedirs(folder, exist_ok=True)

    def _on_step(self):
        if self.num_timesteps < self.nxt:
            return True
        self.nxt += self.every
        with clk("eval"):
            obs, score = self.venv.reset(), 0.0
            for _ in range(150):
                a, _ = self.model.predict(obs, deterministic=True)
                obs, r, d, _ = self.venv.step(a)
                score += float(r[0])
                if d[0]:
                    break
        with clk("log"):
            print(f"          trial lap: {score:.2f}", flush=True)
        with clk("env.render"):
            img = self.venv.envs[0].unwrapped.render()
            with open(os.path.join(self.folder, "last.ppm"), "wb") as f:
                f.write(b"P6 %d %d 255\n" % (img.shape[1], img.shape[0]) + img.tobytes())
        if score > self.best:
            self.best = score
            with clk("checkpoint"):
                self.model.save(os.path.join(self.folder, "best"))
        return True
