"""The simulator. One Battle = one room on the "server"."""
import copy
import random

from dex import MOVES, effectiveness, random_mon

TEAM = 5
MAX_TURNS = 60


class Battle:
    def __init__(self, tag, seed=None):
        self.tag = tag
        self.rng = random.Random(seed)
        self.teams = [[random_mon(self.rng) for _ in range(TEAM)] for _ in range(2)]
        self.active = [0, 0]
        self.turn = 0
        self.winner = None
        self.finished = False
        self.log = []

    def mon(self, side):
        return self.teams[side][self.active[side]]

    def alive(self, side):
        return [i for i, m in enumerate(self.teams[side]) if m["hp"] > 0]

    def valid_orders(self, side):
        """0-3 move, 4-8 switch to team slot"""
        out = []
        if self.mon(side)["hp"] > 0:
            out += list(range(4))
        out += [4 + i for i in self.alive(side) if i != self.active[side]]
        return out

    def damage(self, att, dfn, move, roll):
        mv = MOVES[move]
        base = (22 * mv["power"] * att["atk"] * (1 + 0.5 * att["boost"]) / dfn["dfn"]) / 50 + 2
        stab = 1.5 if mv["type"] in att["types"] else 1.0
        return base * stab * effectiveness(mv["type"], dfn["types"]) * roll

    def do_move(self, side, slot):
        me, foe = self.mon(side), self.mon(1 - side)
        if me["hp"] <= 0:
            return
        name = me["moves"][slot]
        mv = MOVES[name]
        self.log.append(f"|move|p{side + 1}a|{name}|p{2 - side}a")
        if self.rng.random() > mv["acc"]:
            self.log.append(f"|-miss|p{side + 1}a")
            return
        if mv["power"]:
            foe["hp"] = max(0, foe["hp"] - int(self.damage(me, foe, name, self.rng.uniform(.85, 1))))
            self.log.append(f"|-damage|p{2 - side}a|{foe['hp']}/{foe['maxhp']}")
        if mv.get("heal"):
            me["hp"] = min(me["maxhp"], me["hp"] + int(mv["heal"] * me["maxhp"]))
        if mv.get("status") and foe["status"] is None:
            foe["status"] = mv["status"]
        if mv.get("boost"):
            me["boost"] = min(4, me["boost"] + 1)

    def run_turn(self, orders):
        self.turn += 1
        self.log.append(f"|turn|{self.turn}")
        movers = []
        for side in (0, 1):
            if orders[side] >= 4:
                self.mon(side)["boost"] = 0
                self.active[side] = orders[side] - 4
                self.log.append(f"|switch|p{side + 1}a|{self.active[side]}")
            else:
                m = self.mon(side)
                movers.append((MOVES[m["moves"][orders[side]]]["prio"], m["spe"], self.rng.random(), side))
        for _, _, _, side in sorted(movers, reverse=True):
            self.do_move(side, orders[side])
        for side in (0, 1):
            m = self.mon(side)
            if m["status"] == "psn" and m["hp"] > 0:
                m["hp"] = max(0, m["hp"] - m["maxhp"] // 10)
        left = [len(self.alive(0)), len(self.alive(1))]
        if 0 in left or self.turn >= MAX_TURNS:
            self.finished = True
            if left[0] != left[1]:
                self.winner = 0 if left[0] > left[1] else 1

    def fork(self):
        return copy.deepcopy(self)
