"""Tank arena. One of mine against three bots, brick walls that break."""
import random
import numpy as np

SIZE = 17
BRICK, STEEL = 1, 2
UP, RIGHT, DOWN, LEFT = range(4)
DX = (0, 1, 0, -1)
DY = (-1, 0, 1, 0)
N_ACT = 6           # 4 moves, fire, idle
N_BOTS = 3
MAX_T = 200


class Tank:
    def __init__(self, x, y, d, hp):
        self.x, self.y, self.d, self.hp = x, y, d, hp
        self.reload = 0


class Arena:
    def __init__(self, seed):
        self.rnd = random.Random(seed)

    def restart(self):
        r = self.rnd
        self.map = [[STEEL if x in (0, SIZE - 1) or y in (0, SIZE - 1) else 0 for x in range(SIZE)] for y in range(SIZE)]
        for _ in range(45):
            self.map[r.randint(2, SIZE - 3)][r.randint(2, SIZE - 3)] = BRICK if r.random() < 0.8 else STEEL
        self.me = Tank(SIZE // 2, SIZE - 2, UP, 3)
        self.bots = []
        for x in (1, SIZE // 2, SIZE - 2):
            self.map[1][x] = 0
            self.bots.append(Tank(x, 1, DOWN, 1))
        self.shells = []        # [x, y, d, mine]
        self.t = 0
        self.kills = 0

    def occupied(self, x, y, who):
        if self.map[y][x]:
            return True
        if who is not self.me and self.me.x == x and self.me.y == y:
            return True
        for b in self.bots:
            if b is not who and b.x == x and b.y == y:
                return True
        return False

    def drive(self, tank, d):
        tank.d = d
        nx, ny = tank.x + DX[d], tank.y + DY[d]
        if not self.occupied(nx, ny, tank):
            tank.x, tank.y = nx, ny

    def fire(self, tank, mine):
        if tank.reload == 0:
            self.shells.append([tank.x, tank.y, tank.d, mine])
            tank.reload = 4

    # ---- the bots' turn
    def bots_turn(self):
        for b in self.bots:
            if b.reload:
                b.reload -= 1
            sight = self.sees_me(b)
            if sight is not None:
                b.d = sight
                self.fire(b, False)
                continue
            field = self.field
            best, bd = field[b.y][b.x], None
            for d in range(4):
                v = field[b.y + DY[d]][b.x + DX[d]]
                if v < best:
                    best, bd = v, d
            if bd is None or self.rnd.random() < 0.25:
                bd = self.rnd.randrange(4)
            if self.map[b.y + DY[bd]][b.x + DX[bd]] == BRICK:
                b.d = bd
                self.fire(b, False)
            else:
                self.drive(b, bd)

    def sees_me(self, b):
        m = self.me
        if b.x == m.x:
            d = DOWN if m.y > b.y else UP
        elif b.y == m.y:
            d = RIGHT if m.x > b.x else LEFT
        else:
            return None
        x, y = b.x + DX[d], b.y + DY[d]
        while (x, y) != (m.x, m.y):
            if self.map[y][x]:
                return None
            x += DX[d]
            y += DY[d]
        return d

    def distance_field(self):
        """flood from my tank, bricks cost 3"""
        INF = 10 ** 6
        f = [[INF] * SIZE for _ in range(SIZE)]
        f[self.me.y][self.me.x] = 0
        work = [(self.me.x, self.me.y)]
        while work:
            nxt = []
            for x, y in work:
                for d in range(4):
                    xx, yy = x + DX[d], y + DY[d]
                    c = self.map[yy][xx]
                    if c == STEEL:
                        continue
                    v = f[y][x] + (3 if c == BRICK else 1)
                    if v < f[yy][xx]:
                        f[yy][xx] = v
                        nxt.append((xx, yy))
            work = nxt
        self.field = f

    # ---- mine
    def my_move(self, a):
        if self.me.reload:
            self.me.reload -= 1
        if a < 4:
            self.drive(self.me, a)
        elif a == 4:
            self.fire(self.me, True)

    def fly_shells(self):
        reward = 0.0
        for _ in range(2):              # shells fly 2 cells per tick
            keep = []
            for s in self.shells:
                s[0] += DX[s[2]]
                s[1] += DY[s[2]]
                x, y = s[0], s[1]
                c = self.map[y][x]
                if c == BRICK:
                    self.map[y][x] = 0
                    continue
                if c == STEEL:
                    continue
                if s[3]:
                    hit = [b for b in self.bots if b.x == x and b.y == y]
                    if hit:
                        self.bots.remove(hit[0])
                        self.kills += 1
                        reward += 1.0
                        continue
                elif self.me.x == x and self.me.y == y:
                    self.me.hp -= 1
                    reward -= 0.5
                    continue
                keep.append(s)
            self.shells = keep
        return reward

    def finish_tick(self, reward):
        self.t += 1
        if len(self.bots) < N_BOTS and self.rnd.random() < 0.08:
            x = self.rnd.choice((1, SIZE // 2, SIZE - 2))
            if not self.occupied(x, 1, None):
                self.bots.append(Tank(x, 1, DOWN, 1))
        done = self.me.hp <= 0 or self.t >= MAX_T
        if self.me.hp <= 0:
            reward -= 1.0
        return reward - 0.005, done

    def render(self):
        """what the net gets: 5 planes"""
        o = np.zeros((5, SIZE, SIZE), np.float32)
        m = np.array(self.map)
        o[0] = m == BRICK
        o[1] = m == STEEL
        o[2, self.me.y, self.me.x] = 0.4 + 0.2 * self.me.hp
        o[2, self.me.y + DY[self.me.d], self.me.x + DX[self.me.d]] += 0.3
        for b in self.bots:
            o[3, b.y, b.x] = 1.0
            o[3, b.y + DY[b.d], b.x + DX[b.d]] += 0.3
        for x, y, d, mine in self.shells:
            o[4, y, x] = 1.0 if mine else -1.0
        return o
