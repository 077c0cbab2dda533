"""Who may do what, and what Red does."""
import heapq

import numpy as np

import hexes
from stopwatch import watch

N_ORDERS = 13  # hold, six marches, six assaults


class OrderBook:
    def __init__(self, battle):
        self.battle = battle

    def legal(self, unit=None):
        watch.start("env.mask")
        b = self.battle
        unit = unit or b.active
        book = np.zeros(N_ORDERS, dtype=bool)
        book[0] = True
        for i, d in enumerate(hexes.DIRS):
            nxt = hexes.add(unit.pos, d)
            if nxt in b.ground and nxt not in b.at:
                book[1 + i] = True
            if b.target_along(unit, d) is not None:
                book[7 + i] = True
        watch.stop()
        return book


class RedCommander:
    """Looks for the best assault, otherwise walks to the nearest objective by the cheapest road."""

    def __init__(self, battle):
        self.battle = battle

    def take_turn(self):
        for unit in list(self.battle.units):
            if unit.side == 1 and unit.alive:
                self.move_unit(unit)

    def move_unit(self, unit):
        b = self.battle
        best, best_odds = None, 0.8
        for i, d in enumerate(hexes.DIRS):
            foe = b.target_along(unit, d)
            if foe is not None:
                odds = b.odds(unit, foe)
                if odds > best_odds:
                    best, best_odds = 7 + i, odds
        if best is None:
            best = self.road_to_objective(unit, self.pick_objective(unit))
        b.execute(unit, best)

    def weigh_hex(self, unit, cell):
        """Friends near, guns far, cover good, towns better."""
        from battle import COVER
        b = self.battle
        worth = 0.4 * COVER[b.ground[cell]] - 0.5 * hexes.distance(unit.pos, cell)
        worth += max(4 - min(hexes.distance(cell, t) for t in b.towns), 0)
        for u in b.units:
            if not u.alive or u is unit:
                continue
            far = hexes.distance(cell, u.pos)
            if u.side == unit.side:
                worth += 0.3 if far <= 2 else 0.0
            elif far <= u.reach:
                worth += 0.15 * (unit.strength - u.strength) - 0.1 * u.punch
            elif far <= 3:
                worth += 0.6
        return worth

    def pick_objective(self, unit):
        b = self.battle
        if unit.pos in b.towns:
            return unit.pos
        return max((c for c in b.cells if c not in b.at and hexes.distance(c, unit.pos) <= 6),
                   key=lambda c: self.weigh_hex(unit, c))

    def road_to_objective(self, unit, goal):
        from battle import MOVE_COST
        b = self.battle
        if unit.pos == goal:
            return 0
        heap = [(0, unit.pos, 0)]
        seen = set()
        while heap:
            cost, cell, first = heapq.heappop(heap)
            if cell in seen:
                continue
            seen.add(cell)
            if cell == goal:
                return first
            for i, d in enumerate(hexes.DIRS):
                n = hexes.add(cell, d)
                if n in b.ground and n not in seen and n not in b.at:
                    heapq.heappush(heap, (cost + MOVE_COST[b.ground[n]], n, first or 1 + i))
        return 0
