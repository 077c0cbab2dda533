import gymnasium as gym
import numpy as np
from gymnasium import spaces

from clk import clk
from track import SZ, Track

VIEW = 40
# (steer, throttle)
ACTS = ((0, 1), (-1, 1), (1, 1), (-1, 0), (1, 0), (0, -1))


class RallyEnv(gym.Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 20}

    def __init__(self, seed=0, nRivals=3):
        self.rng = np.random.default_rng(seed)
        self.nRivals = nRivals
        self.observation_space = spaces.Box(0, 255, (1, VIEW, VIEW), np.uint8)
        self.action_space = spaces.Discrete(len(ACTS))
        yy, xx = np.mgrid[0:VIEW, 0:VIEW].astype(np.float64)
        self.fwd = (VIEW * 0.8 - yy)          # ahead of the car
        self.side = (xx - VIEW / 2 + 0.5)
        self.trk = None
        self.runs = 0

    def reset(self, *, seed=None, options=None):
        with clk("env.reset"):
            if seed is not None:
                self.rng = np.random.default_rng(seed)
            if self.trk is None or self.runs % 5 == 0:
                self.trk = Track(self.rng)
            self.runs += 1
            i = int(self.rng.integers(self.trk.n))
            self.x, self.y = self.trk.pts[i]
            self.ang = self.trk.heading(i)
            self.v = 0.5
            self.wp = i
            self.done = 0
            self.offCnt = 0
            self.rivals = [[float(self.rng.integers(self.trk.n)), self.rng.uniform(0.2, 0.4), self.rng.uniform(-3, 3)]
                           for _ in range(self.nRivals)]
            self.bump = False
            return self._frame(), {}

    def _rivalPos(self, rv):
        i = int(rv[0]) % self.trk.n
        h = self.trk.heading(i)
        p = self.trk.pts[i]
        return p[0] - np.sin(h) * rv[2], p[1] + np.cos(h) * rv[2]

    def step(self, action):
        st, th = ACTS[int(action)]
        self.ang += 0.11 * st * min(1.0, self.v)
        self.v += 0.08 * th - 0.02 * self.v
        onMap = self.trk.map[int(self.y) % SZ, int(self.x) % SZ]
        if onMap < 100:
            self.v *= 0.93
            self.offCnt += 1
        else:
            self.offCnt = 0
        self.v = float(np.clip(self.v, 0.05, 1.6))
        self.x = float(np.clip(self.x + self.v * np.cos(self.ang), 1, SZ - 2))
        self.y = float(np.clip(self.y + self.v * np.sin(self.ang), 1, SZ - 2))
        self.bump = False
        for rv in self.rivals:
            rv[0] = (rv[0] + rv[1]) % self.trk.n
            rx, ry = self._rivalPos(rv)
            if (rx - self.x) ** 2 + (ry - self.y) ** 2 < 6.0:
                self.bump = True
                self.v *= 0.5
        r = self._reward()
        lap = self.done >= self.trk.n
        dead = self.offCnt > 40
        return self._frame(), r, bool(lap or dead), False, {"lap": lap}

    def _reward(self):
        with clk("env.reward"):
            i, dist = self.trk.nearest(self.x, self.y)
            adv = (i - self.wp + self.trk.n // 2) % self.trk.n - self.trk.n // 2
            self.wp = i
            self.done += adv
            r = 0.2 * adv - 0.01
            if dist > self.trk.halfW:
                r -= 0.05
            if self.bump:
                r -= 0.3
            return float(r)

    def _frame(self):
        with clk("env.observe"):
            c, s = np.cos(self.ang), np.sin(self.ang)
            gx = (self.x + self.fwd * c - self.side * s).astype(int)
            gy = (self.y + self.fwd * s + self.side * c).astype(int)
            ok = (gx >= 0) & (gx < SZ) & (gy >= 0) & (gy < SZ)
            img = np.zeros((VIEW, VIEW), np.uint8)
            img[ok] = self.trk.map[gy[ok], gx[ok]]
            for rv in self.rivals:
                rx, ry = self._rivalPos(rv)
                dx, dy = rx - self.x, ry - self.y
                f, sd = dx * c + dy * s, -dx * s + dy * c
                px, py = int(sd + VIEW / 2), int(VIEW * 0.8 - f)
                if 1 <= px < VIEW - 1 and 1 <= py < VIEW - 1:
                    img[py - 1:py + 2, px - 1:px + 2] = 215
            b = int(VIEW * 0.8)
            img[b - 1:b + 2, VIEW // 2 - 1:VIEW // 2 + 1] = 240
            img[-2:, :int(self.v / 1.6 * VIEW)] = 200       # speed bar
            return img[None]

    def render(self):
        """Nice big colour picture of the whole track."""
        k = 3
        big = np.kron(self.trk.map, np.ones((k, k), np.uint8))
        rgb = np.stack([big, (big * 0.85).astype(np.uint8), (big * 0.6).astype(np.uint8)], -1)
        for rv in self.rivals:
            rx, ry = self._rivalPos(rv)
            rgb[int(ry * k) - 4:int(ry * k) + 5, int(rx * k) - 4:int(rx * k) + 5] = (40, 60, 220)
        for t in range(10):
            px = int((self.x + np.cos(self.ang) * t * 0.5) * k)
            py = int((self.y + np.sin(self.ang) * t * 0.5) * k)
            rgb[py - 2:py + 3, px - 2:px + 3] = (220, 40, 40)
        return rgb
