import math

import gymnasium as gym
import numpy as np


def make_centerline(rng, n=120, radius=40.0):
    """closed wobbly loop"""
    phases = rng.uniform(0, 2 * math.pi, size=4)
    amps = rng.uniform(0.03, 0.13, size=4)
    pts = []
    for i in range(n):
        a = 2 * math.pi * i / n
        r = radius * (1 + sum(amp * math.sin((k + 2) * a + ph) for k, (amp, ph) in enumerate(zip(amps, phases))))
        pts.append((r * math.cos(a), r * math.sin(a)))
    return pts


class TrackEnv(gym.Env):
    """Bicycle-model car on a random closed track. Action: (steer, throttle) in [-1, 1]."""

    HALF_WIDTH = 4.0
    N_RAYS = 13
    MAX_RAY = 25.0

    def __init__(self, timers=None, max_steps=400):
        self.timers = timers
        self.max_steps = max_steps
        self.action_space = gym.spaces.Box(-1, 1, (2,), np.float32)
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (self.N_RAYS + 7,), np.float32)
        self.angles = [math.radians(a) for a in np.linspace(-80, 80, self.N_RAYS)]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pts = make_centerline(self.np_random)
        n = len(self.pts)
        self.left, self.right = [], []
        self.heading = []
        for i in range(n):
            (x0, y0), (x1, y1) = self.pts[i - 1], self.pts[(i + 1) % n]
            h = math.atan2(y1 - y0, x1 - x0)
            x, y = self.pts[i]
            nx, ny = -math.sin(h) * self.HALF_WIDTH, math.cos(h) * self.HALF_WIDTH
            self.heading.append(h)
            self.left.append((x + nx, y + ny))
            self.right.append((x - nx, y - ny))
        i = int(self.np_random.integers(n))
        self.seg = i
        self.x, self.y = self.pts[i]
        self.yaw = self.heading[i]
        self.v = 2.0
        self.slip = 0.0
        self.steer = 0.0
        self.steps = 0
        self.progress = self.checkpoint = 0
        return self._get_obs(), {}

    def _nearest(self):
        n = len(self.pts)
        best, bi = 1e18, self.seg
        for k in range(-6, 9):
            i = (self.seg + k) % n
            px, py = self.pts[i]
            d = (px - self.x) ** 2 + (py - self.y) ** 2
            if d < best:
                best, bi = d, i
        return bi

    def _lateral(self):
        px, py = self.pts[self.seg]
        h = self.heading[self.seg]
        return -(self.x - px) * math.sin(h) + (self.y - py) * math.cos(h)

    def step(self, action):
        steer_cmd = max(-1.0, min(1.0, float(action[0])))
        throttle = max(-1.0, min(1.0, float(action[1])))
        dt = 0.02
        for _ in range(5):  # substeps
            self.steer += (0.5 * steer_cmd - self.steer) * 0.3
            acc = 6.0 * throttle if throttle > 0 else 10.0 * throttle
            acc -= 0.02 * self.v * abs(self.v) + 0.1 * self.v
            self.v = max(0.0, self.v + acc * dt)
            grip = 1.0 / (1.0 + (self.v * abs(self.steer) / 6.0) ** 2)
            rate = self.v / 2.4 * math.tan(self.steer) * grip
            self.slip += (rate * self.v * 0.01 * (1 - grip) - self.slip) * 0.2
            self.yaw += rate * dt
            self.x += self.v * math.cos(self.yaw - self.slip) * dt
            self.y += self.v * math.sin(self.yaw - self.slip) * dt
        self.steps += 1
        old = self.seg
        self.seg = self._nearest()
        moved = (self.seg - old + 60) % len(self.pts) - 60
        self.progress += moved
        lat = self._lateral()
        off = abs(lat) > self.HALF_WIDTH
        reward = moved * 1.0 + 0.01 * self.v - 0.05 * abs(self.steer) - (10.0 if off else 0.0)
        if self.steps % 60 == 0:  # parked? game over
            off = off or self.progress - self.checkpoint < 3
            self.checkpoint = self.progress
        terminated = off
        truncated = self.steps >= self.max_steps
        return self._get_obs(), reward, terminated, truncated, {"progress": self.progress}

    def _cast(self, ang):
        dx, dy = math.cos(ang), math.sin(ang)
        n = len(self.pts)
        best = self.MAX_RAY
        ox, oy = self.x, self.y
        for wall in (self.left, self.right):
            i = (self.seg - 3) % n
            ax, ay = wall[i]
            for k in range(22):
                i = (i + 1) % n
                bx, by = wall[i]
                ex, ey = bx - ax, by - ay
                det = dx * ey - dy * ex
                if abs(det) > 1e-9:
                    qx, qy = ax - ox, ay - oy
                    t = (qx * ey - qy * ex) / det
                    u = (qx * dy - qy * dx) / det
                    if 0.0 <= u <= 1.0 and 0.0 < t < best:
                        best = t
                ax, ay = bx, by
        return best

    def _get_obs(self):
        from time import perf_counter
        t = perf_counter()
        rays = [self._cast(self.yaw + a) / self.MAX_RAY for a in self.angles]
        n = len(self.pts)
        herr = math.remainder(self.yaw - self.heading[self.seg], 2 * math.pi)
        ahead = [math.remainder(self.heading[(self.seg + k) % n] - self.heading[self.seg], 2 * math.pi) for k in (5, 10)]
        obs = np.array(rays + [self.v / 15, self.steer, self.slip, herr, self._lateral() / self.HALF_WIDTH] + ahead,
                       dtype=np.float32)
        if self.timers is not None:
            self.timers["env.observe"] += perf_counter() - t
        return obs
