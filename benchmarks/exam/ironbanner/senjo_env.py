"""gymnasium wrapper.  戦場 = battlefield"""
import random
import gymnasium as gym
import numpy as np
from gymnasium import spaces

from battle import Battle, SIZE
from stopwatch import sw
from units import FOREST, HILL, WALL, FORT

OFFSETS = [(dx, dy) for dy in range(-3, 4) for dx in range(-3, 4) if abs(dx) + abs(dy) <= 3]
OFF_ID = {o: i for i, o in enumerate(OFFSETS)}
N_OFF = len(OFFSETS)            # 25
PER_UNIT = N_OFF * 5            # 5 = wait + 4 foes
N_ACTIONS = 4 * PER_UNIT + 1    # last one: end turn
PLANES = 17


class SenjoEnv(gym.Env):
    metadata = {"render_modes": ["ansi"]}

    def __init__(self, seed=0):
        self.observation_space = spaces.Box(-1.0, 2.0, (PLANES, SIZE, SIZE), np.float32)
        self.action_space = spaces.Discrete(N_ACTIONS)
        self.rng = random.Random(seed)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        sw.push("env.reset")
        if seed is not None:
            self.rng.seed(seed)
        self.b = Battle(self.rng)
        sw.pop()
        return self._obs(), {"action_mask": self._mask(), "won": 0}

    # action = ((unit * 25) + offset) * 5 + target
    def step(self, action):
        sw.push("env.step")
        b = self.b
        b.log.clear()
        reward = 0.0
        finish_turn = False
        if action == N_ACTIONS - 1:
            finish_turn = True
        else:
            slot, rest = divmod(int(action), PER_UNIT)
            off, tgt = divmod(rest, 5)
            u = b.units[slot]
            b.walk(u, (u.x + OFFSETS[off][0], u.y + OFFSETS[off][1]))
            u.acted = True
            if tgt:
                foe = b.units[3 + tgt]
                dealt, taken = b.duel(u, foe)
                reward += (dealt - 0.7 * taken) / 20.0
                if not foe.alive:
                    reward += 0.5
            b.morale()
            finish_turn = all(u.acted for u in b.army(0))
        done = trunc = False
        won = 0
        if not b.army(1):
            done, won = True, 1
            reward += 3.0
        elif finish_turn and b.army(0):
            before = len(b.army(0))
            sw.push("env.opponent")
            hurt, gained = b.enemy_turn()
            sw.pop()
            reward -= 0.7 * hurt / 20.0 - gained / 20.0
            reward -= 0.4 * (before - len(b.army(0)))
            b.turn += 1
            b.upkeep(0)
            if not b.army(1):
                done, won = True, 1
                reward += 3.0
        if not b.army(0):
            done = True
            reward -= 2.0
        if not done and b.turn > b.MAX_TURN:
            trunc = True
        sw.pop()
        return self._obs(), reward, done, trunc, {"action_mask": self._mask(), "won": won}

    def _mask(self):
        sw.push("env.mask")
        b = self.b
        m = np.zeros(N_ACTIONS, dtype=bool)
        foes = b.army(1)
        legal = []
        for u in b.army(0):
            if u.acted:
                continue
            for cell in b.reach(u):
                i = u.slot * PER_UNIT + OFF_ID[(cell[0] - u.x, cell[1] - u.y)] * 5
                legal.append(i)
                for f in foes:
                    if b.can_hit(u, cell, f):
                        legal.append(i + 1 + f.slot)
        m[legal] = True
        m[-1] = True
        sw.pop()
        return m

    def _obs(self):
        sw.push("env.observe")
        b = self.b
        o = np.zeros((PLANES, SIZE, SIZE), np.float32)
        for u in b.units:
            if u.alive:
                o[u.side * 4 + u.cls, u.y, u.x] = u.hp / u.job.hp
                o[16, u.y, u.x] = u.morale / 2
                if u.acted:
                    o[8, u.y, u.x] = 1
        t = np.asarray(b.tile)
        o[9] = t == FOREST
        o[10] = t == HILL
        o[11] = t == WALL
        o[12] = t == FORT
        # danger zones: where can each side hit next turn (赤いマス)
        for side in (0, 1):
            plane = [[0.0] * SIZE for _ in range(SIZE)]
            for u in b.army(side):
                zone = set()
                for (cx, cy) in b.reach(u):
                    for dy in range(-u.job.rmax, u.job.rmax + 1):
                        w = u.job.rmax - abs(dy)
                        y = cy + dy
                        if 0 <= y < SIZE:
                            for x in range(max(0, cx - w), min(SIZE, cx + w + 1)):
                                if abs(x - cx) + abs(dy) >= u.job.rmin:
                                    zone.add((x, y))
                for x, y in zone:
                    plane[y][x] += u.job.atk / 20.0
            o[13 + side] = plane
        o[15] = b.turn / b.MAX_TURN
        sw.pop()
        return np.clip(o, -1, 2)

    def render(self):
        return self.b.ascii()
