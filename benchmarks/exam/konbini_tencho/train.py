import csv
import glob
import json
import os
from collections import deque

import numpy as np
import torch

from agent import Agent
from kansoku import Hyouka, KansokuBuilder, RewardNormalizer
from konbini import LEVELS, N_ACTIONS, Konbini
from tokei import Tokei

torch.set_num_threads(1)


class Curriculum:
    def __init__(self, goals=(5.0, 10.0), window=30):
        self.goals, self.i = goals, 0
        self.recent = deque(maxlen=window)

    @property
    def level(self):
        return LEVELS[self.i]

    def report(self, ret):
        self.recent.append(ret)
        if (self.i < len(self.goals) and len(self.recent) == self.recent.maxlen
                and np.mean(self.recent) > self.goals[self.i]):
            self.i += 1
            self.recent.clear()
            return True
        return False


class Rollout:
    def __init__(self, h0):
        self.h0 = h0
        self.obs, self.mask, self.act, self.val, self.rew, self.done = [], [], [], [], [], []

    def add(self, o, m, a, v, r, d):
        self.obs.append(o.copy())
        self.mask.append(m.copy())
        self.act.append(list(a))
        self.val.append(v)
        self.rew.append(np.array(r, dtype=np.float32))
        self.done.append(np.array(d, dtype=np.float32))


