"""Two submarines in a rocky basin. I steer one, grumpy old captain Foe steers the other."""
import math
import random
from time import perf_counter

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, MultiDiscrete

from sonarScope import SonarScope

TURN = 0.22


class Hull:
    __slots__ = ("x", "y", "h", "v", "hull", "ammo", "reload")

    def __init__(self, x, y, h):
        self.x, self.y, self.h = x, y, h
        self.v, self.hull, self.ammo, self.reload = 1.0, 3, 8, 0


def sail(x, y, h, v, rudder, engine):
    v = min(3.0, max(0.0, v * 0.97 + 0.35 * engine))
    h += TURN * rudder * (0.4 + 0.2 * v)
    return x + v * math.cos(h), y + v * math.sin(h), h, v


class CaptainFoe:
    """tries all 9 helm positions a few ticks ahead"""
    ahead = 6

    def __init__(self, dice):
        self.dice = dice

    def think(self, sea):
        me, prey = sea.foe, sea.me
        best, bestCmd = -1e9, (0, 0)
        fish = [f for f in sea.fish if f[5] == 0]
        for rudder in (-1, 0, 1):
            for engine in (-1, 0, 1):
                x, y, h, v = me.x, me.y, me.h, me.v
                px, py, ph, pv = prey.x, prey.y, prey.h, prey.v
                val = self.dice.random() * 0.3
                for k in range(self.ahead):
                    x, y, h, v = sail(x, y, h, v, rudder if k < 4 else 0, engine)
                    px, py = px + pv * math.cos(ph), py + pv * math.sin(ph)
                    if not (2 < x < sea.size - 2 and 2 < y < sea.size - 2):
                        val -= 4
                    for (rx, ry, rr) in sea.rocks:
                        if abs(x - rx) < rr + 2 and abs(y - ry) < rr + 2:
                            val -= 3
                    for f in fish:
                        if abs(f[0] + f[2] * k - x) + abs(f[1] + f[3] * k - y) < 5:
                            val -= 2
                off = math.atan2(py - y, px - x) - h
                val += 2.0 * math.cos(off) - 0.03 * abs(math.hypot(px - x, py - y) - 22)
                if val > best:
                    best, bestCmd = val, (rudder, engine)
        off = math.atan2(prey.y - me.y, prey.x - me.x) - me.h
        shoot = math.cos(off) > 0.96 and math.hypot(prey.x - me.x, prey.y - me.y) < 38
        return bestCmd[0], bestCmd[1], shoot and self.dice.random() < 0.7


