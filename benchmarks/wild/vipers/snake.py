from collections import deque

import numpy as np

W = 10
N_OBS = 57
DIRS = ((0, -1), (1, 0), (0, 1), (-1, 0))


class Brd:
    def __init__(self, rng):
        self.rng = rng
        self.rst()

    def rst(self):
        x, y = self.rng.randrange(3, W - 3), self.rng.randrange(3, W - 3)
        self.body = deque([(x, y), (x, y + 1), (x, y + 2)])
        self.d = 0
        self.hunger = 0
        self.len = 3
        self.put_food()

    def put_food(self):
        free = [(x, y) for x in range(W) for y in range(W) if (x, y) not in self.body]
        self.food = self.rng.choice(free) if free else None

    def stp(self, a):
        self.d = (self.d + (0, 1, -1)[a]) % 4
        dx, dy = DIRS[self.d]
        hx, hy = self.body[0]
        nx, ny = hx + dx, hy + dy
        self.hunger += 1
        if not (0 <= nx < W and 0 <= ny < W) or (nx, ny) in self.body or self.hunger > 80:
            return -1.0, True
        self.body.appendleft((nx, ny))
        if (nx, ny) == self.food:
            self.hunger = 0
            self.len += 1
            self.put_food()
            return 1.0, self.food is None
        self.body.pop()
        fx, fy = self.food
        closer = abs(nx - fx) + abs(ny - fy) < abs(hx - fx) + abs(hy - fy)
        return 0.02 if closer else -0.03, False

    def obs(self):
        hx, hy = self.body[0]
        dx, dy = DIRS[self.d]
        occ = set(self.body)
        o = []
        for f in range(4, -3, -1):
            for l in range(-3, 4):
                x, y = hx + f * dx - l * dy, hy + f * dy + l * dx
                o.append(1.0 if not (0 <= x < W and 0 <= y < W) or (x, y) in occ else 0.0)
        fx, fy = (self.food[0] - hx, self.food[1] - hy) if self.food else (0, 0)
        fwd, lat = fx * dx + fy * dy, -fx * dy + fy * dx
        o += [fwd / W, lat / W, float(fwd > 0), float(fwd < 0), float(lat > 0), float(lat < 0), self.hunger / 80, self.len / 20]
        return np.array(o, dtype=np.float32)
