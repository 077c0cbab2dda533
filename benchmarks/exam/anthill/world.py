import random
from collections import deque

from maps import SIDE, dig

FAR = 9999
GATHER, FIGHT = 0, 1
PRICE = (3, 5)
CROWD = 34


class Ant:
    __slots__ = ("side", "job", "cell", "hp", "load", "field")

    def __init__(self, side, job, cell):
        self.side, self.job, self.cell = side, job, cell
        self.hp = 3.0 if job == GATHER else 7.0
        self.load = 0
        self.field = None


class World:
    def __init__(self, rung, seed):
        self.dice = random.Random(seed)
        self.g, a, b, self.crumbs = dig(rung, self.dice)
        self.nests = [a[0] * SIDE + a[1], b[0] * SIDE + b[1]]
        self.nest_hp = [60.0, 60.0]
        self.pantry = [9, 9]
        self.eggs = [[], []]
        self.kills = [0, 0]
        self.hauled = [0, 0]
        self.clock = 0
        self.fallen = None
        self.around = []
        for cell in range(SIDE * SIDE):
            r, c = divmod(cell, SIDE)
            self.around.append([nr * SIDE + nc for nr, nc in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1))
                                if 0 <= nr < SIDE and 0 <= nc < SIDE
                                and self.g[r][c] != "#" and self.g[nr][nc] != "#"])
        self.way_home = [self.flood([n]) for n in self.nests]
        self.sector_ways = {}
        self.smell()
        self.ants = []
        for side in (0, 1):
            for k in range(8):
                self.ants.append(Ant(side, GATHER if k < 5 else FIGHT, self.nests[side]))

    def flood(self, sources):
        dist = [FAR] * (SIDE * SIDE)
        line = deque()
        for s in sources:
            dist[s] = 0
            line.append(s)
        around = self.around
        while line:
            here = line.popleft()
            d = dist[here] + 1
            for n in around[here]:
                if dist[n] > d:
                    dist[n] = d
                    line.append(n)
        return dist

    def smell(self):
        self.to_food = self.flood(list(self.crumbs))
        self.stale = False

    def sector_cell(self, k):
        r, c = divmod(k, 3)
        return (r * 8 + 4) * SIDE + c * 8 + 4

    def way_to_sector(self, k):
        if k not in self.sector_ways:
            self.sector_ways[k] = self.flood([self.sector_cell(k)])
        return self.sector_ways[k]

    def lay(self, side, job):
        if self.pantry[side] >= PRICE[job] and len(self.eggs[side]) < 3:
            self.pantry[side] -= PRICE[job]
            self.eggs[side].append([4, job])
            return True
        return False

    # ------------------------------------------------------------- one tick
    def tick(self):
        self.clock += 1
        if self.stale and self.clock % 4 == 0:
            self.smell()
        for ant in self.ants:
            self._walk(ant)
        self._bite()
        self._hatch()
        if self.clock % 25 == 0:
            self._rain()

    def _walk(self, ant):
        if ant.job == GATHER:
            field = self.way_home[ant.side] if ant.load else self.to_food
        else:
            field = ant.field or self.way_home[ant.side]
        ways = self.around[ant.cell]
        if not ways:
            return
        if self.dice.random() < 0.12:
            ant.cell = self.dice.choice(ways)
        else:
            best, where = field[ant.cell], ant.cell
            for n in ways:
                if field[n] < best:
                    best, where = field[n], n
            ant.cell = where
        if ant.job == GATHER:
            if ant.load:
                if ant.cell == self.nests[ant.side]:
                    self.pantry[ant.side] += ant.load
                    self.hauled[ant.side] += ant.load
                    ant.load = 0
            elif ant.cell in self.crumbs:
                ant.load = 1
                self.crumbs[ant.cell] -= 1
                if self.crumbs[ant.cell] <= 0:
                    del self.crumbs[ant.cell]
                    self.stale = True

    def _bite(self):
        spots = [{}, {}]
        for ant in self.ants:
            spots[ant.side].setdefault(ant.cell, []).append(ant)
        dead = False
        for ant in self.ants:
            if ant.hp <= 0:
                continue
            foe = spots[1 - ant.side]
            prey = foe.get(ant.cell)
            if not prey:
                for n in self.around[ant.cell]:
                    prey = foe.get(n)
                    if prey:
                        break
            if prey:
                victim = prey[0] if len(prey) == 1 else self.dice.choice(prey)
                was = victim.hp
                victim.hp -= 1.6 if ant.job == FIGHT else 0.3
                if was > 0 >= victim.hp:
                    self.kills[ant.side] += 1
                    dead = True
            elif ant.job == FIGHT and self.way_home[1 - ant.side][ant.cell] <= 1:
                self.nest_hp[1 - ant.side] -= 0.5
                if self.nest_hp[1 - ant.side] <= 0 and self.fallen is None:
                    self.fallen = 1 - ant.side
        if dead:
            self.ants = [a for a in self.ants if a.hp > 0]

    def _hatch(self):
        for side in (0, 1):
            for egg in self.eggs[side]:
                egg[0] -= 1
            ripe = [e for e in self.eggs[side] if e[0] <= 0]
            if ripe:
                self.eggs[side] = [e for e in self.eggs[side] if e[0] > 0]
                for _, job in ripe:
                    if sum(1 for a in self.ants if a.side == side) < CROWD:
                        self.ants.append(Ant(side, job, self.nests[side]))

    def _rain(self):
        for side in (0, 1):
            self.pantry[side] += 1
        for _ in range(2):
            cell = self.dice.randrange(SIDE * SIDE)
            if self.around[cell] and cell not in self.nests:
                self.crumbs[cell] = self.crumbs.get(cell, 0) + self.dice.randrange(5, 12)
                self.stale = True
