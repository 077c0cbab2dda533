import json
import os
import queue
from time import perf_counter

import numpy as np
import torch
from torch import nn

from harbour import Harbour
from sea import N_RAYS
from skipper import MEM, Leg, Skipper

torch.set_num_threads(1)
torch.manual_seed(2)

BOATS, AT_LEAST, LEGS = 16, 6, 10


class Switch:
    """which thing are we busy with now"""

    def __init__(self):
        self.spent, self.what, self.since = {}, "other", perf_counter()

    def to(self, what):
        now = perf_counter()
        self.spent[self.what] = self.spent.get(self.what, 0.0) + now - self.since
        was, self.what, self.since = self.what, what, now
        return was


skipper = Skipper(N_RAYS + 9)
opt = torch.optim.Adam(skipper.parameters(), lr=7e-4, eps=1e-5)
harbour = Harbour(BOATS)
sw = Switch()

souls = torch.zeros(BOATS, MEM)          # the memory state of each boat's skipper
legs = [None] * BOATS
finished = []
count = dict(steps=0, voyages=0, updates=0, batches=0)
purse = np.zeros(BOATS)
purses = []


def fetch():
    """wait for some boats to report; time of waiting goes to what the sea thread did meanwhile"""
    before = dict(harbour.watch)
    sw.to("waiting")
    t = perf_counter()
    news = [harbour.mail.get()]
    while len(news) < AT_LEAST:
        news.append(harbour.mail.get())
    sw.to("other")
    waited = perf_counter() - t
    did = {k: harbour.watch[k] - before[k] for k in before}
    worked = sum(did.values())
    shrink = min(1.0, waited / worked) if worked > 0 else 0.0
    for k, s in did.items():
        sw.spent[k] = sw.spent.get(k, 0.0) + s * shrink
    sw.spent["vec.wait"] = sw.spent.get("vec.wait", 0.0) - worked * shrink    # rest of it comes at the end from "waiting"
    try:
        while len(news) < BOATS:
            news.append(harbour.mail.get_nowait())
    except queue.Empty:
        pass
    return news


@torch.no_grad()
def steer(news):
    ids = [n[0] for n in news]
    # boats that ended: first what the old skipper thinks of the last view
    sw.to("learn.returns")
    ended = [n for n in news if n[5] is not None]
    worth = {}
    if ended:
        ii = [n[0] for n in ended]
        _, v, _ = skipper(torch.from_numpy(np.stack([n[5] for n in ended])), souls[ii])
        worth = dict(zip(ii, v.tolist()))
        souls[ii] = 0.0
    sw.to("other")
    for i, o, prize, sunk, late, last in news:
        if legs[i] is not None:
            legs[i].result(prize, sunk, late, worth.get(i, 0.0))
            count["steps"] += 1
            purse[i] += prize
            if last is not None:
                count["voyages"] += 1
                purses.append(purse[i])
                purse[i] = 0.0
    sw.to("act")
    h_in = souls[ids]
    mu, v, h = skipper(torch.from_numpy(np.stack([n[1] for n in news])), h_in)
    d = skipper.dist(mu)
    a = d.sample()
    lp = d.log_prob(a).sum(1).tolist()
    souls[ids] = h
    a = a.numpy()
    v = v.tolist()
    sw.to("other")
    harbour.command(ids, a)
    for k, n in enumerate(news):
        i = n[0]
        if legs[i] is not None and len(legs[i].r) == Leg.LONG:
            sw.to("learn.returns")
            legs[i].value_it(v[k])
            sw.to("other")
            finished.append(legs[i])
            legs[i] = None
        if legs[i] is None:
            legs[i] = Leg(h_in[k].clone())
        legs[i].note(n[1], a[k], lp[k], v[k])
    count["batches"] += 1


def debrief(pile):
    sw.to("learn")
    o = torch.from_numpy(np.stack([l.o for l in pile], 1))
    a = torch.from_numpy(np.stack([l.a for l in pile], 1))
    lp = torch.tensor([l.lp for l in pile]).T
    cut = torch.tensor([l.cut for l in pile]).T
    adv = torch.from_numpy(np.stack([l.adv for l in pile], 1))
    ret = torch.from_numpy(np.stack([l.ret for l in pile], 1))
    adv = (adv - adv.mean()) / (adv.std() + 1e-5)
    h0 = torch.stack([l.h0 for l in pile])
    for _ in range(3):
        h, mus, vs = h0, [], []
        for k in range(Leg.LONG):
            mu, v, h = skipper(o[k], h)
            mus.append(mu)
            vs.append(v)
            h = h * (1 - cut[k])[:, None]
        d = skipper.dist(torch.stack(mus))
        ratio = (d.log_prob(a).sum(2) - lp).exp()
        loss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean() + 0.4 * (torch.stack(vs) - ret).pow(2).mean() \
            - 0.003 * d.entropy().sum(2).mean()
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(skipper.parameters(), 0.7)
        opt.step()
        count["updates"] += 1
    sw.to("other")


def main():
    length = float(os.environ.get("WILD_SECONDS", 12))
    harbour.open()
    with torch.no_grad():
        skipper(torch.zeros(4, N_RAYS + 9), torch.zeros(4, MEM))
    nagged = 0
    sw.__init__()
    start = sw.since
    while sw.since - start < length:
        steer(fetch())
        while len(finished) >= LEGS:
            pile = finished[:LEGS]
            del finished[:LEGS]
            debrief(pile)
        if count["updates"] - nagged >= 60:
            nagged = count["updates"]
            sw.to("logging")
            print("steps %(steps)d voyages %(voyages)d updates %(updates)d" % count, "prize %.2f" % np.mean(purses[-40:] or [0]), flush=True)
            sw.to("other")
    sw.to("other")
    wall = sw.since - start
    harbour.close()
    s = sw.spent
    s["vec.wait"] = s.get("vec.wait", 0.0) + s.pop("waiting", 0.0)
    if os.environ.get("WILD_TRUTH"):
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump({"wall_seconds": wall, "stages": s, "env_steps": count["steps"], "episodes": count["voyages"], "updates": count["updates"]}, f)


main()
