# mz.py - foggy maze with keys, doors, and wardens who hear you
import random
from collections import deque

import numpy as np

DX = (0, 1, 0, -1)
DY = (-1, 0, 1, 0)
VR = 2  # view radius


class Mz:
    n_act = 5  # N E S W grab

    def __init__(self, sz=15, n_key=2, n_wrd=4, t_max=200, seed=None):
        self.sz, self.n_key, self.n_wrd, self.t_max = sz, n_key, n_wrd, t_max
        self.rng = random.Random(seed)
        self.n_obs = (2 * VR + 1) ** 2 * 4 + 4 + 3

    def gen(self):
        """depth-first maze with a few loops knocked in"""
        s, rng = self.sz, self.rng
        g = [[1] * s for _ in range(s)]
        g[1][1] = 0
        st = [(1, 1)]
        while st:
            x, y = st[-1]
            opts = []
            for d in range(4):
                nx, ny = x + 2 * DX[d], y + 2 * DY[d]
                if 0 < nx < s - 1 and 0 < ny < s - 1 and g[ny][nx]:
                    opts.append((nx, ny, x + DX[d], y + DY[d]))
            if not opts:
                st.pop()
                continue
            nx, ny, mx, my = rng.choice(opts)
            g[my][mx] = 0
            g[ny][nx] = 0
            st.append((nx, ny))
        for _ in range(s):
            x, y = rng.randrange(1, s - 1), rng.randrange(1, s - 1)
            g[y][x] = 0
        return g

    def reset(self):
        rng = self.rng
        self.g = self.gen()
        free = [(x, y) for y in range(self.sz) for x in range(self.sz) if not self.g[y][x] and (x, y) != (1, 1)]
        rng.shuffle(free)
        self.p = (1, 1)
        self.exit = max(free, key=lambda c: c[0] + c[1] + rng.random())
        free.remove(self.exit)
        self.keys = {free.pop() for _ in range(self.n_key)}
        far = [c for c in free if c[0] + c[1] > 8]
        self.wrd = [far.pop() for _ in range(self.n_wrd)]
        self.got = 0
        self.t = 0
        self.been = {self.p}
        self.last = 4

    def flood(self, src, cap):
        """distance from src through corridors"""
        d = {src: 0}
        q = deque([src])
        while q:
            x, y = q.popleft()
            k = d[x, y]
            if k >= cap:
                break
            for i in range(4):
                c = (x + DX[i], y + DY[i])
                if c not in d and not self.g[c[1]][c[0]]:
                    d[c] = k + 1
                    q.append(c)
        return d

    def step(self, a):
        self.t += 1
        self.last = a
        r = -0.01
        end = False
        if a < 4:
            c = (self.p[0] + DX[a], self.p[1] + DY[a])
            if self.g[c[1]][c[0]]:
                r -= 0.02
            else:
                self.p = c
                if c not in self.been:
                    self.been.add(c)
                    r += 0.03
        elif self.p in self.keys:
            self.keys.remove(self.p)
            self.got += 1
            r += 1.0
        # wardens: hear within 18 steps, walk towards, or wander
        d = self.flood(self.p, 18)
        for i, w in enumerate(self.wrd):
            opts = []
            for k in range(4):
                c = (w[0] + DX[k], w[1] + DY[k])
                if not self.g[c[1]][c[0]] and c not in self.wrd:
                    opts.append(c)
            if not opts:
                continue
            if w in d and self.rng.random() < 0.6:
                c = min(opts, key=lambda c: d.get(c, 99))
            else:
                c = self.rng.choice(opts)
            self.wrd[i] = c
        if self.p in self.wrd:
            r -= 1.0
            end = True
        if self.p == self.exit and self.got == self.n_key:
            r += 3.0
            end = True
        if self.t >= self.t_max:
            end = True
        return r, end

    def obs(self):
        w = 2 * VR + 1
        v = np.zeros((4, w, w), np.float32)
        px, py = self.p
        for j in range(w):
            for i in range(w):
                x, y = px + i - VR, py + j - VR
                if not (0 <= x < self.sz and 0 <= y < self.sz) or self.g[y][x]:
                    v[0, j, i] = 1
                    continue
                c = (x, y)
                if c in self.keys:
                    v[1, j, i] = 1
                if c in self.wrd:
                    v[2, j, i] = 1
                if c == self.exit:
                    v[3, j, i] = 1
        o = np.zeros(self.n_obs, np.float32)
        k = v.size
        o[:k] = v.ravel()
        if self.last < 4:
            o[k + self.last] = 1
        o[k + 4] = self.got / self.n_key
        o[k + 5] = self.t / self.t_max
        o[k + 6] = 1.0 if self.p in self.been else 0.0
        return o
