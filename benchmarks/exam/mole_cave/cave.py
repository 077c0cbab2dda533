"""a mole digs for gems in a cave full of falling stones"""
import random
from collections import deque

import numpy as np

SIZE = 18
SOIL, AIR, STONE, GEM, ROCK, MOLE, WORM = range(7)
VIEW = 4            # sees 9x9 around itself
MOVES = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)]
N_IN = (2 * VIEW + 1) ** 2 * 6 + 8


class Cave:
    def __init__(self, seed):
        self.dice = random.Random(seed)

    def carve(self):
        while True:
            g = [[ROCK] * SIZE]
            for y in range(SIZE - 2):
                row = [ROCK]
                for x in range(SIZE - 2):
                    r = self.dice.random()
                    row.append(STONE if r < 0.14 else GEM if r < 0.20 else AIR if r < 0.32 else ROCK if r < 0.38 else SOIL)
                row.append(ROCK)
                g.append(row)
            g.append([ROCK] * SIZE)
            self.y, self.x = 2, 2 + self.dice.randrange(SIZE - 4)
            g[self.y][self.x] = MOLE
            g[self.y - 1][self.x] = SOIL
            self.g = g
            if len(self.reach()) >= 6:
                break
        self.worms = []
        for _ in range(3):
            y, x = self.dice.randrange(8, SIZE - 1), self.dice.randrange(1, SIZE - 1)
            self.g[y][x] = WORM
            self.worms.append([y, x, self.dice.randrange(1, 5)])
        self.air, self.gems, self.dead, self.age = 120, 0, False, 0
        self.been = {(self.y, self.x)}
        self.falling = set()

    def reach(self):
        """gems the mole could walk to, flood fill, with distances"""
        seen, q, found = {(self.y, self.x): 0}, deque([(self.y, self.x)]), []
        while q:
            y, x = q.popleft()
            for dy, dx in MOVES[1:]:
                p = (y + dy, x + dx)
                if p in seen:
                    continue
                c = self.g[p[0]][p[1]]
                if c == ROCK or c == STONE:
                    continue
                seen[p] = seen[(y, x)] + 1
                if c == GEM:
                    found.append((seen[p], p))
                q.append(p)
        return found

    def dig(self, m):
        g = self.g
        self.got, self.new, self.bump = 0, False, False
        dy, dx = MOVES[m]
        ny, nx = self.y + dy, self.x + dx
        c = g[ny][nx]
        if m and c in (SOIL, AIR, GEM):
            g[self.y][self.x] = AIR
            g[ny][nx] = MOLE
            self.y, self.x = ny, nx
            self.got = c == GEM
        elif m and c == STONE and dy == 0 and g[ny][nx + dx] == AIR:
            g[ny][nx + dx] = STONE
            g[ny][nx] = MOLE
            g[self.y][self.x] = AIR
            self.x = nx
        elif m and c == WORM:
            self.dead = True
        elif m:
            self.bump = True
        if (self.y, self.x) not in self.been:
            self.been.add((self.y, self.x))
            self.new = True
        self.gems += self.got
        self.air += 25 * self.got - 1
        self.tumble()
        self.wriggle()
        self.age += 1
        return self.dead or self.air <= 0 or self.age >= 300

    def tumble(self):
        g, now = self.g, set()
        for y in range(SIZE - 2, 0, -1):
            row, low = g[y], g[y + 1]
            for x in range(1, SIZE - 1):
                if row[x] != STONE:
                    continue
                b = low[x]
                if b == AIR:
                    row[x], low[x] = AIR, STONE
                    now.add((y + 1, x))
                elif b == MOLE and (y, x) in self.falling:
                    self.dead = True
                elif b == STONE:
                    for s in (-1, 1):
                        if row[x + s] == AIR and low[x + s] == AIR:
                            row[x], low[x + s] = AIR, STONE
                            now.add((y + 1, x + s))
                            break
        self.falling = now

    def wriggle(self):
        g = self.g
        for w in self.worms:
            if g[w[0]][w[1]] != WORM:
                continue
            for _ in range(3):
                dy, dx = MOVES[w[2]]
                c = g[w[0] + dy][w[1] + dx]
                if c == MOLE:
                    self.dead = True
                    break
                if c == AIR:
                    g[w[0]][w[1]] = AIR
                    w[0] += dy
                    w[1] += dx
                    g[w[0]][w[1]] = WORM
                    break
                w[2] = self.dice.randrange(1, 5)

    def sniff(self):
        """what the mole knows: 9x9 one-hot + some numbers"""
        a = np.full((SIZE + 2 * VIEW, SIZE + 2 * VIEW), ROCK, dtype=np.int8)
        a[VIEW:-VIEW, VIEW:-VIEW] = self.g
        w = a[self.y:self.y + 2 * VIEW + 1, self.x:self.x + 2 * VIEW + 1]
        planes = np.stack([w == k for k in (SOIL, AIR, STONE, GEM, ROCK, WORM)]).astype(np.float32).ravel()
        near = self.reach()
        if near:
            d, (gy, gx) = min(near)
            tip = (d / 20, (gy - self.y) / SIZE, (gx - self.x) / SIZE, len(near) / 20)
        else:
            tip = (2.0, 0.0, 0.0, 0.0)
        return np.concatenate([planes, np.array(tip + (self.air / 120, self.age / 300, self.y / SIZE, self.x / SIZE), dtype=np.float32)])

    def pay(self):
        r = 1.0 * self.got + 0.03 * self.new - 0.02 * self.bump - 0.01
        if self.dead:
            r -= 1.0
        near = self.reach()
        if near:
            r += 0.01 * (1.0 - min(d for d, _ in near) / 20)
        return r
