import numpy as np


class Pond:
    """A duck looks for bread; ripples are simulated on a grid."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def restart(self):
        self.me = self.rng.integers(0, 16, 2)
        self.bread = [tuple(self.rng.integers(0, 16, 2)) for _ in range(9)]
        self.ripple = [[0.0] * 16 for _ in range(16)]
        self.turn = 0
        return self.eyes()

    def eyes(self):
        near = [self.ripple[(self.me[0] + i) % 16][(self.me[1] + j) % 16] for i in range(-2, 3) for j in range(-2, 3)]
        return np.array([*near, *(self.me / 16)], dtype=np.float32)

    def ripples(self):
        g = self.ripple
        new = [[0.0] * 16 for _ in range(16)]
        for i in range(16):
            for j in range(16):
                new[i][j] = 0.24 * (g[i - 1][j] + g[(i + 1) % 16][j] + g[i][j - 1] + g[i][(j + 1) % 16])
        for b in self.bread:
            new[b[0]][b[1]] += 1.0
        self.ripple = new

    def paddle(self, move):
        d = ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))[move]
        self.me = (self.me + d) % 16
        self.ripples()
        here = tuple(self.me)
        won = 0.0
        if here in self.bread:
            self.bread.remove(here)
            won = 1.0
        self.turn += 1
        return self.eyes(), won, self.turn >= 80 or not self.bread
