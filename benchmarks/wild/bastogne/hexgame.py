import heapq
import random

import numpy as np

from stopwatch import watch

CLEAR, WOODS, TOWN, RIVER = range(4)
MOVE_COST = {CLEAR: 1, WOODS: 2, TOWN: 1, RIVER: 3}
DEFENSE_BONUS = {CLEAR: 0, WOODS: 1, TOWN: 2, RIVER: 0}
COLS, ROWS = 13, 9
ODD = [(1, 0), (1, -1), (0, -1), (-1, 0), (0, 1), (1, 1)]
EVEN = [(1, 0), (0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 1)]


class HexMap:
    def __init__(self):
        self.adjacent = {}
        for r in range(ROWS):
            for c in range(COLS):
                dirs = ODD if r & 1 else EVEN
                ring = []
                for dc, dr in dirs:
                    inside = 0 <= c + dc < COLS and 0 <= r + dr < ROWS
                    ring.append((c + dc, r + dr) if inside else None)
                self.adjacent[c, r] = ring
        self.terrain = {}
        self.objectives = [(6, 4), (4, 6), (8, 2)]

    def rollTerrain(self, dice):
        for h in self.adjacent:
            x = dice.random()
            self.terrain[h] = WOODS if x < 0.27 else RIVER if x < 0.33 else CLEAR
        for h in self.objectives:
            self.terrain[h] = TOWN

    @staticmethod
    def range(a, b):
        aq, bq = a[0] - (a[1] - (a[1] & 1)) // 2, b[0] - (b[1] - (b[1] & 1)) // 2
        dq, dr = aq - bq, a[1] - b[1]
        return (abs(dq) + abs(dr) + abs(dq + dr)) // 2


class Counter:
    __slots__ = ("side", "attack", "defense", "moves", "hex", "steps", "dugIn")

    def __init__(self, side, attack, defense, moves, at):
        self.side, self.attack, self.defense, self.moves = side, attack, defense, moves
        self.hex, self.steps, self.dugIn = at, 2, False


class CombatTable:
    """Odds columns against one die, straight from the rule booklet."""
    columns = [(0.5, "AAAAR-"), (1.0, "AARR-D"), (1.5, "ARR-DD"), (2.0, "R--DDX"), (3.0, "-DDDXE"), (99, "DDXEEE")]

    def lookUp(self, odds, die):
        for limit, results in self.columns:
            if odds <= limit:
                return results[die]
        return "E"

    def expectedSwing(self, odds):
        worth = {"A": -2.0, "R": -0.6, "-": 0.0, "D": 0.9, "X": 0.4, "E": 2.0}
        return sum(worth[self.lookUp(odds, d)] for d in range(6)) / 6


class EnemyCommander:
    def __init__(self, game):
        self.game = game

    def spreadFrom(self, unit):
        game = self.game
        terrain, adjacent, occupied = game.hexMap.terrain, game.hexMap.adjacent, game.occupied
        zoc = game.zoneOfControl("US")
        best = {unit.hex: 0}
        queue = [(0, unit.hex)]
        while queue:
            cost, here = heapq.heappop(queue)
            if cost > best[here] or (here in zoc and here != unit.hex):
                continue
            for nxt in adjacent[here]:
                if nxt is None or nxt in occupied and occupied[nxt].side == "US":
                    continue
                total = cost + MOVE_COST[terrain[nxt]]
                if total <= unit.moves and total < best.get(nxt, 99):
                    best[nxt] = total
                    heapq.heappush(queue, (total, nxt))
        return [h for h in best if h == unit.hex or h not in occupied]

    def judgeHex(self, unit, h):
        game = self.game
        score = 0.3 * DEFENSE_BONUS[game.hexMap.terrain[h]]
        for town in game.hexMap.objectives:
            pull = 2.0 if game.holder[town] == "US" else 0.8
            score += pull / (1 + game.hexMap.range(h, town))
        for foe in game.living("US"):
            gap = game.hexMap.range(h, foe.hex)
            if gap == 1:
                friends = sum(1 for n in game.hexMap.adjacent[foe.hex] if n in game.occupied
                              and game.occupied[n].side == "GE" and game.occupied[n] is not unit)
                odds = (unit.attack + 2 * friends) / game.defenseOf(foe)
                score += 1.2 * game.table.expectedSwing(odds)
            elif gap <= 3:
                score += 0.1 * (4 - gap)
        for pal in game.living("GE"):
            if pal is not unit and game.hexMap.range(h, pal.hex) == 1:
                score += 0.15
        return score

    def takeTurn(self):
        game = self.game
        for unit in game.living("GE"):
            choices = self.spreadFrom(unit)
            target = max(choices, key=lambda h: self.judgeHex(unit, h))
            game.relocate(unit, target)
        for foe in game.living("US"):
            ring = [game.occupied[n] for n in game.hexMap.adjacent[foe.hex]
                    if n in game.occupied and game.occupied[n].side == "GE"]
            if ring and sum(u.attack for u in ring) / game.defenseOf(foe) >= 1.4:
                game.fight(ring, foe)


