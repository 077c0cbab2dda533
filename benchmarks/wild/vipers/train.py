import copy
import json
import os
import random
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from per import PER
from snake import N_OBS, Brd

torch.set_num_threads(1)
random.seed(0)
np.random.seed(0)
torch.manual_seed(0)

NB, BS, UPS, GAM, N_TGT = 64, 64, 6, 0.95, 400
ns = time.perf_counter_ns
RST, STP, OBS, ACT, ADD, SMP, PRI, LRN, LOG, OTH = range(10)
T = [0] * 10
KEYS = ["env.reset", "env.step+env.reward", "env.observe", "act", "replay.add", "replay.sample", "replay.update", "learn.*", "log", "other"]


class Q(nn.Module):
    def __init__(self):
        super().__init__()
        self.l0 = nn.Linear(N_OBS, 128)
        self.l1 = nn.Linear(128, 96)
        self.v, self.a = nn.Linear(96, 1), nn.Linear(96, 3)

    def forward(self, x):
        h = F.relu(self.l0(x))
        h = F.relu(self.l1(h))
        a = self.a(h)
        return self.v(h) + a - a.mean(1, keepdim=True)


def train_once(q, tq, opt, s, a, r, s2, d, w):
    with torch.no_grad():
        a2 = q(s2).argmax(1, keepdim=True)
        y = r + GAM * (1 - d) * tq(s2).gather(1, a2).squeeze(1)
    td = q(s).gather(1, a.unsqueeze(1)).squeeze(1) - y
    loss = (w * F.huber_loss(td, torch.zeros_like(td), reduction="none")).mean()
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    return loss.item(), td.detach().tolist()


def main():
    q = Q()
    tq = copy.deepcopy(q)
    opt = torch.optim.Adam(q.parameters(), lr=1e-3)
    buf = PER(2 ** 15)
    rng = random.Random(1)
    brds = [Brd(rng) for _ in range(NB)]
    eps, it, upd, epi, lens, ls = 1.0, 0, 0, 0, [], 0.0
    secs = float(os.environ.get("WILD_SECONDS", 20))

    t0 = t = ns()
    o = [b.obs() for b in brds]
    n = ns(); T[OBS] += n - t; t = n
    while t - t0 < secs * 1e9:
        with torch.no_grad():
            acts = q(torch.from_numpy(np.stack(o))).argmax(1).tolist()
        for i in range(NB):
            if random.random() < eps:
                acts[i] = random.randrange(3)
        eps = max(0.02, eps * 0.99)
        n = ns(); T[ACT] += n - t; t = n

        for i, b in enumerate(brds):
            r, d = b.stp(acts[i])
            n = ns(); T[STP] += n - t; t = n
            o2 = b.obs() if not d else np.zeros_like(o[i])
            n = ns(); T[OBS] += n - t; t = n
            buf.add((o[i], acts[i], r, o2, d))
            n = ns(); T[ADD] += n - t; t = n
            if d:
                lens.append(b.len)
                epi += 1
                b.rst()
                n = ns(); T[RST] += n - t; t = n
                o2 = b.obs()
                n = ns(); T[OBS] += n - t; t = n
            o[i] = o2
        it += 1
        n = ns(); T[OTH] += n - t; t = n

        if buf.n > 1000:
            for _ in range(UPS):
                ix, w, s, a, r, s2, d = buf.get(BS)
                n = ns(); T[SMP] += n - t; t = n
                ls, td = train_once(q, tq, opt, s, a, r, s2, d, w)
                upd += 1
                if upd % N_TGT == 0:
                    tq.load_state_dict(q.state_dict())
                n = ns(); T[LRN] += n - t; t = n
                buf.upd(ix, td)
                n = ns(); T[PRI] += n - t; t = n
        if it % 100 == 0:
            print(f"it {it} stp {it * NB} upd {upd} eps {eps:.2f} len {np.mean(lens[-300:]):.2f} max {max(lens[-300:])} ls {ls:.4f}", flush=True)
            n = ns(); T[LOG] += n - t; t = n
    n = ns(); T[OTH] += n - t
    wall = n - t0
    p = os.environ.get("WILD_TRUTH")
    if p:
        with open(p, "w") as f:
            json.dump({"wall_seconds": wall / 1e9, "stages": {k: v / 1e9 for k, v in zip(KEYS, T)}, "env_steps": it * NB, "episodes": epi,
                       "updates": upd,
                       "note": f"env_steps counts single boards (64 per pass, {it} passes). replay.sample = PER.get (tree walk, stacking into "
                               "tensors), replay.update = PER.upd (priorities), learn.* = train_once incl. target sync; obs after a "
                               "reset is env.observe."}, f, indent=1)


main()
