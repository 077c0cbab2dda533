import random

import numpy as np
import torch


class PER:
    """sum tree in a flat python list, root at 1"""

    def __init__(self, cap, alpha=0.6, beta=0.5):
        self.cap, self.alpha, self.beta = cap, alpha, beta
        self.tr = [0.0] * (2 * cap)
        self.dat = [None] * cap
        self.pos = self.n = 0
        self.mx = 1.0

    def _set(self, i, p):
        i += self.cap
        ch = p - self.tr[i]
        while i >= 1:
            self.tr[i] += ch
            i //= 2

    def add(self, tr):
        self.dat[self.pos] = tr
        self._set(self.pos, self.mx)
        self.pos = (self.pos + 1) % self.cap
        self.n = min(self.n + 1, self.cap)

    def _find(self, v):
        i = 1
        while i < self.cap:
            l = 2 * i
            if v <= self.tr[l]:
                i = l
            else:
                v -= self.tr[l]
                i = l + 1
        return min(i - self.cap, self.n - 1)

    def get(self, bs):
        tot = self.tr[1]
        seg = tot / bs
        ix, w = [], []
        for k in range(bs):
            i = self._find((k + random.random()) * seg)
            ix.append(i)
            w.append((self.n * max(self.tr[i + self.cap], 1e-8) / tot) ** -self.beta)
        m = max(w)
        s, a, r, s2, d = zip(*[self.dat[i] for i in ix])
        return (ix, torch.tensor([x / m for x in w]), torch.from_numpy(np.stack(s)), torch.tensor(a), torch.tensor(r),
                torch.from_numpy(np.stack(s2)), torch.tensor(d, dtype=torch.float32))

    def upd(self, ix, td):
        for i, e in zip(ix, td):
            p = (abs(e) + 0.01) ** self.alpha
            if p > self.mx:
                self.mx = p
            self._set(i, p)
