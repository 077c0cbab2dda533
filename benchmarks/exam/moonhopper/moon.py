"""Moon hopper: land softly on the pad, collect the fuel can on the way if you dare.

Python physics with sub-steps and polygon ground. No pygame needed to train (play.py got lost with my old laptop).
"""
import math
import random

WORLD_W = 40.0
N_SEG = 20
GRAV = -1.6
DT = 0.12
SUB = 4
MAX_STEPS = 110
RAYS = [math.radians(a) for a in (-150, -120, -105, -90, -75, -60, -30, 0, 180)]
RAY_LEN = 18.0
FEET = ((-0.8, -0.7), (0.8, -0.7), (-0.5, 0.6), (0.5, 0.6))
N_OBS = 9 + len(RAYS) + 3
N_ACT = 4   # nothing, main, left thruster, right thruster


class Moon:
    def __init__(self):
        self.ground = []

    def reset(self, seed):
        r = random.Random(seed)
        step = WORLD_W / N_SEG
        for _ in range(50):
            h = [r.uniform(1, 4)]
            for i in range(N_SEG):
                h.append(min(9.0, max(0.5, h[-1] + r.gauss(0, 1.1))))
            pad = r.randrange(3, N_SEG - 4)
            h[pad + 1] = h[pad + 2] = h[pad]
            if max(h) < 8.5:
                break
        self.ground = [(i * step, h[i]) for i in range(N_SEG + 1)]
        self.pad = (pad * step, (pad + 2) * step, h[pad])
        self.rocks = []
        for _ in range(4):
            self.rocks.append([r.uniform(4, WORLD_W - 4), r.uniform(10, 15), r.uniform(-1, 1), r.uniform(0.5, 0.9)])
        self.can = [r.uniform(8, WORLD_W - 8), r.uniform(10, 14), True]
        self.x, self.y = r.uniform(10, 30), 19.0
        self.vx, self.vy = r.uniform(-1.5, 1.5), r.uniform(-1, 0)
        self.a, self.w = r.uniform(-0.3, 0.3), 0.0
        self.fuel = 60.0
        self.t = 0
        self.legs = [False, False]
        self.wind = r.uniform(-0.15, 0.15)
        self.pot = self.potential()
        self.trail = [(self.x, self.y)]

    def potential(self):
        px = (self.pad[0] + self.pad[1]) / 2
        d = math.hypot(self.x - px, (self.y - self.pad[2]) * 0.7)
        return -1.2 * d - 1.0 * math.hypot(self.vx, self.vy) - 3.0 * abs(self.a) + 3 * sum(self.legs)

    def height_at(self, x):
        g = self.ground
        i = min(N_SEG - 1, max(0, int(x / WORLD_W * N_SEG)))
        (x0, y0), (x1, y1) = g[i], g[i + 1]
        return y0 + (y1 - y0) * (x - x0) / (x1 - x0), (y1 - y0) / (x1 - x0)

    def step(self, act):
        crash = False
        self.t += 1
        main = 1.0 if act == 1 and self.fuel > 0 else 0.0
        side = (1.0 if act == 2 else -1.0 if act == 3 else 0.0) if self.fuel > 0 else 0.0
        self.fuel -= 0.8 * main + 0.2 * abs(side)
        dt = DT / SUB
        for _ in range(SUB):
            sn, cs = math.sin(self.a), math.cos(self.a)
            self.vx += (-sn * 4.2 * main + 0.4 * side * cs + self.wind) * dt
            self.vy += (cs * 4.2 * main + GRAV) * dt
            self.w += (-2.2 * side - 0.25 * self.w) * dt
            self.x += self.vx * dt
            self.y += self.vy * dt
            self.a += self.w * dt
            for k in self.rocks:
                k[0] += k[2] * dt
                if k[0] < 1 or k[0] > WORLD_W - 1:
                    k[2] = -k[2]
                if math.hypot(k[0] - self.x, k[1] - self.y) < k[3] + 0.8:
                    crash = True
            # corners against the ground
            self.legs = [False, False]
            for n, (fx, fy) in enumerate(FEET):
                gx = self.x + fx * cs - fy * sn
                gy = self.y + fx * sn + fy * cs
                hh, slope = self.height_at(gx)
                deep = hh - gy
                if deep > 0:
                    if n >= 2 or self.vy < -2.2 or abs(self.a) > 0.6:
                        crash = True
                    else:
                        self.legs[n] = True
                        self.y += deep * 0.6
                        self.vy = max(self.vy, -0.1 * self.vy)
                        self.vx -= (self.vx * 2.5 + slope * 1.5) * dt
                        self.w += (-self.a * 4 - self.w * 3) * dt
            if crash:
                break
        bonus = 0.0
        if self.can[2] and math.hypot(self.can[0] - self.x, self.can[1] - self.y) < 1.6:
            self.can[2] = False
            self.fuel += 20
            bonus = 5.0
        self.trail.append((self.x, self.y))
        pot = self.potential()
        rew = pot - self.pot + bonus - 0.05 * main
        self.pot = pot
        if crash:
            return rew - 20.0, True
        if not (0 < self.x < WORLD_W) or self.y > 26:
            return rew - 20.0, True
        if all(self.legs) and abs(self.vx) + abs(self.vy) < 0.5:
            on = self.pad[0] <= self.x <= self.pad[1]
            return rew + (50.0 if on else 5.0), True
        return rew, self.t >= MAX_STEPS

    def look(self):
        """lidar + instruments. The lidar is slow, I know."""
        px = (self.pad[0] + self.pad[1]) / 2
        o = [(px - self.x) / 20, (self.pad[2] - self.y) / 20, self.vx / 4, self.vy / 4,
             math.sin(self.a), math.cos(self.a), self.w, self.fuel / 60, 1.0]
        for ang in RAYS:
            o.append(self.ray(math.cos(ang + self.a * 0.5), math.sin(ang + self.a * 0.5)) / RAY_LEN)
        if self.can[2]:
            o += [1.0, (self.can[0] - self.x) / 20, (self.can[1] - self.y) / 20]
        else:
            o += [0.0, 0.0, 0.0]
        return o

    def ray(self, dx, dy):
        best = RAY_LEN
        ox, oy = self.x, self.y
        lo, hi = (ox, ox + dx * RAY_LEN) if dx > 0 else (ox + dx * RAY_LEN, ox)
        i0 = max(0, int(lo / WORLD_W * N_SEG))
        i1 = min(N_SEG - 1, int(hi / WORLD_W * N_SEG))
        for i in range(i0, i1 + 1):
            (x0, y0), (x1, y1) = self.ground[i], self.ground[i + 1]
            ex, ey = x1 - x0, y1 - y0
            den = dx * ey - dy * ex
            if abs(den) < 1e-9:
                continue
            t = ((x0 - ox) * ey - (y0 - oy) * ex) / den
            u = ((x0 - ox) * dy - (y0 - oy) * dx) / den
            if 0 <= t < best and 0 <= u <= 1:
                best = t
        for k in self.rocks:
            cx, cy = k[0] - ox, k[1] - oy
            b = cx * dx + cy * dy
            if 0 < b < best + k[3]:
                c2 = cx * cx + cy * cy - b * b
                if c2 < k[3] * k[3]:
                    best = min(best, b - math.sqrt(k[3] * k[3] - c2))
        return max(best, 0.0)

    def picture(self):
        rows = [[" "] * 60 for _ in range(16)]

        def dot(x, y, ch):
            c, r = int(x / WORLD_W * 60), 15 - int(y / 26 * 16)
            if 0 <= c < 60 and 0 <= r < 16:
                rows[r][c] = ch
        for c in range(60):
            x = (c + 0.5) / 60 * WORLD_W
            dot(x, self.height_at(x)[0], "=" if self.pad[0] <= x <= self.pad[1] else "~")
        for k in self.rocks:
            dot(k[0], k[1], "o")
        if self.can[2]:
            dot(self.can[0], self.can[1], "F")
        for x, y in self.trail:
            dot(x, y, ".")
        dot(self.x, self.y, "A")
        return "\n".join("".join(r) for r in rows)
