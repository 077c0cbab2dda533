"""Battle rules + the enemy army's brain.  敵の思考ルーチンもここ"""
import heapq
from units import *

SIZE = 8
NEIGH = ((1, 0), (-1, 0), (0, 1), (0, -1))


class Battle:
    MAX_TURN = 12

    def __init__(self, rng):
        self.rng = rng
        self.new_map()

    # ---------------------------------------------------------------- setup
    def new_map(self):
        while True:
            self.tile = [[PLAIN] * SIZE for _ in range(SIZE)]
            for y in range(SIZE // 2):
                for x in range(SIZE):
                    r = self.rng.random()
                    k = WALL if r < 0.08 else FOREST if r < 0.22 else HILL if r < 0.32 else FORT if r < 0.35 else PLAIN
                    self.tile[y][x] = k
                    self.tile[SIZE - 1 - y][SIZE - 1 - x] = k  # 点対称で公平に
            for x in range(SIZE):
                self.tile[0][x] = self.tile[SIZE - 1][x] = PLAIN
            self.units = []
            xs = self.rng.sample(range(SIZE), 4)
            for slot in range(4):
                self.units.append(Unit(slot, 0, slot, xs[slot], SIZE - 1))
            for slot in range(4):
                self.units.append(Unit(slot, 1, slot, SIZE - 1 - xs[slot], 0))
            self.refresh()
            if self.connected():
                break
        self.turn = 1
        self.morale()
        self.log = []

    def connected(self):
        seen = {self.units[0].pos}
        todo = [self.units[0].pos]
        while todo:
            x, y = todo.pop()
            for dx, dy in NEIGH:
                p = (x + dx, y + dy)
                if 0 <= p[0] < SIZE and 0 <= p[1] < SIZE and p not in seen and self.tile[p[1]][p[0]] != WALL:
                    seen.add(p)
                    todo.append(p)
        return all(u.pos in seen for u in self.units)

    def refresh(self):
        self.at = {u.pos: u for u in self.units if u.alive}

    def army(self, side):
        return [u for u in self.units[side * 4:side * 4 + 4] if u.hp > 0]

    # ---------------------------------------------------------------- rules
    def reach(self, u, budget=None):
        """dijkstra: {cell: cost}; may pass friends, not foes; must stop on an empty cell"""
        budget = u.job.move if budget is None else budget
        best = {u.pos: 0}
        heap = [(0, u.x, u.y)]
        while heap:
            c, x, y = heapq.heappop(heap)
            if c > best[(x, y)]:
                continue
            for dx, dy in NEIGH:
                nx, ny = x + dx, y + dy
                if not (0 <= nx < SIZE and 0 <= ny < SIZE):
                    continue
                nc = c + MOVE_COST[self.tile[ny][nx]]
                if nc > budget or nc >= best.get((nx, ny), 999):
                    continue
                o = self.at.get((nx, ny))
                if o is not None and o.side != u.side:
                    continue
                best[(nx, ny)] = nc
                heapq.heappush(heap, (nc, nx, ny))
        return {p: c for p, c in best.items() if self.at.get(p, u) is u}

    def see(self, a, b):
        """line of sight for ranged attacks (walls block)"""
        (x0, y0), (x1, y1) = a, b
        n = max(abs(x1 - x0), abs(y1 - y0)) * 2
        for i in range(1, n):
            x = x0 + (x1 - x0) * i / n
            y = y0 + (y1 - y0) * i / n
            if self.tile[int(y + 0.5)][int(x + 0.5)] == WALL:
                return False
        return True

    def can_hit(self, u, cell, foe):
        d = abs(cell[0] - foe.x) + abs(cell[1] - foe.y)
        if not u.job.rmin <= d <= u.job.rmax:
            return False
        return d == 1 or self.see(cell, foe.pos)

    def damage(self, a, b):
        d = 0 if a.job.magic else b.job.df + DEF_BONUS[self.tile[b.y][b.x]]
        return max(1, a.job.atk + a.morale - d)

    def strike(self, a, b):
        if self.rng.random() < 0.1 + AVOID[self.tile[b.y][b.x]]:
            return 0
        d = self.damage(a, b)
        if self.rng.random() < 0.08:
            d *= 2  # 会心の一撃
        d = min(d, b.hp)
        b.hp -= d
        self.log.append((a.side, a.job.name, b.job.name, d))
        return d

    def duel(self, a, b):
        """attack, counter. -> (dealt, taken)"""
        dealt = self.strike(a, b)
        taken = 0
        if b.alive and self.can_hit(b, b.pos, a):
            taken = self.strike(b, a)
        if not (a.alive and b.alive):
            self.refresh()
        return dealt, taken

    def walk(self, u, cell):
        if cell not in self.reach(u):   # agent を信用しない
            raise ValueError("illegal move %r -> %r" % (u.pos, cell))
        del self.at[u.pos]
        u.x, u.y = cell
        self.at[cell] = u

    def morale(self):
        """士気: friends near you cheer you up, being surrounded does the opposite (-2..+2)"""
        alive = [u for u in self.units if u.hp > 0]
        for u in alive:
            m = 0
            for o in alive:
                if o is u:
                    continue
                d = abs(o.x - u.x) + abs(o.y - u.y)
                if d > 3:
                    continue
                w = 2 if d == 1 else 1
                if o.side == u.side:
                    m += w if o.cls == 0 else 1
                else:
                    m -= w
            u.morale = max(-2, min(2, m))

    def upkeep(self, side):
        for u in self.army(side):
            u.acted = False
            if self.tile[u.y][u.x] == FORT:
                u.hp = min(u.job.hp, u.hp + 4)

    # ---------------------------------------------------------------- enemy
    def enemy_turn(self):
        """greedy: best (expected damage - what it will eat); otherwise walk to the nearest hero"""
        hurt = gained = 0
        self.upkeep(1)
        for u in self.army(1):
            heroes = self.army(0)
            if not heroes:
                break
            if not u.alive:
                continue
            best, plan = -99.0, None
            cells = self.reach(u)
            for cell in cells:
                cover = DEF_BONUS[self.tile[cell[1]][cell[0]]]
                for h in heroes:
                    if not self.can_hit(u, cell, h):
                        continue
                    d = self.damage(u, h)
                    v = d * 1.0 + (8 if d >= h.hp else 0) + 0.4 * cover + (1.5 if h.cls == 2 else 0)
                    if self.can_hit(h, h.pos, u) and d < h.hp:
                        v -= 0.5 * self.damage(h, u)
                    v += 0.2 * min(abs(cell[0] - h.x) + abs(cell[1] - h.y), 3)
                    if v > best:
                        best, plan = v, (cell, h)
            if plan is None:
                far = {}
                for h in heroes:
                    for cell in cells:
                        d = abs(cell[0] - h.x) + abs(cell[1] - h.y)
                        far[cell] = min(far.get(cell, 99), d)
                if self.turn <= 2 and u.cls == 1:
                    continue  # archers hold the line at first
                self.walk(u, min(far, key=lambda c: (far[c], self.rng.random())))
                continue
            self.walk(u, plan[0])
            a, b = self.duel(u, plan[1])
            hurt += a
            gained += b
        self.morale()
        return hurt, gained

    def ascii(self):
        rows = []
        for y in range(SIZE):
            r = ""
            for x in range(SIZE):
                u = self.at.get((x, y))
                r += GLYPH[self.tile[y][x]] if u is None else (u.job.name[0].upper() if u.side == 0 else u.job.name[0].lower())
            rows.append(r)
        return "\n".join(rows)
