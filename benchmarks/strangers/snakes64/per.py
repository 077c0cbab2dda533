import random

import numpy as np


class SumTree:
    def __init__(self, cap):
        self.cap = cap
        self.tree = [0.0] * (2 * cap)

    def set(self, i, p):
        i += self.cap
        delta = p - self.tree[i]
        while i >= 1:
            self.tree[i] += delta
            i //= 2

    def total(self):
        return self.tree[1]

    def find(self, s):
        i = 1
        while i < self.cap:
            left = 2 * i
            if s < self.tree[left]:
                i = left
            else:
                s -= self.tree[left]
                i = left + 1
        return i - self.cap


class PrioMem:
    def __init__(self, cap, n_feats, alpha=0.6, beta=0.4):
        self.cap = cap
        self.alpha, self.beta = alpha, beta
        self.tree = SumTree(cap)
        self.S = np.zeros((cap, n_feats), np.float32)
        self.S2 = np.zeros((cap, n_feats), np.float32)
        self.A = np.zeros(cap, np.int64)
        self.R = np.zeros(cap, np.float32)
        self.D = np.zeros(cap, np.float32)
        self.pos = 0
        self.size = 0
        self.max_p = 1.0

    def push(self, s, a, r, s2, d):
        i = self.pos
        self.S[i] = s
        self.A[i] = a
        self.R[i] = r
        self.S2[i] = s2
        self.D[i] = d
        self.tree.set(i, self.max_p)
        self.pos = (i + 1) % self.cap
        self.size = min(self.size + 1, self.cap)

    def grab(self, n):
        tot = self.tree.total()
        seg = tot / n
        idx = []
        pr = []
        for k in range(n):
            i = self.tree.find(random.uniform(k * seg, (k + 1) * seg))
            i = min(i, self.size - 1)
            idx.append(i)
            pr.append(self.tree.tree[i + self.cap])
        p = np.array(pr) / tot
        w = (self.size * p + 1e-12) ** (-self.beta)
        w = (w / w.max()).astype(np.float32)
        idx = np.array(idx)
        return idx, w, self.S[idx], self.A[idx], self.R[idx], self.S2[idx], self.D[idx]

    def reprio(self, idx, err):
        for i, e in zip(idx.tolist(), err.tolist()):
            p = (abs(e) + 1e-3) ** self.alpha
            self.max_p = max(self.max_p, p)
            self.tree.set(i, p)
