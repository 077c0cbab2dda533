"""the track + a couple of helpers i moved out of the notebook because it got too long"""
import math
import numpy as np

W, H = 200, 140


def make_track(seed):
    rs = np.random.RandomState(seed)
    ang = np.linspace(0, 2 * math.pi, 25)[:-1]
    rad = 48 + rs.uniform(-10, 12, 24)
    rad = (rad + np.roll(rad, 1) + np.roll(rad, -1)) / 3
    pts = []
    for k in range(24):
        for j in range(8):
            f = j / 8
            a = ang[k] + f * (2 * math.pi / 24)
            r = rad[k] * (1 - f) + rad[(k + 1) % 24] * f
            pts.append((W / 2 + 1.4 * r * math.cos(a), H / 2 + r * math.sin(a)))
    pts = np.array(pts)
    yy, xx = np.mgrid[0:H, 0:W]
    road = np.zeros((H, W), bool)
    for px, py in pts:
        road |= (xx - px) ** 2 + (yy - py) ** 2 < 7.5 ** 2
    return road, pts


def lidar(road, x, y, heading, n=9, maxd=50.0):
    out = np.zeros(n)
    for i in range(n):
        a = heading + (i - n // 2) * math.pi / (n + 1)
        dx, dy = math.cos(a), math.sin(a)
        d = 0.0
        while d < maxd:
            cx = int(x + dx * d)
            cy = int(y + dy * d)
            if cx < 0 or cy < 0 or cx >= W or cy >= H or not road[cy, cx]:
                break
            d += 0.5
        out[i] = d / maxd
    return out


class TileCoder:
    """hashes pairs of inputs into tiles (sutton & barto style, roughly)"""

    def __init__(self, dims, tilings=4, bins=6):
        self.pairs = [(i, j) for i in range(dims) for j in range(i + 1, dims) if j - i <= 2]
        self.tilings, self.bins = tilings, bins
        self.size = len(self.pairs) * tilings * (bins + 1) ** 2

    def __call__(self, s):
        idx = []
        base = 0
        for (i, j) in self.pairs:
            for t in range(self.tilings):
                off = t / self.tilings
                a = min(int(s[i] * self.bins + off), self.bins)
                b = min(int(s[j] * self.bins + off), self.bins)
                idx.append(base + a * (self.bins + 1) + b)
                base += (self.bins + 1) ** 2
        return np.array(idx)
