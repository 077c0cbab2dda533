import math
import random
import time

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from track import HALF_WIDTH, Track

N_RAYS = 31
FOV = math.radians(200)
RAY_MAX = 40.0
SUBSTEPS = 40                   # small ones, the tyres explode otherwise
DT = 0.1 / SUBSTEPS
CAR_L, CAR_W = 1.6, 0.8         # half sizes
MAX_STEPS = 420

# rows of the "marks" array in info
RESET, STEP, OBSERVE = range(3)


class Racer(gym.Env):
    """Top-down car with two axles and tyres that slip. action = (steer, pedal), both in [-1, 1]."""

    metadata = {"render_modes": ["ansi"]}

    def __init__(self, seed=0, tracks_per_reset=1):
        self.rng = random.Random(seed)
        self.observation_space = spaces.Box(-5.0, 5.0, (N_RAYS + 9,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.track = None

    # ---------------------------------------------------------------- gym API
    def reset(self, *, seed=None, options=None):
        marks = np.zeros((3, 2))
        marks[RESET, 0] = time.perf_counter()
        super().reset(seed=seed)
        if seed is not None:
            self.rng.seed(seed)
        self.track = Track(self.rng)
        self.x, self.y = self.track.mid[0]
        tx, ty = self.track.tangent[0]
        self.yaw = math.atan2(ty, tx) + self.rng.uniform(-0.15, 0.15)
        self.vx, self.vy, self.omega = self.rng.uniform(0, 6), 0.0, 0.0   # car frame
        self.steer = 0.0
        self.at = 0                 # nearest centre line point
        self.s = 0.0                # arc length of the projection
        self.travelled = 0.0
        self.t = 0
        self.hits = 0
        self.slip = 0.0
        self.crashed = False
        self.knocked = set()
        self.ep_return = 0.0
        self.stuck = 0
        marks[RESET, 1] = marks[OBSERVE, 0] = time.perf_counter()
        obs = self._observe()
        marks[OBSERVE, 1] = time.perf_counter()
        return obs, {"marks": marks}

    def step(self, action):
        marks = np.zeros((3, 2))
        marks[STEP, 0] = time.perf_counter()
        steer, pedal = float(action[0]), float(action[1])
        scrape, cones = self._drive(steer, pedal)
        self.t += 1
        reward = self._reward(steer, scrape, cones)
        self.ep_return += reward
        terminated = self.crashed or self.stuck > 40 or self.travelled >= self.track.length
        truncated = self.t >= MAX_STEPS and not terminated
        marks[STEP, 1] = marks[OBSERVE, 0] = time.perf_counter()
        obs = self._observe()
        marks[OBSERVE, 1] = time.perf_counter()
        info = {"marks": marks}
        if terminated or truncated:
            info["ep_return"] = self.ep_return
            info["ep_dist"] = self.travelled / self.track.length
        return obs, reward, terminated, truncated, info

    # ---------------------------------------------------------------- physics
    def _drive(self, steer_cmd, pedal):
        walls = self.track.window(self.at, 4, 5)
        near = self.track.cones_near(self.at, 3, 4)
        scrape, cones = 0.0, 0
        mass, inertia, lf, lr = 1.0, 1.4, 1.2, 1.2
        for _ in range(SUBSTEPS):
            # the steering wheel needs time
            self.steer += max(-0.015, min(0.015, 0.55 * steer_cmd - self.steer))
            v = max(1.0, abs(self.vx))
            alpha_f = math.atan2(self.vy + lf * self.omega, v) - self.steer
            alpha_r = math.atan2(self.vy - lr * self.omega, v)
            # "magic formula", very short version
            f_front = -9.0 * math.sin(1.4 * math.atan(6.0 * alpha_f))
            f_rear = -9.5 * math.sin(1.4 * math.atan(6.5 * alpha_r))
            if pedal >= 0:
                drive = 9.0 * pedal * (1.0 - self.vx / 32.0)
            else:
                drive = 14.0 * pedal if self.vx > 0.3 else 2.0 * pedal
            drag = 0.012 * self.vx * abs(self.vx) + 0.25 * self.vx
            ax = (drive - drag - f_front * math.sin(self.steer)) / mass + self.vy * self.omega
            ay = (f_front * math.cos(self.steer) + f_rear) / mass - self.vx * self.omega
            aw = (lf * f_front * math.cos(self.steer) - lr * f_rear) / inertia
            self.vx = max(-3.0, self.vx + ax * DT)
            self.vy += ay * DT
            self.omega = max(-4.0, min(4.0, self.omega + aw * DT))
            c, s = math.cos(self.yaw), math.sin(self.yaw)
            self.x += (self.vx * c - self.vy * s) * DT
            self.y += (self.vx * s + self.vy * c) * DT
            self.yaw += self.omega * DT
            self.slip = alpha_r

            # the four corners against the walls
            c, s = math.cos(self.yaw), math.sin(self.yaw)
            corners = [(self.x + a * c - b * s, self.y + a * s + b * c)
                       for a in (CAR_L, -CAR_L) for b in (CAR_W, -CAR_W)]
            deepest, push = 0.0, None
            for px, py in corners:
                hit = self._outside(px, py, walls)
                if hit is not None and hit[0] > deepest:
                    deepest, push = hit[0], hit[1:]
            if push is not None:
                nx, ny = push
                self.x += nx * deepest
                self.y += ny * deepest
                wx, wy = self.vx * c - self.vy * s, self.vx * s + self.vy * c
                into = wx * nx + wy * ny
                if into < 0:
                    wx -= 1.3 * into * nx
                    wy -= 1.3 * into * ny
                    self.vx, self.vy = wx * c + wy * s, -wx * s + wy * c
                    self.vx *= 0.96
                    scrape += -into
                    if into < -11.0:
                        self.crashed = True
            for cone in near:
                if cone in self.knocked:
                    continue
                if math.hypot(cone[0] - self.x, cone[1] - self.y) < cone[2] + 1.2:
                    self.knocked.add(cone)
                    self.vx *= 0.75
                    self.omega += self.rng.uniform(-0.8, 0.8)
                    cones += 1
        if scrape > 0:
            self.hits += 1
        return scrape, cones

    def _outside(self, px, py, walls):
        """how deep a point is behind the nearest wall (left walls are even, right walls odd)"""
        best, found = 2.0, None
        for k, ((ax, ay), (bx, by)) in enumerate(walls):
            dx, dy = bx - ax, by - ay
            L2 = dx * dx + dy * dy
            if L2 < 1e-6:
                continue
            u = ((px - ax) * dx + (py - ay) * dy) / L2
            if u < 0 or u > 1:
                continue
            L = math.sqrt(L2)
            side = (dx * (py - ay) - dy * (px - ax)) / L      # > 0 : left of the segment
            depth = side if k % 2 == 0 else -side
            if abs(depth) < best:
                best = abs(depth)
                sign = 1 if k % 2 == 0 else -1
                found = (depth, sign * dy / L, -sign * dx / L) if depth > 0 else None
        return found

    # ----------------------------------------------------------------- reward
    def _reward(self, steer, scrape, cones):
        """progress along the centre line, found by projecting on the segments around the old place"""
        tr = self.track
        n = tr.n
        best, where, arc = 1e18, self.at, self.s
        for k in range(self.at - 6, self.at + 9):
            i = k % n
            ax, ay = tr.mid[i]
            bx, by = tr.mid[(i + 1) % n]
            dx, dy = bx - ax, by - ay
            u = ((self.x - ax) * dx + (self.y - ay) * dy) / (dx * dx + dy * dy + 1e-9)
            u = 0.0 if u < 0 else 1.0 if u > 1 else u
            qx, qy = ax + u * dx - self.x, ay + u * dy - self.y
            d = qx * qx + qy * qy
            if d < best:
                best, where = d, i
                arc = tr.arc[i] + u * math.sqrt(dx * dx + dy * dy)
        gain = arc - self.s
        if gain > tr.length / 2:
            gain -= tr.length
        elif gain < -tr.length / 2:
            gain += tr.length
        self.at, self.s = where, arc
        self.offset = math.sqrt(best)
        self.travelled += gain
        self.stuck = self.stuck + 1 if gain < 0.08 else 0

        r = 0.5 * gain - 0.02
        r -= 0.08 * min(scrape, 8.0) + 0.4 * cones
        r -= 0.05 * max(0.0, self.offset - 0.75 * HALF_WIDTH)
        r -= 0.01 * abs(steer) + 0.05 * min(abs(self.slip), 1.0)
        if self.crashed:
            r -= 5.0
        if self.travelled >= tr.length:
            r += 10.0
        return r

    # ------------------------------------------------------------ observation
    def _observe(self):
        obs = np.zeros(N_RAYS + 9, np.float32)
        walls = self.track.window(self.at, 6, 12)
        cones = [c for c in self.track.cones_near(self.at, 5, 11) if c not in self.knocked]
        for k in range(N_RAYS):
            ang = self.yaw + FOV * (k / (N_RAYS - 1) - 0.5)
            obs[k] = self._ray(math.cos(ang), math.sin(ang), walls, cones) / RAY_MAX
        tr = self.track
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        tail = [self.vx / 15.0, self.vy / 5.0, self.omega / 2.0, self.steer * 2, self.slip]
        for ahead in (3, 7):
            x, y = tr.mid[(self.at + ahead) % tr.n]
            dx, dy = x - self.x, y - self.y
            tail.append((dx * c + dy * s) / 20.0)
            tail.append((-dx * s + dy * c) / 20.0)
        obs[N_RAYS:] = tail
        return np.clip(obs, -5.0, 5.0)

    def _ray(self, rx, ry, walls, cones):
        x, y = self.x, self.y
        best = RAY_MAX
        for (ax, ay), (bx, by) in walls:
            dx, dy = bx - ax, by - ay
            den = rx * dy - ry * dx
            if -1e-9 < den < 1e-9:
                continue
            ex, ey = ax - x, ay - y
            t = (ex * dy - ey * dx) / den
            if t < 0 or t >= best:
                continue
            u = (ex * ry - ey * rx) / den
            if 0 <= u <= 1:
                best = t
        for cx, cy, rad, _ in cones:
            ex, ey = cx - x, cy - y
            along = ex * rx + ey * ry
            if along < 0 or along - rad > best:
                continue
            miss2 = ex * ex + ey * ey - along * along
            if miss2 < rad * rad:
                best = min(best, along - math.sqrt(rad * rad - miss2))
        return max(best, 0.0)

    def render(self):
        return f"t={self.t} v={self.vx:.1f} m/s  {100 * self.travelled / self.track.length:.0f} % of the lap"
