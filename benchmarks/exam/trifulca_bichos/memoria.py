import numpy as np


class MemoriaPrioritaria:
    def __init__(self, cap, largo, alfa):
        self.cap, self.alfa = cap, alfa
        self.s = np.zeros((cap, largo), np.float32)
        self.s2 = np.zeros((cap, largo), np.float32)
        self.a = np.zeros(cap, np.int64)
        self.r = np.zeros(cap, np.float32)
        self.fin = np.zeros(cap, np.float32)
        self.leg2 = np.zeros((cap, 6), bool)
        self.pri = np.zeros(cap, np.float64)
        self.pos = self.n = 0

    def meter(self, s, a, r, s2, fin, leg2):
        p = self.pos
        self.s[p], self.a[p], self.r[p] = s, a, r
        self.s2[p], self.fin[p], self.leg2[p] = s2, fin, leg2
        self.pri[p] = self.pri[:self.n].max() if self.n else 1.0
        self.pos = (p + 1) % self.cap
        self.n = min(self.n + 1, self.cap)

    def sacar(self, lote, beta):
        p = self.pri[:self.n] ** self.alfa
        p /= p.sum()
        idx = np.random.choice(self.n, lote, p=p)
        w = (self.n * p[idx]) ** -beta
        w = (w / w.max()).astype(np.float32)
        return idx, w

    def retocar(self, idx, error):
        for i, e in zip(idx, error):
            self.pri[i] = abs(float(e)) + 1e-3
