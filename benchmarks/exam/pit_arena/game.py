"""Pit arena: you against one hunter bot and two dumb crawlers. 2D, circles only, no numpy in the rules."""
import math
import random

SIZE = 20.0
R = 0.5
MOVES = [(0, 0)] + [(math.cos(i * math.pi / 4), math.sin(i * math.pi / 4)) for i in range(8)]
N_ACTIONS = 18            # 9 moves x (hold fire / fire)
MAX_TICKS = 220
SHOT_SPEED, SPEED, N_SUB = 0.9, 0.35, 6
N_RAYS = 28
RAYS = [(math.cos(2 * math.pi * i / N_RAYS), math.sin(2 * math.pi * i / N_RAYS)) for i in range(N_RAYS)]
OBS_SIZE = N_RAYS * 2 + 8 + 8 + 2 * 3 + 5 * 4


class Fighter:
    def __init__(self, x, y, hp, speed):
        self.x, self.y, self.hp, self.speed = x, y, hp, speed
        self.vx = self.vy = 0.0
        self.cool = 0


class Shot:
    __slots__ = ("x", "y", "vx", "vy", "mine", "life")

    def __init__(self, x, y, vx, vy, mine):
        self.x, self.y, self.vx, self.vy, self.mine, self.life = x, y, vx, vy, mine, 22


def ray_circle(ox, oy, dx, dy, cx, cy, r):
    """distance along the ray or None"""
    fx, fy = cx - ox, cy - oy
    b = fx * dx + fy * dy
    if b < 0:
        return None
    d2 = fx * fx + fy * fy - b * b
    if d2 > r * r:
        return None
    return max(0.0, b - math.sqrt(r * r - d2))


class Arena:
    def __init__(self, rng=None):
        self.rng = rng or random.Random()

    def reset(self):
        rng = self.rng
        self.pillars = []
        while len(self.pillars) < 7:
            p = (rng.uniform(3, SIZE - 3), rng.uniform(3, SIZE - 3), rng.uniform(0.6, 1.5))
            if all(math.hypot(p[0] - q[0], p[1] - q[1]) > p[2] + q[2] + 1.6 for q in self.pillars):
                self.pillars.append(p)
        self.me = Fighter(*self._free(), 5, SPEED)
        self.bot = Fighter(*self._free(), 6, SPEED * 0.9)
        self.crawlers = [Fighter(*self._free(), 2, SPEED * 0.45) for _ in range(2)]
        self.shots = []
        self.tick = 0
        self.won = None

    def _free(self):
        while True:
            x, y = self.rng.uniform(1, SIZE - 1), self.rng.uniform(1, SIZE - 1)
            if all(math.hypot(x - a, y - b) > r + 1.0 for a, b, r in self.pillars):
                if not hasattr(self, "me") or math.hypot(x - self.me.x, y - self.me.y) > 5:
                    return x, y

    def line_of_sight(self, a, b):
        dx, dy = b.x - a.x, b.y - a.y
        d = math.hypot(dx, dy) + 1e-9
        for cx, cy, r in self.pillars:
            h = ray_circle(a.x, a.y, dx / d, dy / d, cx, cy, r)
            if h is not None and h < d:
                return False
        return True

    def _move(self, f, dx, dy):
        f.vx, f.vy = dx * f.speed, dy * f.speed
        for _ in range(2):
            self._half_move(f)

    def _half_move(self, f):
        x = min(SIZE - R, max(R, f.x + f.vx / 2))
        y = min(SIZE - R, max(R, f.y + f.vy / 2))
        for cx, cy, r in self.pillars:      # slide along pillars
            ex, ey = x - cx, y - cy
            d = math.hypot(ex, ey)
            if d < r + R:
                k = (r + R) / (d + 1e-9)
                x, y = cx + ex * k, cy + ey * k
        f.x, f.y = x, y

    def _fire(self, f, target, mine, wobble):
        if f.cool > 0:
            return False
        lead = math.hypot(target.x - f.x, target.y - f.y) / SHOT_SPEED
        a = math.atan2(target.y + target.vy * lead * 0.6 - f.y, target.x + target.vx * lead * 0.6 - f.x)
        a += self.rng.gauss(0, wobble)
        self.shots.append(Shot(f.x, f.y, math.cos(a) * SHOT_SPEED, math.sin(a) * SHOT_SPEED, mine))
        f.cool = 7 if mine else 8
        return True

    def _fly(self):
        hits_bot = hits_me = 0
        keep = []
        foes = [f for f in [self.bot] + self.crawlers if f.hp > 0]
        for s in self.shots:
            s.life -= 1
            dead = s.life <= 0
            for _ in range(N_SUB):          # substeps, otherwise shots tunnel through
                s.x += s.vx / N_SUB
                s.y += s.vy / N_SUB
                if not (0 < s.x < SIZE and 0 < s.y < SIZE):
                    dead = True
                for cx, cy, r in self.pillars:
                    if (s.x - cx) ** 2 + (s.y - cy) ** 2 < r * r:
                        dead = True
                        break
                if dead:
                    break
                for f in (foes if s.mine else [self.me]):
                    if f.hp > 0 and (s.x - f.x) ** 2 + (s.y - f.y) ** 2 < R * R * 1.5:
                        f.hp -= 1
                        dead = True
                        if f is self.me:
                            hits_me += 1
                        else:
                            hits_bot += 2 if f is self.bot else 1
                        break
                if dead:
                    break
            if not dead:
                keep.append(s)
        self.shots = keep
        return hits_bot, hits_me

    def step_me(self, action):
        """my half of the tick"""
        dx, dy = MOVES[action % 9]
        self._move(self.me, dx, dy)
        self.wasted = False
        if action >= 9:
            foes = [f for f in [self.bot] + self.crawlers if f.hp > 0]
            t = min(foes, key=lambda f: (f.x - self.me.x) ** 2 + (f.y - self.me.y) ** 2)
            if self._fire(self.me, t, True, 0.06):
                self.wasted = not self.line_of_sight(self.me, t)
        if self.me.cool:
            self.me.cool -= 1

    def step_foes(self):
        """hunter tries 9 moves and scores the places; crawlers just crawl"""
        b, me, rng = self.bot, self.me, self.rng
        if b.hp > 0:
            best, pick = -1e9, (0, 0)
            for m in MOVES:
                g = Fighter(b.x, b.y, 1, b.speed)
                self._move(g, m[0], m[1])
                # and where would that lead in 2 more ticks? exposed there = bad while reloading
                g2 = Fighter(g.x, g.y, 1, b.speed)
                seen = 0
                for _ in range(2):
                    self._move(g2, m[0], m[1])
                    seen += self.line_of_sight(g2, me)
                d = math.hypot(g.x - me.x, g.y - me.y)
                score = -abs(d - 5.0) + rng.uniform(0, 0.5)
                if self.line_of_sight(g, me):
                    score += 1.2
                score += (0.3 if b.cool < 4 else -0.3) * seen
                for s in self.shots:        # dodge a bit
                    if s.mine and math.hypot(s.x + 2 * s.vx - g.x, s.y + 2 * s.vy - g.y) < 1.2:
                        score -= 0.8
                if score > best:
                    best, pick = score, m
            self._move(b, *pick)
            if b.cool:
                b.cool -= 1
            elif self.line_of_sight(b, me) and rng.random() < 0.6:
                self._fire(b, me, False, 0.14)
        for c in self.crawlers:
            if c.hp <= 0:
                continue
            a = math.atan2(me.y - c.y, me.x - c.x) + rng.gauss(0, 0.5)
            self._move(c, math.cos(a), math.sin(a))
            if c.cool:
                c.cool -= 1
            elif math.hypot(c.x - me.x, c.y - me.y) < 1.3:
                me.hp -= 1
                c.cool = 12

    def finish_tick(self, hp_before):
        """shots fly, who won?  -> reward, done"""
        dealt, _ = self._fly()
        self.tick += 1
        r = 0.12 * dealt - 0.2 * (hp_before - self.me.hp) - 0.002 - (0.01 if self.wasted else 0.0)
        done = False
        if self.me.hp <= 0:
            self.won, done, r = False, True, r - 1.0
        elif self.bot.hp <= 0:
            self.won, done, r = True, True, r + 1.0
        elif self.tick >= MAX_TICKS:
            self.won, done = False, True
        return r, done


