import math

import numpy as np


class Circuit:
    """A wobbly ring of tarmac with two walls."""

    def __init__(self, seed, corners=36, girth=10.0):
        rng = np.random.default_rng(seed)
        ang = np.linspace(0, 2 * np.pi, corners, endpoint=False)
        r = np.full(corners, 60.0)
        for k in range(2, 6):
            r += rng.uniform(-11, 11) / k * np.cos(k * ang + rng.uniform(0, 6.28))
        self.girth = girth
        self.mid = np.stack([r * np.cos(ang), r * np.sin(ang)], axis=1)
        tang = np.roll(self.mid, -1, axis=0) - np.roll(self.mid, 1, axis=0)
        tang /= np.linalg.norm(tang, axis=1, keepdims=True)
        norm = np.stack([-tang[:, 1], tang[:, 0]], axis=1)
        inn = self.mid + norm * girth / 2
        outt = self.mid - norm * girth / 2
        start = np.concatenate([inn, outt])
        stop = np.concatenate([np.roll(inn, -1, axis=0), np.roll(outt, -1, axis=0)])
        self.wx, self.wy = start[:, 0].copy(), start[:, 1].copy()
        self.sx, self.sy = (stop - start)[:, 0].copy(), (stop - start)[:, 1].copy()

        # plain tuples for the per-substep stuff, numpy is slow on tiny things
        self.legs = []
        sofar = 0.0
        n = corners
        for i in range(n):
            x0, y0 = map(float, self.mid[i])
            x1, y1 = map(float, self.mid[(i + 1) % n])
            ln = math.hypot(x1 - x0, y1 - y0)
            self.legs.append((x0, y0, (x1 - x0) / ln, (y1 - y0) / ln, ln, sofar))
            sofar += ln
        self.length = sofar

    def whereabouts(self, x, y, near):
        """(leg, metres from the line, metres off the middle) looking only around leg `near`."""
        best = None
        n = len(self.legs)
        for k in range(near - 2, near + 4):
            i = k % n
            x0, y0, ux, uy, ln, cum = self.legs[i]
            dx, dy = x - x0, y - y0
            t = dx * ux + dy * uy
            if t < 0.0:
                t = 0.0
            elif t > ln:
                t = ln
            off = math.hypot(dx - t * ux, dy - t * uy)
            if best is None or off < best[2]:
                best = (i, cum + t, off)
        return best

    def ray_lengths(self, x, y, angles, reach):
        dx = np.cos(angles)[:, None]
        dy = np.sin(angles)[:, None]
        qx = self.wx - x
        qy = self.wy - y
        den = dx * self.sy - dy * self.sx
        den[np.abs(den) < 1e-9] = 1e-9
        t = (qx * self.sy - qy * self.sx) / den
        u = (qx * dy - qy * dx) / den
        t[(t < 0) | (u < 0) | (u > 1)] = reach
        return np.minimum(t.min(axis=1), reach)

    def heading_at(self, leg):
        _, _, ux, uy, _, _ = self.legs[leg % len(self.legs)]
        return math.atan2(uy, ux)
