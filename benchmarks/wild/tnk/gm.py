import math
import random

from tm import sw

MAP = ["####################",
       "#........#.........#",
       "#..##....#....##...#",
       "#..#.......#...#...#",
       "#.......##.#.......#",
       "####.......#....####",
       "#......#.......#...#",
       "#...#..#..##...#...#",
       "#...#......#.......#",
       "#.......#......##..#",
       "#..##...#..........#",
       "#..........#.......#",
       "####################"]
H, W = len(MAP), len(MAP[0])
WL = [[c == "#" for c in r] for r in MAP]
SUB = 16


class Tk:
    __slots__ = ("x", "y", "a", "hp", "cd", "ammo", "hits", "aim")

    def __init__(s, x, y, a):
        s.x, s.y, s.a, s.hp, s.cd, s.ammo, s.hits, s.aim = x, y, a, 4, 0, 20, 0, 0


class Bl:
    __slots__ = ("x", "y", "vx", "vy", "own", "bnc", "ttl")

    def __init__(s, x, y, a, own):
        s.x, s.y, s.vx, s.vy, s.own, s.bnc, s.ttl = x, y, math.cos(a) * .06, math.sin(a) * .06, own, 2, 180


class Gm:
    def rst(s, sd):
        p = sw(1)
        r = random.Random(sd)
        while True:
            q = [(r.uniform(1, W - 1), r.uniform(1, H - 1)) for _ in range(4)]
            if not any(blk(*c, .35) for c in q) and min(math.dist(a, b) for a in q[:2] for b in q[2:]) > 4:
                break
        s.tk = [Tk(*c, r.uniform(-3, 3)) for c in q]
        s.bl, s.t = [], 0
        sw(p)

    def stp(s, acts):
        p = sw(2)
        s.t += 1
        for i, (mv, tr, fr) in enumerate(acts):
            k = s.tk[i]
            if k.hp <= 0:
                continue
            if fr and k.cd <= 0 and k.ammo > 0:
                s.bl.append(Bl(k.x + math.cos(k.a) * .5, k.y + math.sin(k.a) * .5, k.a, i))
                k.cd, k.ammo = 3, k.ammo - 1
            k.cd -= 1
        for _ in range(SUB):
            for k, (mv, tr, fr) in zip(s.tk, acts):
                if k.hp <= 0:
                    continue
                k.a += tr * .025
                nx, ny = k.x + math.cos(k.a) * mv * .015, k.y + math.sin(k.a) * mv * .015
                if not blk(nx, k.y, .35):
                    k.x = nx
                if not blk(k.x, ny, .35):
                    k.y = ny
            s.sep()
            s.fly()
            s.clash()
        for i, k in enumerate(s.tk):
            e = s.foe(i)
            th = math.atan2(e.y - k.y, e.x - k.x)
            if k.hp > 0 and math.cos(th - k.a) > .9 and ray(k.x, k.y, th) * 7 > math.hypot(e.x - k.x, e.y - k.y):
                k.aim += 1
        dn = s.t >= 100 or any(a.hp <= 0 and b.hp <= 0 for a, b in (s.tk[:2], s.tk[2:]))
        sw(p)
        return dn

    def foe(s, i):
        k = s.tk[i]
        return min(s.tk[2:] if i < 2 else s.tk[:2], key=lambda e: (e.hp <= 0, (e.x - k.x) ** 2 + (e.y - k.y) ** 2))

    def sep(s):
        for n, a in enumerate(s.tk):
            for b in s.tk[:n]:
                s.push(a, b)

    def push(s, a, b):
        dx, dy = b.x - a.x, b.y - a.y
        d = math.hypot(dx, dy)
        if 0 < d < .7:
            f = (.7 - d) / d / 2
            for k, sg in ((a, -1), (b, 1)):
                if not blk(k.x + sg * dx * f, k.y + sg * dy * f, .35):
                    k.x += sg * dx * f
                    k.y += sg * dy * f

    def fly(s):
        kp = []
        for b in s.bl:
            b.ttl -= 1
            nx, ny = b.x + b.vx, b.y + b.vy
            if WL[int(b.y)][int(nx)]:
                b.vx = -b.vx
                b.bnc -= 1
            elif WL[int(ny)][int(b.x)]:
                b.vy = -b.vy
                b.bnc -= 1
            elif WL[int(ny)][int(nx)]:
                b.bnc = -1
            else:
                b.x, b.y = nx, ny
            hit = False
            for i, k in enumerate(s.tk):
                if k.hp > 0 and (i != b.own or b.bnc < 2) and (k.x - b.x) ** 2 + (k.y - b.y) ** 2 < .16:
                    k.hp -= 1
                    s.tk[b.own].hits += 1 if (i < 2) != (b.own < 2) else -.3
                    hit = True
            if not hit and b.bnc >= 0 and b.ttl > 0:
                kp.append(b)
        s.bl = kp

    def clash(s):
        bs, out = s.bl, set()
        for i in range(len(bs)):
            for j in range(i):
                if bs[i].own != bs[j].own and abs(bs[i].x - bs[j].x) < .1 and abs(bs[i].y - bs[j].y) < .1:
                    out |= {i, j}
        if out:
            s.bl = [b for n, b in enumerate(bs) if n not in out]


def blk(x, y, r):
    for cx in (x - r, x + r):
        for cy in (y - r, y + r):
            if not (0 <= cx < W and 0 <= cy < H) or WL[int(cy)][int(cx)]:
                return True
    return False


def ray(x, y, a):
    dx, dy = math.cos(a) * .25, math.sin(a) * .25
    for n in range(28):
        x += dx
        y += dy
        if WL[int(y)][int(x)]:
            return n / 28
    return 1.0


def sns(g, i):
    p = sw(3)
    k, e = g.tk[i], g.foe(i)
    v = [ray(k.x, k.y, k.a + j * math.pi / 4) for j in range(8)]
    th = math.atan2(e.y - k.y, e.x - k.x)
    d = math.hypot(e.x - k.x, e.y - k.y)
    v += [math.sin(th - k.a), math.cos(th - k.a), d / 10, float(ray(k.x, k.y, th) * 7 > d)]
    v += [math.sin(e.a - th), math.cos(e.a - th), k.cd / 3, k.ammo / 20, k.hp / 4, e.hp / 4]
    nb = min((b for b in g.bl if b.own != i), key=lambda b: (b.x - k.x) ** 2 + (b.y - k.y) ** 2, default=None)
    if nb is None:
        v += [0, 0, 1, 0]
    else:
        tb = math.atan2(nb.y - k.y, nb.x - k.x) - k.a
        v += [math.sin(tb), math.cos(tb), math.hypot(nb.x - k.x, nb.y - k.y) / 10, 1]
    sw(p)
    return v
