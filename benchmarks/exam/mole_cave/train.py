import copy
import json
import os
import random
from multiprocessing import Pipe, Process
from time import perf_counter

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from attic import Attic
from burrow import undermine
from cave import N_IN

CREWS, CAVES = 2, 6
HERE = os.path.dirname(os.path.abspath(__file__))


class Nose(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(N_IN, 192)
        self.b = nn.Linear(192, 128)
        self.v = nn.Linear(128, 1)
        self.adv = nn.Linear(128, 5)

    def forward(self, x):
        h = F.relu(self.b(F.relu(self.a(x))))
        z = self.adv(h)
        return self.v(h) + z - z.mean(1, keepdim=True)


class Foreman:
    def __init__(self):
        self.pipes, self.crew = [], []
        for k in range(CREWS):
            here, there = Pipe()
            p = Process(target=undermine, args=(there, CAVES, k + 1), daemon=True)
            p.start()
            there.close()
            self.pipes.append(here)
            self.crew.append(p)
        self.nose = Nose()
        self.old_nose = copy.deepcopy(self.nose)
        self.opt = torch.optim.Adam(self.nose.parameters(), lr=3e-4)
        self.attic = Attic(16384, N_IN)
        self.now = np.concatenate([p.recv()[1] for p in self.pipes])
        self.clk = {}
        self.shouting = 0.0
        self.digs = self.ends = self.lessons = self.shifts = 0
        self.purse = np.zeros(CREWS * CAVES)
        self.purses = []

    def tick(self, what, t):
        u = perf_counter()
        self.clk[what] = self.clk.get(what, 0.0) + u - t
        return u

    def point(self):
        eps = max(0.05, 1.0 - self.digs / 8000)
        with torch.no_grad():
            q = self.nose(torch.from_numpy(self.now))
        m = q.argmax(1).numpy()
        dice = np.random.rand(len(m)) < eps
        m[dice] = np.random.randint(0, 5, dice.sum())
        return m

    def shout(self, m):
        t = perf_counter()
        for k, p in enumerate(self.pipes):
            p.send(("dig", m[k * CAVES:(k + 1) * CAVES].tolist()))
        self.shouting += perf_counter() - t

    def hark(self):
        """wait for the crews. the waiting goes to what the crews did in that time"""
        t0 = perf_counter()
        dirt = [p.recv() for p in self.pipes]
        t1 = perf_counter()
        share, spans = {}, []
        for d in dirt:
            came, left, did = d[5]
            both = min(left, t1) - max(came, t0)
            if both <= 0:
                continue
            spans.append((max(came, t0), min(left, t1)))
            for k, s in did.items():
                share[k] = share.get(k, 0.0) + s * both / (left - came)
        busy, edge = 0.0, t0
        for a, b in sorted(spans):
            a = max(a, edge)
            if b > a:
                busy += b - a
                edge = b
        total = sum(share.values())
        if total > 0:
            for k, s in share.items():
                self.clk[k] = self.clk.get(k, 0.0) + busy * s / total
        else:
            busy = 0.0
        self.clk["vec.wait"] = self.clk.get("vec.wait", 0.0) + (t1 - t0) - busy
        return dirt

    def learn_something(self):
        t = perf_counter()
        s, a, r, s2, d, w, ix = self.attic.rummage(64)
        s, a, r, s2, d, w = map(torch.from_numpy, (s, a, r, s2, d, w))
        t = self.tick("replay.sample", t)
        with torch.no_grad():
            best = self.nose(s2).argmax(1, keepdim=True)
            want = r + 0.98 * (1 - d) * self.old_nose(s2).gather(1, best)[:, 0]
        have = self.nose(s).gather(1, a[:, None])[:, 0]
        loss = (w * F.smooth_l1_loss(have, want, reduction="none")).mean()
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.nose.parameters(), 10.0)
        self.opt.step()
        self.lessons += 1
        if self.lessons % 200 == 0:
            self.old_nose.load_state_dict(self.nose.state_dict())
        t = self.tick("learn", t)
        self.attic.weigh(ix, ((have - want).detach().abs().numpy() + 0.01) ** 0.6)
        self.tick("replay.sample", t)

    def shift(self):
        t = perf_counter()
        m = self.point()
        t = self.tick("act", t)
        self.shout(m)
        # they dig, we study meanwhile
        if self.attic.n > 600:
            self.learn_something()
        dirt = self.hark()
        nxt = np.concatenate([d[1] for d in dirt])
        pays = np.concatenate([d[2] for d in dirt])
        overs = np.concatenate([d[3] for d in dirt])
        true_nxt = nxt.copy()
        for k, d in enumerate(dirt):
            for i, s in d[4].items():
                true_nxt[k * CAVES + i] = s
        t = perf_counter()
        self.attic.heap(self.now, m, pays, true_nxt, overs)
        self.tick("replay.add", t)
        self.now = nxt
        self.purse += pays
        for i in np.flatnonzero(overs):
            self.purses.append(self.purse[i])
            self.purse[i] = 0
            self.ends += 1
        self.digs += len(m)
        self.shifts += 1

    def home(self):
        for p in self.pipes:
            p.send(("surface",))
        for c in self.crew:
            c.join(5)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(5)
    np.random.seed(5)
    random.seed(5)
    till = float(os.environ.get("WILD_SECONDS", "12"))
    boss = Foreman()
    boss.point()
    dawn = perf_counter()
    while perf_counter() - dawn < till:
        boss.shift()
        if boss.shifts % 250 == 0:
            t = perf_counter()
            print(f"{boss.digs} digs, {boss.ends} caves done, {boss.lessons} lessons, purse {np.mean(boss.purses[-40:] or [0]):.2f}", flush=True)
            boss.tick("logging", t)
        if boss.shifts % 1000 == 0:
            t = perf_counter()
            os.makedirs(os.path.join(HERE, "noses"), exist_ok=True)
            torch.save(boss.nose.state_dict(), os.path.join(HERE, "noses", "nose.pt"))
            boss.tick("checkpoint", t)
    wall = perf_counter() - dawn
    boss.home()
    boss.clk["other"] = wall - sum(boss.clk.values())
    where = os.environ.get("WILD_TRUTH")
    if where:
        json.dump({"wall_seconds": wall, "stages": boss.clk, "env_steps": boss.digs, "episodes": boss.ends,
                   "updates": boss.lessons, "extra": {"send_seconds_in_other": boss.shouting}}, open(where, "w"))


if __name__ == "__main__":
    main()
