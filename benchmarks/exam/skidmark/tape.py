import numpy as np
import torch


class Tape:
    """Endless tape, old stuff is recorded over."""

    def __init__(self, room, n_feel, n_deed):
        self.feel = np.zeros((room, n_feel), np.float32)
        self.after = np.zeros((room, n_feel), np.float32)
        self.deed = np.zeros((room, n_deed), np.float32)
        self.prize = np.zeros((room, 1), np.float32)
        self.dead = np.zeros((room, 1), np.float32)
        self.room, self.head, self.full = room, 0, 0
        self.rng = np.random.default_rng(5)

    def record(self, feel, deed, prize, after, dead):
        h = self.head
        self.feel[h] = feel
        self.deed[h] = deed
        self.prize[h, 0] = prize
        self.after[h] = after
        self.dead[h, 0] = dead
        self.head = (h + 1) % self.room
        self.full = min(self.full + 1, self.room)

    def rewind(self, n):
        i = self.rng.integers(0, self.full, n)
        return tuple(torch.from_numpy(a[i]) for a in
                     (self.feel, self.deed, self.prize, self.after, self.dead))
