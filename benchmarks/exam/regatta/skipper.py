import numpy as np
import torch
from torch import nn

MEM = 64


class Skipper(nn.Module):
    """remembers (GRU) because gusts can only be felt over time"""

    def __init__(self, n_in):
        super().__init__()
        self.eyes = nn.Sequential(nn.Linear(n_in, 64), nn.ELU())
        self.memory = nn.GRUCell(64, MEM)
        self.hands = nn.Linear(MEM, 2)
        self.gut = nn.Linear(MEM, 1)
        self.wobble = nn.Parameter(torch.full((2,), -0.4))

    def forward(self, o, h):
        h = self.memory(self.eyes(o), h)
        return torch.tanh(self.hands(h)), self.gut(h)[:, 0], h

    def dist(self, mu):
        return torch.distributions.Normal(mu, self.wobble.exp())


class Leg:
    """a stretch of one boat's voyage, LONG steps"""
    LONG = 16

    def __init__(self, h):
        self.h0 = h
        self.o, self.a, self.lp, self.v, self.r, self.cut, self.sunk, self.extra = [], [], [], [], [], [], [], []

    def note(self, o, a, lp, v):
        self.o.append(o); self.a.append(a); self.lp.append(lp); self.v.append(v)

    def result(self, r, sunk, late, extra):
        self.r.append(r); self.cut.append(float(sunk or late)); self.sunk.append(float(sunk)); self.extra.append(extra)

    def value_it(self, v_next, gamma=0.98, lam=0.93):
        adv, g = np.zeros(self.LONG, np.float32), 0.0
        for k in range(self.LONG - 1, -1, -1):
            nxt = self.extra[k] if self.cut[k] else (v_next if k == self.LONG - 1 else self.v[k + 1])
            d = self.r[k] + gamma * (1 - self.sunk[k]) * nxt - self.v[k]
            g = d + gamma * lam * (1 - self.cut[k]) * g
            adv[k] = g
        self.adv = adv
        self.ret = adv + np.array(self.v, np.float32)
