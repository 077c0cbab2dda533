import math

import gymnasium as gym
import numpy as np
from time import perf_counter

N_RAYS = 15
DEG = math.pi / 180


class Regatta(gym.Env):
    """sail round four buoys, gusty wind, islands. you cannot see the gusts, only feel them"""

    def __init__(self, stopwatch):
        self.action_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)           # rudder, sheet
        self.observation_space = gym.spaces.Box(-9.0, 9.0, (N_RAYS + 9,), np.float32)
        self.watch = stopwatch
        self.fan = np.linspace(-100, 100, N_RAYS) * DEG

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        t = perf_counter()
        r = self.np_random
        while True:
            self.rocks = np.column_stack([r.uniform(-40, 40, 9), r.uniform(-40, 40, 9), r.uniform(2, 6, 9)])
            ang = r.uniform(0, 6.28) + np.arange(4) * 1.57
            self.buoys = np.column_stack([28 * np.cos(ang), 28 * np.sin(ang)])
            pts = np.vstack([self.buoys, [[0.0, 0.0]]])
            gap = np.hypot(pts[:, None, 0] - self.rocks[None, :, 0], pts[:, None, 1] - self.rocks[None, :, 1]) - self.rocks[None, :, 2]
            if gap.min() > 2.5:
                break
        self.rock_list = self.rocks.tolist()
        self.x = self.y = self.spin = 0.0
        self.heading = float(r.uniform(0, 6.28))
        self.speed = 1.0
        self.wind_dir = float(r.uniform(0, 6.28))
        self.wind = 6.0
        self.gusts = r.normal(size=(6, 3)).tolist()
        self.clock = 0.0
        self.leg = self.ticks = 0
        self.aground = False
        self.gap = self._to_buoy()
        t2 = perf_counter()
        self.watch["env.reset"] += t2 - t
        o = self._lookout()
        self.watch["env.observe"] += perf_counter() - t2
        return o, {}

    def _to_buoy(self):
        b = self.buoys[self.leg % 4]
        return math.hypot(b[0] - self.x, b[1] - self.y)

    def _gust(self):
        s = 0.0
        for a, b, c in self.gusts:
            s += math.sin(0.15 * a * self.x + 0.15 * b * self.y + 0.7 * c * self.clock + a)
        return s / 6

    def step(self, action):
        t = perf_counter()
        rudder = max(-1.0, min(1.0, float(action[0])))
        sheet = 0.5 + 0.5 * max(-1.0, min(1.0, float(action[1])))
        dt = 0.05
        for _ in range(10):
            g = self._gust()
            w, wd = self.wind * (1 + 0.4 * g), self.wind_dir + 0.3 * g
            ax = w * math.cos(wd) - self.speed * math.cos(self.heading)
            ay = w * math.sin(wd) - self.speed * math.sin(self.heading)
            aw = math.hypot(ax, ay)
            off = (math.atan2(ay, ax) - self.heading + math.pi) % (2 * math.pi) - math.pi
            best = abs(off) / math.pi
            pull = max(0.0, 1.0 - 2.5 * abs(sheet - (1 - best))) * (1.0 - 0.85 * best ** 4)
            self.speed += dt * (0.16 * aw * pull - 0.12 * self.speed * abs(self.speed) - 0.25 * abs(rudder) * self.speed)
            self.spin += dt * (2.2 * rudder * (0.4 + self.speed / 4) - 1.6 * self.spin)
            self.heading += dt * self.spin
            self.x += dt * 3 * self.speed * math.cos(self.heading)
            self.y += dt * 3 * self.speed * math.sin(self.heading)
            self.clock += dt
            for rx, ry, rr in self.rock_list:
                if (self.x - rx) ** 2 + (self.y - ry) ** 2 < rr * rr:
                    self.aground = True
            if self.aground:
                break
        self.ticks += 1
        if abs(self.x) > 60 or abs(self.y) > 60:
            self.aground = True
        late = self.ticks >= 200
        t2 = perf_counter()
        self.watch["env.step"] += t2 - t
        p = self._prize(rudder)
        t3 = perf_counter()
        self.watch["env.reward"] += t3 - t2
        o = self._lookout()
        self.watch["env.observe"] += perf_counter() - t3
        return o, p, self.aground, late, {}

    def _prize(self, rudder):
        now = self._to_buoy()
        p = 0.1 * (self.gap - now) - 0.01 * abs(rudder)
        if now < 3.5:
            p += 3.0
            self.leg += 1
            now = self._to_buoy()
        self.gap = now
        if self.aground:
            p -= 3.0
        d = np.hypot(self.rocks[:, 0] - self.x, self.rocks[:, 1] - self.y) - self.rocks[:, 2]
        p -= 0.05 * float(np.clip(1.5 - d, 0, None).sum())
        return p

    def _lookout(self):
        a = self.heading + self.fan
        dx, dy = np.cos(a), np.sin(a)
        fx, fy = self.rocks[:, 0] - self.x, self.rocks[:, 1] - self.y
        along = dx[:, None] * fx + dy[:, None] * fy
        miss2 = (fx * fx + fy * fy) - along * along
        rad2 = self.rocks[:, 2] ** 2
        hit = np.where((along > 0) & (miss2 < rad2), along - np.sqrt(np.clip(rad2 - miss2, 0, None)), 40.0).min(1)
        b = self.buoys[self.leg % 4]
        bear = math.atan2(b[1] - self.y, b[0] - self.x) - self.heading
        wind = self.wind_dir - self.heading
        return np.concatenate([np.clip(hit, 0, 40) / 40, [math.cos(bear), math.sin(bear), self.gap / 40, math.cos(wind), math.sin(wind),
                               self.speed / 3, self.spin, self.leg / 8, self.ticks / 200]]).astype(np.float32)
