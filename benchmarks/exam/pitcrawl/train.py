import json
import multiprocessing as mp
import os
from collections import deque
from time import perf_counter as now

import numpy as np
import torch

from miner import toil
from net import AC, pack

torch.set_num_threads(1)
NW, GAM, LAM, LR, ENT = 2, .98, .95, 7e-4, .01
SECS = float(os.environ.get("WILD_SECONDS", 20))
KEYS = dict(think="act", hero="env.step", foes="env.opponent", eyes="env.observe", can="env.mask",
            dig="env.reset", boot="act.value", sync="vec.send")
tot = {}


def tick(k, dt):
    tot[k] = tot.get(k, 0.) + dt


gaps = []        # bits of my waiting nobody has claimed yet (same clock in all procs on linux)


def claim(tm, beg, end):
    """what was this miner doing while i waited?"""
    s, rest = sum(tm.values()), []
    for a, b in gaps:
        lo, hi = max(a, beg), min(b, end)
        if hi <= lo:
            rest.append((a, b))
            continue
        for key, x in tm.items():
            tick(KEYS[key], (hi - lo) * x / s)
        rest += [g for g in ((a, lo), (hi, b)) if g[1] > g[0]]
    gaps[:] = rest


def gae(r, d, v, bv):
    adv, g = np.zeros(len(r), dtype=np.float32), 0.
    for i in range(len(r) - 1, -1, -1):
        nv = bv if i == len(r) - 1 else v[i + 1]
        live = 1. - float(d[i])
        g = r[i] + GAM * nv * live - v[i] + GAM * LAM * live * g
        adv[i] = g
    return adv


def fit(net, opt, pk, bv):
    t0 = now()
    o, k, a = torch.from_numpy(pk[0]), torch.from_numpy(pk[1]), torch.from_numpy(pk[2])
    lg, v = net(o, k)
    t1 = now()
    adv = gae(pk[3], pk[4], v.detach().numpy(), bv)
    t2 = now()
    ret = torch.from_numpy(adv) + v.detach()
    dist = torch.distributions.Categorical(logits=lg)
    ad = torch.from_numpy(adv)
    ad = (ad - ad.mean()) / (ad.std() + 1e-6)
    loss = -(dist.log_prob(a) * ad).mean() + .5 * (ret - v).pow(2).mean() - ENT * dist.entropy().mean()
    opt.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), .5)
    opt.step()
    t3 = now()
    tick("learn.returns", t2 - t1)
    tick("learn.update", t1 - t0 + t3 - t2)
    return loss.item()


def main():
    net = AC()
    opt = torch.optim.RMSprop(net.parameters(), lr=LR, alpha=.99, eps=1e-5)
    loot, pipes, procs = mp.Queue(), [], []
    for i in range(NW):
        mine, his = mp.Pipe()
        p = mp.Process(target=toil, args=(i, his, loot), daemon=True)
        p.start()
        pipes.append(mine), procs.append(p)

    n = eps = ups = 0
    last, out = deque(maxlen=40), deque(maxlen=40)
    beg = now()
    for c in pipes:
        t = now()
        c.send(pack(net))
        tick("vec.send", now() - t)
    while now() - beg < SECS:
        t = now()
        wid, pk, bv, rets, tm, wbeg, wend = loot.get()
        e = now()
        gaps.append((t, e))
        claim(tm, wbeg, wend)
        while len(gaps) > 20:                # too old, nobody was working then
            a, b = gaps.pop(0)
            tick("vec.wait", b - a)

        loss = fit(net, opt, pk, bv)
        t = now()
        pipes[wid].send(pack(net))
        tick("vec.send", now() - t)
        ups += 1
        n += len(pk[2])
        for r, won in rets:
            eps += 1
            last.append(r)
            out.append(won)
        if ups % 20 == 0:
            t = now()
            print(f"up {ups} turns {n} games {eps} ret {np.mean(last) if last else 0:.2f} "
                  f"out {np.mean(out) if out else 0:.2f} loss {loss:.3f}", flush=True)
            tick("log", now() - t)
        if ups % 100 == 0:
            t = now()
            torch.save(net.state_dict(), "pit.pt")
            tick("checkpoint", now() - t)
    wall = now() - beg
    for a, b in gaps:
        tick("vec.wait", b - a)

    for c in pipes:
        c.send(None)
    while any(p.is_alive() for p in procs):     # empty the queue or they never die
        try:
            loot.get(timeout=.1)
        except Exception:
            pass
    for p in procs:
        p.join()
    tot["other"] = wall - sum(tot.values())
    print(" ".join(f"{k}={100 * v / wall:.1f}%" for k, v in sorted(tot.items(), key=lambda z: -z[1])))
    if os.environ.get("WILD_TRUTH"):
        json.dump(dict(wall_seconds=wall, stages=tot, env_steps=n, episodes=eps, updates=ups),
                  open(os.environ["WILD_TRUTH"], "w"), indent=1)


if __name__ == "__main__":
    main()
