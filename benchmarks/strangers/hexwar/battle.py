"""The wargame. Blue (us) against Red on a hexagon of radius 5.

Blue orders its units one at a time. When the last one has had its order, Red
gets its whole turn and a new round starts.
"""
import random
from dataclasses import dataclass

import hexes
from command import OrderBook, RedCommander
from recon import Recon
from stopwatch import watch

BLUE, RED = 0, 1

CLEAR, WOODS, HILL, MARSH = 0, 1, 2, 3
MOVE_COST = {CLEAR: 1, WOODS: 2, HILL: 2, MARSH: 3}
COVER = {CLEAR: 0, WOODS: 1, HILL: 2, MARSH: -1}


@dataclass
class Unit:
    side: int
    kind: str
    pos: tuple
    strength: int
    fatigue: int = 0

    @property
    def alive(self):
        return self.strength > 0

    @property
    def punch(self):
        return {"inf": 3, "cav": 4, "gun": 5}[self.kind]

    @property
    def reach(self):
        return 2 if self.kind == "gun" else 1


class Battle:
    RADIUS = 5
    ROUNDS = 25

    def __init__(self, seed=None):
        self.rng = random.Random(seed)
        self.cells = hexes.disc(self.RADIUS)
        self.cell_index = {c: i for i, c in enumerate(self.cells)}
        self.orders = OrderBook(self)
        self.red = RedCommander(self)
        self.recon = Recon(self)

    # -- set-up ---------------------------------------------------------------
    def deploy(self):
        watch.start("env.reset")
        rng = self.rng
        self.ground = {c: CLEAR for c in self.cells}
        for kind, patches in ((WOODS, 4), (HILL, 3), (MARSH, 2)):
            for _ in range(patches):
                at = rng.choice(self.cells)
                self.ground[at] = kind
                for n in hexes.neighbours(at):
                    if n in self.ground and rng.random() < 0.5:
                        self.ground[n] = kind
        self.towns = [(0, 0), (-2, 3), (2, -3)]
        for t in self.towns:
            self.ground[t] = CLEAR
        west = [c for c in self.cells if c[0] <= -4]
        east = [c for c in self.cells if c[0] >= 4]
        self.units = []
        for side, ground in ((BLUE, west), (RED, east)):
            for kind, pos in zip(("inf", "inf", "cav", "gun"), rng.sample(ground, 4)):
                self.units.append(Unit(side, kind, pos, 8))
        self.rebuild_positions()
        self.round = 0
        self.queue = [u for u in self.units if u.side == BLUE]
        self.vp = [0, 0]
        self.control = self.territory()
        watch.stop()
        return self.recon.report(), self.orders.legal()

    def rebuild_positions(self):
        self.at = {u.pos: u for u in self.units if u.alive}

    @property
    def active(self):
        return self.queue[0]

    # -- one order --------------------------------------------------------------
    def carry_out(self, order):
        watch.start("env.step")
        unit = self.queue.pop(0)
        self.execute(unit, order)
        self.queue = [u for u in self.queue if u.alive]
        if not self.queue:
            watch.start("env.opponent")
            self.red.take_turn()
            watch.stop()
            self.end_of_round()
        over = self.is_over()
        watch.stop()

        watch.start("env.reward")
        reward = self.score(over)
        watch.stop()
        if over:
            return None, None, reward, True
        return self.recon.report(), self.orders.legal(), reward, False

    def execute(self, unit, order):
        if order == 0:
            unit.fatigue = max(0, unit.fatigue - 2)
        elif order <= 6:
            self.march(unit, hexes.DIRS[order - 1])
        else:
            self.assault(unit, hexes.DIRS[order - 7])

    def march(self, unit, d):
        left = 3 if unit.kind == "cav" else 2
        while True:
            nxt = hexes.add(unit.pos, d)
            if nxt not in self.ground or nxt in self.at:
                break
            left -= MOVE_COST[self.ground[nxt]]
            if left < 0 and unit.pos != nxt and left < -1:
                break
            del self.at[unit.pos]
            unit.pos = nxt
            self.at[nxt] = unit
            unit.fatigue += 1
            if left <= 0 or self.in_zone_of_control(unit):
                break

    def in_zone_of_control(self, unit):
        for n in hexes.neighbours(unit.pos):
            o = self.at.get(n)
            if o is not None and o.side != unit.side:
                return True
        return False

    def target_along(self, unit, d):
        pos = unit.pos
        for _ in range(unit.reach):
            pos = hexes.add(pos, d)
            o = self.at.get(pos)
            if o is not None:
                return o if o.side != unit.side else None
        return None

    def odds(self, unit, foe):
        attack = unit.punch * unit.strength / (1 + 0.1 * unit.fatigue)
        support = 0
        for n in hexes.neighbours(foe.pos):
            o = self.at.get(n)
            if o is not None and o.side == unit.side and o is not unit:
                support += 1
        defend = foe.punch * foe.strength * (1 + 0.2 * COVER[self.ground[foe.pos]])
        return attack * (1 + 0.25 * support) / max(defend, 1e-6)

    def assault(self, unit, d):
        foe = self.target_along(unit, d)
        if foe is None:
            return
        odds = self.odds(unit, foe)
        hits = sum(self.rng.random() < min(0.9, 0.35 * odds) for _ in range(4))
        back = sum(self.rng.random() < min(0.9, 0.25 / max(odds, 0.1)) for _ in range(3))
        if hexes.distance(unit.pos, foe.pos) > 1:
            back = 0
        foe.strength -= hits
        unit.strength -= back
        unit.fatigue += 2
        self.rebuild_positions()

    def end_of_round(self):
        self.round += 1
        for u in self.units:
            u.fatigue = max(0, u.fatigue - 1)
        for t in self.towns:
            u = self.at.get(t)
            if u is not None:
                self.vp[u.side] += 1
        self.queue = [u for u in self.units if u.side == BLUE and u.alive]

    def is_over(self):
        blue = any(u.alive for u in self.units if u.side == BLUE)
        red = any(u.alive for u in self.units if u.side == RED)
        return not blue or not red or self.round >= self.ROUNDS

    # -- scoring --------------------------------------------------------------
    def territory(self):
        """How much of the map is nearer to one of ours than to one of theirs."""
        blues = [u.pos for u in self.units if u.side == BLUE and u.alive]
        reds = [u.pos for u in self.units if u.side == RED and u.alive]
        net = 0
        for c in self.cells:
            b = min((hexes.distance(c, p) for p in blues), default=99)
            r = min((hexes.distance(c, p) for p in reds), default=99)
            net += (b < r) - (r < b)
        return net / len(self.cells)

    def score(self, over):
        now = self.territory()
        reward = now - self.control
        self.control = now
        if over:
            mine = sum(max(u.strength, 0) for u in self.units if u.side == BLUE)
            his = sum(max(u.strength, 0) for u in self.units if u.side == RED)
            reward += (mine - his) / 16 + 0.1 * (self.vp[0] - self.vp[1])
        return reward
