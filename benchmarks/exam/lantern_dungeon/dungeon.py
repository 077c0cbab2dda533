"""Lantern: a little roguelike. You only see what your lantern lights."""
import math
from collections import deque
from time import perf_counter

import gymnasium as gym
import numpy as np
from gymnasium import spaces

WALL, FLOOR, KEY, DOOR, GOLD, TRAP = range(6)
MOVES = ((0, -1), (1, 0), (0, 1), (-1, 0))
R = 4                     # lantern radius
VIEW = 2 * R + 1

# seconds spent in here, read by train.py
CLK = {"env.reset": 0.0, "env.step": 0.0, "env.observe": 0.0, "env.reward": 0.0}


class LanternEnv(gym.Env):
    """actions: 4 moves, 4 = wait, 5 = swing sword"""
    metadata = {"render_modes": []}

    def __init__(self, size=21, monsters=5, max_steps=200):
        self.size, self.n_mon, self.max_steps = size, monsters, max_steps
        self.observation_space = spaces.Dict({
            "view": spaces.Box(0, 8, (VIEW, VIEW), np.int8),
            "stats": spaces.Box(-1, 1, (4,), np.float32)})
        self.action_space = spaces.Discrete(6)

    # ------------------------------------------------------------ building
    def _dig(self):
        g = np.zeros((self.size, self.size), np.int8)
        rooms = []
        for _ in range(40):
            w, h = self.np_random.integers(3, 7, 2)
            x, y = self.np_random.integers(1, self.size - w), self.np_random.integers(1, self.size - h)
            if (g[y - 1:y + h + 1, x - 1:x + w + 1] == FLOOR).any():
                continue
            g[y:y + h, x:x + w] = FLOOR
            rooms.append((x + w // 2, y + h // 2))
        for (ax, ay), (bx, by) in zip(rooms, rooms[1:]):
            for x in range(min(ax, bx), max(ax, bx) + 1):
                g[ay, x] = FLOOR
            for y in range(min(ay, by), max(ay, by) + 1):
                g[y, bx] = FLOOR
        return g, rooms

    def _distances(self, x, y):
        d = np.full(self.grid.shape, 999)
        d[y, x] = 0
        q = deque([(x, y)])
        while q:
            cx, cy = q.popleft()
            for dx, dy in MOVES:
                nx, ny = cx + dx, cy + dy
                if self.grid[ny, nx] != WALL and d[ny, nx] == 999:
                    d[ny, nx] = d[cy, cx] + 1
                    q.append((nx, ny))
        return d

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        t = perf_counter()
        while True:
            self.grid, rooms = self._dig()
            if len(rooms) >= 4:
                break
        self.x, self.y = (int(v) for v in rooms[0])
        self.grid[rooms[len(rooms) // 2][::-1]] = KEY
        self.grid[rooms[-1][::-1]] = DOOR
        free = np.argwhere(self.grid == FLOOR)
        self.np_random.shuffle(free)
        free = [(int(c), int(r)) for r, c in free if abs(c - self.x) + abs(r - self.y) > 3]
        for kind in (GOLD,) * 6 + (TRAP,) * 4:
            c, r = free.pop()
            self.grid[r, c] = kind
        self.mons = [list(free.pop()) + [2] for _ in range(self.n_mon)]
        self.hp, self.has_key, self.t, self.gold = 10, False, 0, 0
        self.seen = np.zeros_like(self.grid, bool)
        CLK["env.reset"] += perf_counter() - t
        return self._obs(), {}

    # ------------------------------------------------------------ seeing
    def _obs(self):
        t = perf_counter()
        v = np.full((VIEW, VIEW), 8, np.int8)       # 8 = dark
        self.new_cells = 0
        for k in range(48):
            a = 2 * math.pi * k / 48
            dx, dy = math.cos(a), math.sin(a)
            d = 0.0
            while d <= R:
                cx, cy = round(self.x + dx * d), round(self.y + dy * d)
                if not (0 <= cx < self.size and 0 <= cy < self.size):
                    break
                v[cy - self.y + R, cx - self.x + R] = self.grid[cy, cx]
                if not self.seen[cy, cx]:
                    self.seen[cy, cx] = True
                    self.new_cells += 1
                if self.grid[cy, cx] == WALL:
                    break
                d += 0.5
        for mx, my, hp in self.mons:
            ix, iy = mx - self.x + R, my - self.y + R
            if 0 <= ix < VIEW and 0 <= iy < VIEW and v[iy, ix] != 8:
                v[iy, ix] = 6
        s = np.array([self.hp / 10, float(self.has_key), self.t / self.max_steps, self.gold / 6], np.float32)
        CLK["env.observe"] += perf_counter() - t
        return {"view": v, "stats": s}

    # ------------------------------------------------------------ rules
    def step(self, action):
        t = perf_counter()
        self.t += 1
        rew, dead, won = -0.01, False, False
        if action < 4:
            nx, ny = self.x + MOVES[action][0], self.y + MOVES[action][1]
            cell = self.grid[ny, nx]
            if cell != WALL and not any(m[0] == nx and m[1] == ny for m in self.mons) and (cell != DOOR or self.has_key):
                self.x, self.y = nx, ny
                if cell == KEY:
                    self.has_key, rew = True, rew + 1
                elif cell == GOLD:
                    self.gold, rew = self.gold + 1, rew + 0.5
                elif cell == TRAP:
                    self.hp -= 2
                elif cell == DOOR:
                    won, rew = True, rew + 5
                if cell in (KEY, GOLD, TRAP):
                    self.grid[ny, nx] = FLOOR
        elif action == 5:
            for m in self.mons:
                if abs(m[0] - self.x) + abs(m[1] - self.y) == 1:
                    m[2] -= 1
                    rew += 0.2
            self.mons = [m for m in self.mons if m[2] > 0]
        # monsters smell you
        dist = self._distances(self.x, self.y)
        for m in self.mons:
            here = dist[m[1], m[0]]
            if here == 1:
                self.hp -= 1
            elif here < 8:
                opts = [(dist[m[1] + dy, m[0] + dx], m[0] + dx, m[1] + dy) for dx, dy in MOVES]
                d, nx, ny = min(opts)
                if d < here and not any(o[0] == nx and o[1] == ny for o in self.mons):
                    m[0], m[1] = nx, ny
        if self.hp <= 0:
            dead, rew = True, rew - 2
        CLK["env.step"] += perf_counter() - t
        return self._obs(), rew, dead or won, self.t >= self.max_steps, {"won": won}
