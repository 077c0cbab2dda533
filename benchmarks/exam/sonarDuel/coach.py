import os
from collections import deque
from time import perf_counter

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from seaGame import SeaGame
from ticker import ticker


class Coach(BaseCallback):
    def __init__(self, seconds, outDir, evalEvery=5, saveEvery=8):
        super().__init__()
        self.seconds, self.outDir = seconds, outDir
        self.evalEvery, self.saveEvery = evalEvery, saveEvery
        self.nTales = 0
        self.nRolls = 0
        self.tales = deque(maxlen=40)
        self.dryDock = SeaGame(seed=777)

    def _on_training_start(self):
        self.until = perf_counter() + self.seconds

    def _on_step(self):
        for info in self.locals["infos"]:
            if "tale" in info:
                self.nTales += 1
                self.tales.append(info["tale"])
        return perf_counter() < self.until

    def _on_rollout_end(self):
        self.nRolls += 1
        ticker.push("logging")
        if self.tales:
            pts, lens, wins = np.mean(np.array(self.tales, float), axis=0)
            buf = self.model.rollout_buffer
            print(f"roll {self.nRolls:3d} steps {self.num_timesteps:6d} tales {self.nTales:4d} "
                  f"pts {pts:6.2f} len {lens:5.1f} wins {wins:.2f} valStd {buf.values.std():.2f}")
            with open(os.path.join(self.outDir, "log.csv"), "a") as f:
                f.write(f"{self.num_timesteps},{pts},{lens},{wins}\n")
        ticker.pop()
        if self.nRolls % self.evalEvery == 0:
            ticker.push("eval", mute=True)
            res = [self._sortie(s) for s in (1, 2)]
            ticker.pop()
            ticker.push("logging")
            print("    sorties:", " ".join(f"{p:.2f}/{n}" for p, n in res))
            ticker.pop()
        if self.nRolls % self.saveEvery == 0:
            ticker.push("checkpoint")
            self.model.save(os.path.join(self.outDir, "admiral"))
            ticker.pop()

    def _sortie(self, seed):
        obs, _ = self.dryDock.reset(seed=seed)
        pts, n, over = 0.0, 0, False
        while not over:
            act, _ = self.model.predict(obs, deterministic=True)
            obs, rew, sunk, late, _ = self.dryDock.step(act)
            pts += rew
            n += 1
            over = sunk or late
        return pts, n
