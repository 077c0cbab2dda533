"""Delve: a tiny roguelike floor. Find gold, dodge goblins, reach the stairs."""
import random
from collections import deque
from time import perf_counter

import numpy as np

SIZE = 15
VIEW = 3  # tiles in every direction -> 7x7 window
MOVES = [(0, 0), (0, -1), (1, 0), (0, 1), (-1, 0)]
N_MOVES = len(MOVES)
N_SIGHT = (2 * VIEW + 1) ** 2 * 4 + 6


class Goblin:
    def __init__(self, spot):
        self.spot = spot
        self.hp = 2
        self.asleep = True


class Delve:
    def __init__(self, seed, ledger):
        self.dice = random.Random(seed)
        self.ledger = ledger   # dict of seconds, filled for the bookkeeping

    # carve rooms until the floor is connected
    def dig(self):
        t = perf_counter()
        while True:
            rock = [[True] * SIZE for _ in range(SIZE)]
            centres = []
            for _ in range(7):
                w, h = self.dice.randint(2, 4), self.dice.randint(2, 4)
                x, y = self.dice.randint(1, SIZE - w - 2), self.dice.randint(1, SIZE - h - 2)
                for yy in range(y, y + h):
                    for xx in range(x, x + w):
                        rock[yy][xx] = False
                centres.append((x + w // 2, y + h // 2))
            for (ax, ay), (bx, by) in zip(centres, centres[1:]):
                while ax != bx:
                    ax += 1 if bx > ax else -1
                    rock[ay][ax] = False
                while ay != by:
                    ay += 1 if by > ay else -1
                    rock[ay][ax] = False
            floor = [(x, y) for y in range(SIZE) for x in range(SIZE) if not rock[y][x]]
            if len(floor) > 45:
                break
        self.rock = rock
        self.dice.shuffle(floor)
        self.hero = floor.pop()
        self.stairs = floor.pop()
        self.gold = {floor.pop() for _ in range(6)}
        self.goblins = [Goblin(floor.pop()) for _ in range(4)]
        self.hp = 5
        self.turn = 0
        self.purse = 0
        self.ledger["env.reset"] += perf_counter() - t
        return self.sight()

    def distance_map(self, origin):
        far = {origin: 0}
        todo = deque([origin])
        while todo:
            x, y = todo.popleft()
            d = far[(x, y)] + 1
            for dx, dy in MOVES[1:]:
                n = (x + dx, y + dy)
                if n not in far and not self.rock[n[1]][n[0]]:
                    far[n] = d
                    todo.append(n)
        return far

    def goblins_turn(self):
        far = self.distance_map(self.hero)
        taken = {g.spot for g in self.goblins}
        hurt = 0
        for g in self.goblins:
            d = far.get(g.spot, 99)
            if g.asleep:
                if d < 6 and self.dice.random() < 0.5:
                    g.asleep = False
                continue
            if d <= 1:
                if self.dice.random() < 0.6:
                    hurt += 1
                continue
            best = g.spot
            for dx, dy in MOVES[1:]:
                n = (g.spot[0] + dx, g.spot[1] + dy)
                if n not in taken and n != self.hero and far.get(n, 99) < far.get(best, 99):
                    best = n
            taken.discard(g.spot)
            g.spot = best
            taken.add(best)
        self.hp -= hurt
        return hurt

    def play_turn(self, key):
        t = perf_counter()
        prize = -0.01
        self.turn += 1
        dx, dy = MOVES[key]
        to = (self.hero[0] + dx, self.hero[1] + dy)
        foe = next((g for g in self.goblins if g.spot == to), None)
        if foe is not None:
            foe.hp -= 1
            foe.asleep = False
            if foe.hp <= 0:
                self.goblins.remove(foe)
                prize += 0.5
        elif not self.rock[to[1]][to[0]]:
            self.hero = to
        if self.hero in self.gold:
            self.gold.discard(self.hero)
            self.purse += 1
            prize += 0.3
        over = False
        if self.hero == self.stairs:
            prize += 1.0
            over = True
        t2 = perf_counter()
        self.ledger["env.step"] += t2 - t
        prize -= 0.2 * self.goblins_turn()
        self.ledger["env.opponent"] += perf_counter() - t2
        if self.hp <= 0:
            prize -= 1.0
            over = True
        if self.turn >= 120:
            over = True
        return prize, over

    def sight(self):
        t = perf_counter()
        hx, hy = self.hero
        goblins = {g.spot: g for g in self.goblins}
        out = []
        for y in range(hy - VIEW, hy + VIEW + 1):
            for x in range(hx - VIEW, hx + VIEW + 1):
                inside = 0 <= x < SIZE and 0 <= y < SIZE
                wall = not inside or self.rock[y][x]
                g = goblins.get((x, y))
                out.append(1.0 if wall else 0.0)
                out.append(0.0 if g is None else (0.5 if g.asleep else 1.0))
                out.append(1.0 if (x, y) in self.gold else 0.0)
                out.append(1.0 if (x, y) == self.stairs else 0.0)
        far = self.distance_map(self.stairs)
        here = far[self.hero]
        for dx, dy in MOVES[1:]:
            out.append((here - far.get((hx + dx, hy + dy), here)) * 1.0)
        out.append(self.hp / 5)
        out.append(self.turn / 120)
        v = np.array(out, dtype=np.float32)
        self.ledger["env.observe"] += perf_counter() - t
        return v