class Trainer:
    N = 8
    T = 20
    GAMMA, LAM = 0.98, 0.95
    KEEP = 3

    def __init__(self, seconds):
        self.seconds = seconds
        self.tokei = Tokei()
        self.builder, self.hyouka = KansokuBuilder(), Hyouka()
        self.norm = RewardNormalizer(self.N, self.GAMMA)
        self.agent = Agent(KansokuBuilder.DIM, N_ACTIONS)
        self.curriculum = Curriculum()
        self.mise = [Konbini(self.tokei, seed=i) for i in range(self.N)]
        self.total = np.zeros(self.N)
        self.steps = self.episodes = self.updates = 0
        self.last_returns = deque(maxlen=50)
        os.makedirs("ckpt", exist_ok=True)

    # --------------------------------------------------------------- helpers
    def look(self, shops):
        mae = self.tokei.to("env.observe")
        o = np.stack([self.builder.build(m) for m in shops])
        self.tokei.to("env.mask")
        k = np.array([m.dekiru() for m in shops], dtype=bool)
        self.tokei.to(mae)
        return o, k

    def open_shops(self, idx):
        mae = self.tokei.to("env.reset")
        for i in idx:
            self.mise[i].kaiten(self.curriculum.level)
            self.mise[i].__dict__.pop("mae_kachi", None)
            self.total[i] = 0.0
        self.tokei.to(mae)

    # --------------------------------------------------------------- training
    def collect(self):
        tk = self.tokei
        roll = Rollout(self.h)
        for _ in range(self.T):
            tk.to("act")
            a, v, h2 = self.agent.erabu(self.obs, self.mask, self.h)
            tk.to("env.step")
            for m, x in zip(self.mise, a):
                m.advance(x)
            tk.to("env.reward")
            r = [self.hyouka.keisan(m) for m in self.mise]
            tk.to("other")
            d = [m.owari for m in self.mise]
            tk.to("replay.add")
            roll.add(self.obs, self.mask, a, v, r, d)
            tk.to("other")
            self.total += r
            self.steps += self.N
            self.h = h2
            if any(d):
                self.finish([i for i, x in enumerate(d) if x])
            self.obs, self.mask = self.look(self.mise)
        return roll

    def finish(self, idx):
        for i in idx:
            self.episodes += 1
            self.last_returns.append(self.total[i])
            if self.episodes % 60 == 0:
                mae = self.tokei.to("env.render")
                print(self.mise[i].e())
                self.tokei.to(mae)
            if self.curriculum.report(self.total[i]):
                print("*** level up ->", self.curriculum.level.namae)
            self.h[i] = 0
        self.open_shops(idx)

    def gae(self, roll):
        rew, done, val = np.stack(roll.rew), np.stack(roll.done), np.stack(roll.val)
        rew = self.norm(rew, done)
        last = self.agent.kachi(self.obs, self.h)
        adv = np.zeros_like(rew)
        g = np.zeros(self.N, dtype=np.float32)
        for t in reversed(range(self.T)):
            nxt = last if t == self.T - 1 else val[t + 1]
            delta = rew[t] + self.GAMMA * nxt * (1 - done[t]) - val[t]
            g = delta + self.GAMMA * self.LAM * (1 - done[t]) * g
            adv[t] = g
        return adv.astype(np.float32), (adv + val).astype(np.float32)

    def evaluate(self, games=4):
        self.tokei.to("eval")
        self.tokei.tomatta = True
        shops = [Konbini(self.tokei, seed=900 + g) for g in range(games)]
        for m in shops:
            m.kaiten(self.curriculum.level)
        h = self.agent.zero_h(games)
        while not all(m.owari for m in shops):
            o, k = self.look(shops)
            a, _, h = self.agent.erabu(o, k, h, greedy=True)
            for m, x in zip(shops, a):
                if not m.owari:
                    m.advance(x)
        self.tokei.tomatta = False
        self.tokei.to("other")
        return float(np.mean([m.okane for m in shops]))

    def save(self):
        self.tokei.to("checkpoint")
        torch.save({"net": self.agent.net.state_dict(), "opt": self.agent.opt.state_dict(),
                    "norm": (self.norm.mean, self.norm.var, self.norm.count),
                    "level": self.curriculum.i, "steps": self.steps}, "ckpt/tencho_%06d.pt" % self.updates)
        for old in sorted(glob.glob("ckpt/tencho_*.pt"))[:-self.KEEP]:
            os.remove(old)
        self.tokei.to("other")

    def run(self):
        tk = self.tokei
        for old in glob.glob("ckpt/tencho_*.pt"):
            os.remove(old)
        f = open("nikki.csv", "w", newline="")
        nikki = csv.writer(f)
        tk.hajime()
        self.open_shops(range(self.N))
        self.obs, self.mask = self.look(self.mise)
        self.h = self.agent.zero_h(self.N)
        while tk.keika() < self.seconds:
            roll = self.collect()
            tk.to("learn.returns")
            adv, ret = self.gae(roll)
            tk.to("learn.update")
            lp, lv, en = self.agent.manabu(roll, adv, ret)
            tk.to("other")
            self.updates += 1
            if self.updates % 10 == 0:
                tk.to("log")
                mean = np.mean(self.last_returns) if self.last_returns else float("nan")
                nikki.writerow([self.updates, self.steps, self.episodes, self.curriculum.level.namae, mean, lp, lv, en])
                if self.updates % 20 == 0:
                    print("upd %4d | steps %6d | games %4d | %-6s | return %7.2f | pi %+.3f v %.3f H %.2f" % (
                        self.updates, self.steps, self.episodes, self.curriculum.level.namae, mean, lp, lv, en), flush=True)
                tk.to("other")
            if self.updates % 50 == 0:
                self.save()
            if self.updates % 75 == 0:
                yen = self.evaluate()
                print("      greedy tencho: %.0f yen at the end" % yen)
        wall = tk.owari()
        f.close()
        return wall


if __name__ == "__main__":
    t = Trainer(float(os.environ.get("WILD_SECONDS", 20)))
    wall = t.run()
    print("otsukaresama! %.1f s, %d steps, level %s" % (wall, t.steps, t.curriculum.level.namae))
    print({k: round(v, 2) for k, v in t.tokei.kiroku.items()})
    path = os.environ.get("WILD_TRUTH")
    if path:
        with open(path, "w") as g:
            json.dump({"wall_seconds": wall, "stages": t.tokei.kiroku, "env_steps": t.steps,
                       "episodes": t.episodes, "updates": t.updates}, g, indent=2)
