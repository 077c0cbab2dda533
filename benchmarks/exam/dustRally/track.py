import numpy as np

SZ = 160


class Track:
    """Closed wobbly loop painted into a brightness map."""

    def __init__(self, rng, nPts=240, halfW=7.0):
        a = np.linspace(0, 2 * np.pi, nPts, endpoint=False)
        r = np.full(nPts, 52.0)
        for k in (2, 3, 5):
            r += rng.uniform(1, 13 / k) * np.sin(k * a + rng.uniform(0, 2 * np.pi))
        self.pts = np.stack([SZ / 2 + r * np.cos(a), SZ / 2 + r * np.sin(a)], 1)
        self.n = nPts
        self.halfW = halfW
        self.map = self._paint(rng)

    def _paint(self, rng):
        m = (40 + 12 * rng.random((SZ, SZ))).astype(np.uint8)     # dust
        rad = int(self.halfW)
        yy, xx = np.mgrid[-rad:rad + 1, -rad:rad + 1]
        disc = xx * xx + yy * yy <= self.halfW ** 2
        for x, y in self.pts:
            cx, cy = int(x), int(y)
            if rad <= cx < SZ - rad and rad <= cy < SZ - rad:
                m[cy - rad:cy + rad + 1, cx - rad:cx + rad + 1][disc] = 150
        for x, y in self.pts[::6]:
            m[int(y), int(x)] = 255                               # dashes
        return m

    def heading(self, i):
        d = self.pts[(i + 1) % self.n] - self.pts[i]
        return float(np.arctan2(d[1], d[0]))

    def nearest(self, x, y):
        d = (self.pts[:, 0] - x) ** 2 + (self.pts[:, 1] - y) ** 2
        i = int(d.argmin())
        return i, float(np.sqrt(d[i]))
