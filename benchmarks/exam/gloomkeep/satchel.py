from collections import deque

import numpy as np


class Satchel:
    """ring of n-step memories"""

    def __init__(self, room, shape, n_deeds, n=3, gamma=0.98, seed=0):
        self.o = np.zeros((room,) + shape, np.uint8)
        self.o2 = np.zeros((room,) + shape, np.uint8)
        self.can2 = np.zeros((room, n_deeds), bool)
        self.a = np.zeros(room, np.int64)
        self.r = np.zeros(room, np.float32)
        self.disc = np.zeros(room, np.float32)
        self.room, self.n, self.gamma = room, n, gamma
        self.at = self.full = 0
        self.strap = deque()
        self.rng = np.random.default_rng(seed)

    def stow(self, o, a, r, o2, can2, dead, over):
        self.strap.append((o, a, r))
        while self.strap and (over or len(self.strap) >= self.n):
            worth = 0.0
            for k, (_, _, rk) in enumerate(self.strap):
                worth += self.gamma ** k * rk
            o0, a0, _ = self.strap[0]
            i = self.at
            self.o[i], self.o2[i], self.can2[i] = o0, o2, can2
            self.a[i], self.r[i] = a0, worth
            self.disc[i] = 0.0 if dead else self.gamma ** len(self.strap)
            self.at = (i + 1) % self.room
            self.full = min(self.full + 1, self.room)
            self.strap.popleft()

    def handful(self, k):
        i = self.rng.integers(0, self.full, k)
        return self.o[i], self.a[i], self.r[i], self.o2[i], self.can2[i], self.disc[i]
