import numpy as np


class Attic:
    """ring memory with a sum tree on top (things that surprised us come down more often)"""

    def __init__(self, room, n_in):
        self.room = room              # power of two please
        self.s = np.zeros((room, n_in), np.float16)
        self.s2 = np.zeros((room, n_in), np.float16)
        self.a = np.zeros(room, np.int64)
        self.r = np.zeros(room, np.float32)
        self.d = np.zeros(room, np.float32)
        self.tree = np.zeros(2 * room)
        self.top, self.spot, self.n = 1.0, 0, 0

    def heap(self, s, a, r, s2, d):
        k = len(a)
        ix = (self.spot + np.arange(k)) % self.room
        self.s[ix], self.s2[ix] = s, s2
        self.a[ix], self.r[ix], self.d[ix] = a, r, d
        self.weigh(ix, np.full(k, self.top))
        self.spot = (self.spot + k) % self.room
        self.n = min(self.n + k, self.room)

    def weigh(self, ix, p):
        i = ix + self.room
        self.tree[i] = p
        i = np.unique(i >> 1)
        while i[0] >= 1:
            self.tree[i] = self.tree[2 * i] + self.tree[2 * i + 1]
            i = np.unique(i >> 1)
        self.top = max(self.top, float(p.max()))

    def rummage(self, k):
        x = (np.arange(k) + np.random.rand(k)) / k * self.tree[1]
        i = np.ones(k, np.int64)
        while i[0] < self.room:
            i = 2 * i
            left = self.tree[i]
            right = x > left
            x = x - left * right
            i = i + right
        ix = np.minimum(i - self.room, self.n - 1)
        w = (self.n * self.tree[ix + self.room] / self.tree[1] + 1e-9) ** -0.5
        return (self.s[ix].astype(np.float32), self.a[ix], self.r[ix], self.s2[ix].astype(np.float32), self.d[ix],
                (w / w.max()).astype(np.float32), ix)