class BastogneGame:
    orderCount = 5 * 7

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.hexMap = HexMap()
        self.table = CombatTable()
        self.enemy = EnemyCommander(self)

    def reset(self):
        self.hexMap.rollTerrain(self.dice)
        self.counters = [Counter("US", 4, 4, 1, h) for h in [(6, 4), (4, 6), (8, 2), (6, 5), (7, 3)]]
        edge = [h for h in self.hexMap.adjacent if h[0] in (0, COLS - 1) or h[1] in (0, ROWS - 1)]
        self.counters += [Counter("GE", self.dice.choice([2, 3, 4]), 3, 4, h) for h in self.dice.sample(edge, 9)]
        self.occupied = {u.hex: u for u in self.counters}
        self.holder = {t: "US" for t in self.hexMap.objectives}
        self.turn = 0
        self.lastTally = self.tally()

    def living(self, side):
        return [u for u in self.counters if u.side == side and u.steps > 0]

    def zoneOfControl(self, side):
        return {n for u in self.living(side) for n in self.hexMap.adjacent[u.hex] if n}

    def defenseOf(self, unit):
        return unit.defense * unit.steps / 2 + DEFENSE_BONUS[self.hexMap.terrain[unit.hex]] + (1 if unit.dugIn else 0)

    def relocate(self, unit, h):
        if h != unit.hex:
            del self.occupied[unit.hex]
            unit.hex, unit.dugIn = h, False
            self.occupied[h] = unit
        if h in self.holder:
            self.holder[h] = unit.side

    def wound(self, unit, n):
        unit.steps -= n
        if unit.steps <= 0:
            self.occupied.pop(unit.hex, None)

    def fallBack(self, unit):
        free = [n for n in self.hexMap.adjacent[unit.hex] if n and n not in self.occupied]
        if free:
            self.relocate(unit, self.dice.choice(free))
        else:
            self.wound(unit, 1)

    def fight(self, attackers, foe):
        odds = sum(u.attack * u.steps / 2 for u in attackers) / self.defenseOf(foe)
        result = self.table.lookUp(odds, self.dice.randrange(6))
        if result == "A":
            self.wound(attackers[0], 1)
        elif result == "R":
            self.fallBack(attackers[0])
        elif result == "D":
            self.fallBack(foe)
        elif result in "XE":
            self.wound(foe, 1 if result == "X" else 2)
            if result == "X":
                self.wound(attackers[0], 1)

    def legalOrders(self):
        ok = np.zeros(self.orderCount, dtype=bool)
        for i, unit in enumerate(self.counters[:5]):
            if unit.steps <= 0:
                continue
            ok[i * 7 + 6] = True
            for d, n in enumerate(self.hexMap.adjacent[unit.hex]):
                ok[i * 7 + d] = n is not None and (n not in self.occupied or self.occupied[n].side == "GE")
        return ok

    def carryOut(self, order):
        unit, d = self.counters[order // 7], order % 7
        if d == 6:
            unit.dugIn = True
        else:
            n = self.hexMap.adjacent[unit.hex][d]
            if n in self.occupied:
                helpers = [u for u in self.living("US") if u is not unit and self.hexMap.range(u.hex, n) == 1]
                self.fight([unit] + helpers, self.occupied[n])
            else:
                self.relocate(unit, n)

    def tally(self):
        towns = sum(1 for s in self.holder.values() if s == "US")
        return 2.0 * towns + sum(u.steps for u in self.living("US")) - sum(u.steps for u in self.living("GE"))

    def playOrder(self, order):
        watch.push("rules")
        self.carryOut(order)
        watch.push("enemy")
        self.enemy.takeTurn()
        watch.pop()
        self.turn += 1
        watch.push("tally")
        score = self.tally()
        gain, self.lastTally = score - self.lastTally, score
        over = self.turn >= 30 or not self.living("US") or not self.living("GE")
        watch.pop()
        watch.pop()
        return gain, over

    def drawMap(self):
        planes = np.zeros((7, ROWS, COLS), dtype=np.float32)
        for (c, r), t in self.hexMap.terrain.items():
            planes[0, r, c] = DEFENSE_BONUS[t]
        for c, r in self.zoneOfControl("GE"):
            planes[1, r, c] = 1
        for (c, r), side in self.holder.items():
            planes[2, r, c] = 1 if side == "US" else -1
        for i, u in enumerate(self.counters):
            if u.steps > 0:
                c, r = u.hex
                planes[3 if u.side == "US" else 4, r, c] = u.steps / 2
                planes[5, r, c] = u.attack / 5
                planes[6, r, c] = (i + 1) / 5 if u.side == "US" else 0
        return planes