def look(g):
    """observation vector: rays, own state, hunter, crawlers, nearest shots"""
    me, out = g.me, []
    foes = [f for f in [g.bot] + g.crawlers if f.hp > 0]
    for dx, dy in RAYS:
        d = 30.0
        if dx > 1e-9:
            d = min(d, (SIZE - me.x) / dx)
        elif dx < -1e-9:
            d = min(d, -me.x / dx)
        if dy > 1e-9:
            d = min(d, (SIZE - me.y) / dy)
        elif dy < -1e-9:
            d = min(d, -me.y / dy)
        for cx, cy, r in g.pillars:
            h = ray_circle(me.x, me.y, dx, dy, cx, cy, r)
            if h is not None and h < d:
                d = h
        foe = 0.0
        for f in foes:
            h = ray_circle(me.x, me.y, dx, dy, f.x, f.y, R * 2)
            if h is not None and h < d:
                d, foe = h, 1.0
        out += [min(1.0, d / 12.0), foe]
    out += [me.x / SIZE - 0.5, me.y / SIZE - 0.5, me.hp / 5, me.cool / 7, me.vx, me.vy, g.tick / MAX_TICKS, 1.0]
    b = g.bot
    dx, dy = b.x - me.x, b.y - me.y
    d = math.hypot(dx, dy) + 1e-9
    out += [dx / SIZE, dy / SIZE, dx / d, dy / d, d / SIZE, b.hp / 5, b.cool / 11, float(g.line_of_sight(me, b))]
    for c in g.crawlers:
        out += [(c.x - me.x) / SIZE, (c.y - me.y) / SIZE, c.hp / 2] if c.hp > 0 else [0.0, 0.0, 0.0]
    bad = sorted((s for s in g.shots if not s.mine), key=lambda s: (s.x - me.x) ** 2 + (s.y - me.y) ** 2)[:5]
    for s in bad:
        out += [(s.x - me.x) / 6, (s.y - me.y) / 6, s.vx, s.vy]
    out += [0.0] * (4 * (5 - len(bad)))
    return out
