import time, random
import numpy as np
IN, MID, OUT = 12, 16, 4
GENES = IN * MID + MID * OUT


class Alley:
    """A cat hunts mice in a narrow street."""
    def __init__(self, seed):
        self.rnd = random.Random(seed)
        self.cat = [5, 5]
        self.mice = [[self.rnd.randrange(20), self.rnd.randrange(20)] for _ in range(10)]
        self.hunger, self.eaten = 100, 0

    def smell(self):
        out = []
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                s = 0.0
                for m in self.mice:
                    d = abs(m[0] - self.cat[0] - dx) + abs(m[1] - self.cat[1] - dy)
                    s += 1 / (1 + d)
                out.append(s)
        return out + [self.cat[0] / 20, self.cat[1] / 20, 1.0]

    def prowl(self, way):
        dx, dy = ((1, 0), (-1, 0), (0, 1), (0, -1))[way]
        self.cat = [(self.cat[0] + dx) % 20, (self.cat[1] + dy) % 20]
        for m in self.mice:
            far, go = -1, m
            for ddx, ddy in ((1, 0), (-1, 0), (0, 1), (0, -1), (0, 0)):
                q = [(m[0] + ddx) % 20, (m[1] + ddy) % 20]
                d = abs(q[0] - self.cat[0]) + abs(q[1] - self.cat[1]) + self.rnd.random()
                if d > far and q not in self.mice:
                    far, go = d, q
            m[:] = go
        self.hunger -= 1
        got = [m for m in self.mice if m == self.cat]
        for m in got:
            self.mice.remove(m)
            self.eaten += 1
            self.hunger += 20
        return bool(self.mice) and self.hunger > 0


def tryout(genes, seed):
    p = time.perf_counter
    c = dict.fromkeys(("env.reset", "env.observe", "act", "env.step"), 0.0)
    t0 = p()
    street = Alley(seed)
    c["env.reset"] += p() - t0
    A, B = genes[: IN * MID].reshape(IN, MID), genes[IN * MID:].reshape(MID, OUT)
    alive, n = True, 0
    while alive:
        t = p(); nose = street.smell(); c["env.observe"] += p() - t
        t = p(); way = int(np.argmax(np.tanh(np.asarray(nose) @ A) @ B)); c["act"] += p() - t
        t = p(); alive = street.prowl(way); c["env.step"] += p() - t
        n += 1
    c["whole"] = p() - t0
    return street.eaten, n, c
