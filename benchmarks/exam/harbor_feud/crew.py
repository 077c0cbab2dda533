import numpy as np
import torch
from torch import nn

from bell import bell
from harbor import N_ORDERS, OBS_LEN


class Brain(nn.Module):
    def __init__(self):
        super().__init__()
        self.hold = nn.Sequential(nn.Linear(OBS_LEN, 160), nn.Tanh(), nn.Linear(160, 96), nn.Tanh())
        self.orders = nn.Linear(96, N_ORDERS)
        self.hunch = nn.Linear(96, 1)
        nn.init.zeros_(self.orders.bias)
        self.orders.weight.data.mul_(0.05)

    def forward(self, o, may):
        h = self.hold(o)
        return self.orders(h).masked_fill(~may, -1e8), self.hunch(h).squeeze(-1)


def give_orders(brain, names, obs, may, greedy=False):
    """one forward for the whole crew -> ({name: order}, {name: logp}, {name: hunch})"""
    with torch.no_grad():
        o = torch.from_numpy(np.stack([obs[n] for n in names]))
        m = torch.from_numpy(np.stack([may[n] for n in names]))
        z, v = brain(o, m)
        lp = z.log_softmax(-1)
        a = z.argmax(-1) if greedy else torch.multinomial(lp.exp(), 1).squeeze(1)
        pick = lp.gather(1, a[:, None]).squeeze(1)
    return dict(zip(names, a.tolist())), dict(zip(names, pick.tolist())), dict(zip(names, v.tolist()))


class Crew:
    """one team's brain, its logbook of the season and its PPO lesson"""

    def __init__(self, team, names, lr=6e-4):
        self.team, self.names = team, names
        self.brain = Brain()
        self.opt = torch.optim.Adam(self.brain.parameters(), lr=lr)
        self.log = {n: [] for n in names}
        self.lessons = 0

    def jot(self, obs, may, orders, lps, hunches, spoils, over):
        for n in self.names:
            self.log[n].append((obs[n], may[n], orders[n], lps[n], hunches[n], spoils[n], over))

    def _reckon(self, tail, gamma=0.98, lam=0.93):
        """GAE for every sailor's log; tail = {name: hunch of what comes next}"""
        rows = []
        for n in self.names:
            nxt, run = tail[n], 0.0
            out = []
            for (o, m, a, lp, v, r, over) in reversed(self.log[n]):
                live = 0.0 if over else 1.0
                run = r + gamma * live * nxt - v + gamma * lam * live * run
                out.append((o, m, a, lp, run, run + v))
                nxt = v
            rows += reversed(out)
            self.log[n] = []
        return rows

    def lesson(self, tail, rounds=4, chunk=128, clip=0.2):
        with bell("learn.returns"):
            rows = self._reckon(tail)
        with bell("replay.sample"):
            o, m, a, lp0, adv, ret = zip(*rows)
            o, m = torch.from_numpy(np.stack(o)), torch.from_numpy(np.stack(m))
            a = torch.tensor(a)
            lp0, adv, ret = (torch.tensor(q, dtype=torch.float32) for q in (lp0, adv, ret))
            adv = (adv - adv.mean()) / (adv.std() + 1e-6)
        gripe = 0.0
        for _ in range(rounds):
            deck = torch.randperm(len(a))
            for k in range(0, len(a), chunk):
                with bell("replay.sample"):
                    i = deck[k:k + chunk]
                    bo, bm, ba, blp, badv, bret = o[i], m[i], a[i], lp0[i], adv[i], ret[i]
                with bell("learn"):
                    z, v = self.brain(bo, bm)
                    lp = z.log_softmax(-1)
                    ratio = (lp.gather(1, ba[:, None]).squeeze(1) - blp).exp()
                    gain = torch.min(ratio * badv, ratio.clamp(1 - clip, 1 + clip) * badv).mean()
                    ent = -(lp.exp() * lp.clamp(min=-30)).sum(-1).mean()
                    loss = -gain + 0.5 * (v - bret).pow(2).mean() - 0.012 * ent
                    self.opt.zero_grad()
                    loss.backward()
                    nn.utils.clip_grad_norm_(self.brain.parameters(), 0.7)
                    self.opt.step()
                    self.lessons += 1
                    gripe = loss.item()
        return gripe
