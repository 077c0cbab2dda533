# tiny roguelike. 17x17 cave, 5 rats/orcs, gold, a stair down. 9 acts: 8 dirs + wait
import random
from collections import deque

import numpy as np

W = H = 17
D8 = [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)]
NA = 9
VR = 5            # view radius
NOBS = 4 * (2 * VR + 1) ** 2 + 4


class Mob:
    def __init__(s, x, y, hp, dmg):
        s.x, s.y, s.hp, s.dmg = x, y, hp, dmg


class Pit:
    def __init__(s, seed):
        s.r = random.Random(seed)

    # ---- new game
    def dig(s):
        while True:
            m = [[1 if s.r.random() < .42 or x in (0, W - 1) or y in (0, H - 1) else 0
                  for x in range(W)] for y in range(H)]
            for _ in range(3):
                m = [[1 if x in (0, W - 1) or y in (0, H - 1) or
                      sum(m[y + j][x + i] for i in (-1, 0, 1) for j in (-1, 0, 1)) >= 5 else 0
                      for x in range(W)] for y in range(H)]
            fl = [(x, y) for y in range(H) for x in range(W) if not m[y][x]]
            if len(fl) < 60:
                continue
            s.m = m
            s.x, s.y = s.r.choice(fl)
            dm = s.dist(s.x, s.y)
            ok = [p for p in fl if 4 < dm.get(p, 999) < 90]
            if len(ok) > 25:
                break
        s.r.shuffle(ok)
        s.stair = max(ok, key=lambda p: dm[p])
        ok.remove(s.stair)
        s.mobs = [Mob(*ok.pop(), *s.r.choice([(3, 1), (3, 1), (6, 2)])) for _ in range(5)]
        s.gold = {ok.pop() for _ in range(8)}
        s.hp, s.t, s.seen = 14, 0, set()
        s.over = False
        s.best = dm[s.stair]
        s.sd = s.dist(*s.stair)

    def dist(s, x, y):
        d, q = {(x, y): 0}, deque([(x, y)])
        while q:
            p = q.popleft()
            for i, j in D8:
                n = p[0] + i, p[1] + j
                if n not in d and not s.m[n[1]][n[0]]:
                    d[n] = d[p] + 1
                    q.append(n)
        return d

    # ---- hero's part of a turn
    def hero(s, a):
        s.t += 1
        rw = -.01
        if a < 8:
            nx, ny = s.x + D8[a][0], s.y + D8[a][1]
            mob = next((b for b in s.mobs if (b.x, b.y) == (nx, ny)), None)
            if mob:
                mob.hp -= s.r.randint(1, 3)
                if mob.hp <= 0:
                    s.mobs.remove(mob)
                    rw += .5
            elif not s.m[ny][nx]:
                s.x, s.y = nx, ny
        if (s.x, s.y) in s.gold:
            s.gold.remove((s.x, s.y))
            rw += .4
        if (s.x, s.y) == s.stair:
            s.over = True
            rw += 3
        dd = s.sd[(s.x, s.y)]
        if dd < s.best:
            rw += .05 * (s.best - dd)
            s.best = dd
        return rw

    # ---- monsters. every one of them floods the map, oh well
    def foes(s):
        rw = 0.
        for b in s.mobs:
            d = s.dist(s.x, s.y)
            here = d.get((b.x, b.y), 99)
            if here == 1:
                if s.r.random() < .6:
                    s.hp -= b.dmg
                    rw -= .1 * b.dmg
                continue
            if here > 9 and s.r.random() < .7:
                continue
            occ = {(o.x, o.y) for o in s.mobs}
            for i, j in s.r.sample(D8, 8):
                n = b.x + i, b.y + j
                if n not in occ and d.get(n, 99) < here and n != (s.x, s.y):
                    b.x, b.y = n
                    break
        if s.hp <= 0:
            s.over = True
            rw -= 1
        if s.t >= 200:
            s.over = True
        return rw

    def can(s):
        k = np.ones(NA, dtype=bool)
        for a, (i, j) in enumerate(D8):
            k[a] = not s.m[s.y + j][s.x + i]
        return k

    # ---- field of view: bresenham to each cell in the window
    def los(s, tx, ty):
        x, y = s.x, s.y
        dx, dy = abs(tx - x), -abs(ty - y)
        sx, sy = (1 if x < tx else -1), (1 if y < ty else -1)
        e = dx + dy
        while (x, y) != (tx, ty):
            if s.m[y][x]:
                return False
            e2 = 2 * e
            if e2 >= dy:
                e += dy
                x += sx
            if e2 <= dx:
                e += dx
                y += sy
        return True

    def eyes(s):
        n = 2 * VR + 1
        o = np.zeros((4, n, n), dtype=np.float32)
        mb = {(b.x, b.y): b.hp for b in s.mobs}
        for j in range(n):
            for i in range(n):
                x, y = s.x + i - VR, s.y + j - VR
                if not (0 <= x < W and 0 <= y < H) or not s.los(x, y):
                    continue
                s.seen.add((x, y))
                o[0, j, i] = 1 if not s.m[y][x] else -1
                o[1, j, i] = mb.get((x, y), 0) / 6
                o[2, j, i] = (x, y) in s.gold
                o[3, j, i] = (x, y) == s.stair
        ex = [s.hp / 14, s.t / 200, len(s.seen) / 200, len(s.gold) / 8]
        return np.concatenate([o.ravel(), np.array(ex, dtype=np.float32)])
