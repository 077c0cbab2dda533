"""Random closed race track: a centre line, two walls and some cones.

Everything is plain Python lists of tuples, because in the worker processes small lists are
faster than small numpy arrays (I measured it, honest).
"""
import math
import random

HALF_WIDTH = 4.5
N_CONTROL = 11
PER_CONTROL = 6


def catmull(p0, p1, p2, p3, t):
    t2, t3 = t * t, t * t * t
    out = []
    for k in (0, 1):
        out.append(0.5 * (2 * p1[k] + (p2[k] - p0[k]) * t
                          + (2 * p0[k] - 5 * p1[k] + 4 * p2[k] - p3[k]) * t2
                          + (3 * p1[k] - p0[k] - 3 * p2[k] + p3[k]) * t3))
    return tuple(out)


class Track:
    def __init__(self, rng: random.Random, n_cones=10):
        self.rng = rng
        ctrl = []
        for i in range(N_CONTROL):
            ang = 2 * math.pi * (i + rng.uniform(-0.18, 0.18)) / N_CONTROL
            rad = rng.uniform(34, 60)
            ctrl.append((rad * math.cos(ang), rad * math.sin(ang)))
        mid = []
        for i in range(N_CONTROL):
            a, b, c, d = (ctrl[(i + k - 1) % N_CONTROL] for k in range(4))
            for j in range(PER_CONTROL):
                mid.append(catmull(a, b, c, d, j / PER_CONTROL))
        self.mid = mid
        self.n = n = len(mid)

        self.tangent, self.left, self.right = [], [], []
        for i in range(n):
            ax, ay = mid[i - 1]
            bx, by = mid[(i + 1) % n]
            L = math.hypot(bx - ax, by - ay) + 1e-9
            tx, ty = (bx - ax) / L, (by - ay) / L
            self.tangent.append((tx, ty))
            x, y = mid[i]
            self.left.append((x - ty * HALF_WIDTH, y + tx * HALF_WIDTH))
            self.right.append((x + ty * HALF_WIDTH, y - tx * HALF_WIDTH))

        # arc length, for the progress reward
        self.arc = [0.0]
        for i in range(n):
            x0, y0 = mid[i]
            x1, y1 = mid[(i + 1) % n]
            self.arc.append(self.arc[-1] + math.hypot(x1 - x0, y1 - y0))
        self.length = self.arc[-1]

        # wall segments by index of the centre line point
        self.segs = []
        for i in range(n):
            j = (i + 1) % n
            self.segs.append((self.left[i], self.left[j]))
            self.segs.append((self.right[i], self.right[j]))

        # cones, never near the start
        self.cones = []
        for _ in range(n_cones):
            i = rng.randrange(5, n - 3)
            tx, ty = self.tangent[i]
            off = rng.choice([-1, 1]) * rng.uniform(1.5, HALF_WIDTH - 0.8)
            x, y = mid[i]
            self.cones.append((x - ty * off, y + tx * off, 0.6, i))

    def window(self, i, back, ahead):
        """segments of the walls from point i-back to i+ahead"""
        n = self.n
        out = []
        for k in range(i - back, i + ahead):
            j = (k % n) * 2
            out.append(self.segs[j])
            out.append(self.segs[j + 1])
        return out

    def cones_near(self, i, back, ahead):
        n = self.n
        return [c for c in self.cones if (c[3] - i + back) % n <= back + ahead]