class SeaGame(gymnasium.Env):
    size = 100.0
    maxClock = 180

    def __init__(self, seed=0):
        self.dice = random.Random(seed)
        self.scope = SonarScope()
        self.captain = CaptainFoe(self.dice)
        self.observation_space = Dict({
            "ping": Box(0.0, 1.0, (3, SonarScope.nRays), np.float32),
            "panel": Box(-2.0, 2.0, (SonarScope.nDials,), np.float32)})
        self.action_space = MultiDiscrete([3, 3, 2])

    def reset(self, *, seed=None, options=None):
        t0 = perf_counter()
        super().reset(seed=seed)
        if seed is not None:
            self.dice.seed(seed)
        d = self.dice
        self.me = Hull(d.uniform(8, 25), d.uniform(10, 90), d.uniform(-1, 1))
        self.foe = Hull(d.uniform(75, 92), d.uniform(10, 90), math.pi + d.uniform(-1, 1))
        self.rocks = []
        while len(self.rocks) < 9:
            r = (d.uniform(12, 88), d.uniform(8, 92), d.uniform(2, 6))
            if all(math.hypot(r[0] - b.x, r[1] - b.y) > r[2] + 7 for b in (self.me, self.foe)) and \
                    all(math.hypot(r[0] - q[0], r[1] - q[1]) > r[2] + q[2] + 5 for q in self.rocks):
                self.rocks.append(r)
        self.fish = []
        self.clock = 0
        self.gained = 0.0
        self.lastGap = math.hypot(self.me.x - self.foe.x, self.me.y - self.foe.y)
        t1 = perf_counter()
        obs = self.scope.look(self)
        t2 = perf_counter()
        return obs, {"lap": (t0, t2, {"env.reset": t1 - t0, "env.observe": t2 - t1})}

    # --- rules -------------------------------------------------------
    def _fire(self, boat, owner):
        if boat.ammo > 0 and boat.reload == 0:
            boat.ammo -= 1
            boat.reload = 6
            c, s = math.cos(boat.h), math.sin(boat.h)
            self.fish.append([boat.x + 3 * c, boat.y + 3 * s, 4.2 * c, 4.2 * s, 14, owner])
            return True
        return False

    def _drive(self, boat, rudder, engine):
        boat.x, boat.y, boat.h, boat.v = sail(boat.x, boat.y, boat.h, boat.v, rudder, engine)
        if boat.reload:
            boat.reload -= 1
        bumped = False
        for (rx, ry, rr) in self.rocks:
            dx, dy = boat.x - rx, boat.y - ry
            gap = math.hypot(dx, dy)
            if gap < rr + 1.5:
                push = (rr + 1.5) / max(gap, 1e-6)
                boat.x, boat.y = rx + dx * push, ry + dy * push
                boat.v *= 0.3
                bumped = True
        if not 1 <= boat.x <= self.size - 1 or not 1 <= boat.y <= self.size - 1:
            boat.x = min(self.size - 1, max(1, boat.x))
            boat.y = min(self.size - 1, max(1, boat.y))
            boat.v *= 0.3
            bumped = True
        return bumped

    def _swimFish(self):
        hits = [0, 0]
        left = []
        for f in self.fish:
            gone = False
            for _ in range(3):
                f[0] += f[2] / 3
                f[1] += f[3] / 3
                for who, boat in ((0, self.me), (1, self.foe)):
                    if f[5] != who and abs(f[0] - boat.x) < 2.5 and abs(f[1] - boat.y) < 2.5:
                        hits[who] += 1
                        boat.hull -= 1
                        gone = True
                        break
                if gone:
                    break
                for (rx, ry, rr) in self.rocks:
                    if (f[0] - rx) ** 2 + (f[1] - ry) ** 2 < rr * rr:
                        gone = True
                        break
                if gone:
                    break
            f[4] -= 1
            if not gone and f[4] > 0:
                left.append(f)
        self.fish = left
        return hits

    def _score(self, hits, bumped, fired):
        gap = math.hypot(self.me.x - self.foe.x, self.me.y - self.foe.y)
        rew = 2.0 * hits[1] - 1.5 * hits[0] - 0.1 * bumped - 0.05 * fired
        if gap > 30:
            rew += 0.02 * (self.lastGap - gap)
        aim = math.cos(math.atan2(self.foe.y - self.me.y, self.foe.x - self.me.x) - self.me.h)
        rew += 0.02 * max(0.0, aim)
        if self.foe.hull <= 0:
            rew += 4
        if self.me.hull <= 0:
            rew -= 3
        self.lastGap = gap
        return rew

    def step(self, action):
        t0 = perf_counter()
        self.clock += 1
        rudder, engine, trigger = int(action[0]) - 1, int(action[1]) - 1, int(action[2])
        fired = bool(trigger) and self._fire(self.me, 0)
        bumped = self._drive(self.me, rudder, engine)
        t1 = perf_counter()
        fRudder, fEngine, fTrigger = self.captain.think(self)
        t2 = perf_counter()
        if fTrigger:
            self._fire(self.foe, 1)
        self._drive(self.foe, fRudder, fEngine)
        hits = self._swimFish()
        sunk = self.me.hull <= 0 or self.foe.hull <= 0
        late = self.clock >= self.maxClock
        t3 = perf_counter()
        rew = self._score(hits, bumped, fired)
        self.gained += rew
        t4 = perf_counter()
        obs = self.scope.look(self)
        t5 = perf_counter()
        info = {"lap": (t0, t5, {"env.step": t1 - t0 + t3 - t2, "env.opponent": t2 - t1,
                                 "env.reward": t4 - t3, "env.observe": t5 - t4})}
        if sunk or late:
            info["tale"] = (self.gained, self.clock, self.foe.hull <= 0)
        return obs, rew, sunk, late and not sunk, info
