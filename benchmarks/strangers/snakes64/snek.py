import random
from collections import deque

import numpy as np

UP, RIGHT, DOWN, LEFT = range(4)
DX = [0, 1, 0, -1]
DY = [-1, 0, 1, 0]


class SnekBoard:
    """one snake, one apple, some rocks"""

    def __init__(self, w=10, h=10, rocks=4, rng=None):
        self.w, self.h = w, h
        self.n_rocks = rocks
        self.rng = rng or random.Random()
        self.new_game()

    def new_game(self):
        self.body = deque()
        cx, cy = self.w // 2, self.h // 2
        for i in range(3):
            self.body.append((cx - i, cy))
        self.occupied = set(self.body)
        self.dir = RIGHT
        self.rocks = set()
        while len(self.rocks) < self.n_rocks:
            p = (self.rng.randrange(self.w), self.rng.randrange(self.h))
            if p not in self.occupied and abs(p[1] - cy) > 1:
                self.rocks.add(p)
        self.hungry = 0
        self.score = 0
        self.dead = False
        self.put_apple()

    def put_apple(self):
        free = [(x, y) for x in range(self.w) for y in range(self.h)
                if (x, y) not in self.occupied and (x, y) not in self.rocks]
        self.apple = self.rng.choice(free)

    def blocked(self, x, y):
        return x < 0 or y < 0 or x >= self.w or y >= self.h or (x, y) in self.rocks or (x, y) in self.occupied

    def move(self, turn):
        # turn: 0 straight, 1 right, 2 left
        self.dir = (self.dir + (0, 1, 3)[turn]) % 4
        hx, hy = self.body[0]
        nx, ny = hx + DX[self.dir], hy + DY[self.dir]
        old = abs(hx - self.apple[0]) + abs(hy - self.apple[1])
        tail = self.body[-1]
        if (nx, ny) != tail and self.blocked(nx, ny):
            self.dead = True
            return -1.0
        self.hungry += 1
        if (nx, ny) == self.apple:
            self.body.appendleft((nx, ny))
            self.occupied.add((nx, ny))
            self.score += 1
            self.hungry = 0
            self.put_apple()
            return 1.0
        self.body.pop()
        self.occupied.discard(tail)
        self.body.appendleft((nx, ny))
        self.occupied.add((nx, ny))
        if self.hungry > 80:
            self.dead = True
            return -0.5
        new = abs(nx - self.apple[0]) + abs(ny - self.apple[1])
        return 0.02 if new < old else -0.02

    def flood(self, x, y, limit=30):
        """how much room is there if i go here"""
        if self.blocked(x, y):
            return 0
        seen = {(x, y)}
        todo = [(x, y)]
        while todo and len(seen) < limit:
            a, b = todo.pop()
            for d in range(4):
                q = (a + DX[d], b + DY[d])
                if q not in seen and not self.blocked(*q):
                    seen.add(q)
                    todo.append(q)
        return len(seen)

    def look(self):
        hx, hy = self.body[0]
        f = []
        for turn in (0, 1, 3):
            d = (self.dir + turn) % 4
            # ray
            x, y, n = hx + DX[d], hy + DY[d], 0
            while not self.blocked(x, y):
                x += DX[d]
                y += DY[d]
                n += 1
            f.append(1.0 / (n + 1))
            f.append(self.flood(hx + DX[d], hy + DY[d]) / 30.0)
        ax, ay = self.apple[0] - hx, self.apple[1] - hy
        fx, fy = DX[self.dir], DY[self.dir]
        f.append((ax * fx + ay * fy) / 10.0)
        f.append((ay * fx - ax * fy) / 10.0)
        # 5x5 around the head
        for yy in range(hy - 2, hy + 3):
            for xx in range(hx - 2, hx + 3):
                f.append(1.0 if self.blocked(xx, yy) else 0.0)
        for d in range(4):
            f.append(1.0 if d == self.dir else 0.0)
        f.append(len(self.body) / 20.0)
        f.append(self.hungry / 80.0)
        return np.array(f, dtype=np.float32)


N_FEATS = 6 + 2 + 25 + 4 + 2
