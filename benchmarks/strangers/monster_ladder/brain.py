import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Brain:
    def __init__(self, n_obs, n_picks, lr=5e-4, gamma=0.97, size=30000):
        def net():
            return nn.Sequential(nn.Linear(n_obs, 128), nn.ELU(), nn.Linear(128, 128), nn.ELU(), nn.Linear(128, n_picks))
        self.q, self.slow = net(), net()
        self.slow.load_state_dict(self.q.state_dict())
        self.opt = torch.optim.Adam(self.q.parameters(), lr=lr)
        self.gamma = gamma
        self.size, self.at, self.full = size, 0, 0
        self.o = np.zeros((size, n_obs), np.float32)
        self.o2 = np.zeros((size, n_obs), np.float32)
        self.m2 = np.zeros((size, n_picks), bool)
        self.a = np.zeros(size, np.int64)
        self.r = np.zeros(size, np.float32)
        self.d = np.zeros(size, np.float32)
        self.trained = 0

    def pick(self, obs, masks, eps):
        with torch.no_grad():
            q = self.q(torch.from_numpy(obs)).numpy()
        q[~masks] = -1e9
        picks = q.argmax(1)
        for i in np.flatnonzero(np.random.rand(len(picks)) < eps):
            picks[i] = np.random.choice(np.flatnonzero(masks[i]))
        return picks

    def keep(self, o, a, r, o2, m2, d):
        n = len(a)
        idx = (self.at + np.arange(n)) % self.size
        self.o[idx], self.a[idx], self.r[idx] = o, a, r
        self.o2[idx], self.m2[idx], self.d[idx] = o2, m2, d
        self.at = (self.at + n) % self.size
        self.full = min(self.size, self.full + n)

    def draw(self, n):
        i = np.random.randint(0, self.full, n)
        return [torch.from_numpy(x[i]) for x in (self.o, self.a, self.r, self.o2, self.m2, self.d)]

    def train_on(self, batch):
        o, a, r, o2, m2, d = batch
        with torch.no_grad():
            nxt = self.slow(o2).masked_fill(~m2, -1e9).max(1)[0]
            y = r + self.gamma * (1 - d) * nxt
        loss = F.smooth_l1_loss(self.q(o).gather(1, a[:, None])[:, 0], y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.trained += 1
        with torch.no_grad():
            for p, s in zip(self.q.parameters(), self.slow.parameters()):
                s.lerp_(p, 0.01)
        return loss.item()
