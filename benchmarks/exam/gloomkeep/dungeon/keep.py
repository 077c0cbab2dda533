import random

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from hourglass import glass
from .carve import WAYS, carve, sightline, soak

SIDE = 19
PEEK = 4
N_PLANES = 7
QUAFF, KNIFE, DESCEND, REST = 4, 5, 6, 7

BESTIARY = {
    "rat": dict(hp=2, bite=1, nose=5),
    "ghoul": dict(hp=5, bite=2, nose=9),
    "archer": dict(hp=3, bite=1, nose=7),
}


class GloomKeep(gym.Env):
    """walk down the keep, grab gold, don't die."""

    metadata = {"render_modes": []}

    def __init__(self, seed=None, patience=160):
        self.dice = random.Random(seed)
        self.patience = patience
        w = 2 * PEEK + 1
        self.observation_space = spaces.Box(0, 255, (N_PLANES, w, w), np.uint8)
        self.action_space = spaces.Discrete(8)
        self.level_no = 0

    # ------------------------------------------------------------- set-up
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if seed is not None:
            self.dice.seed(seed)
        self.hp, self.hp_max = 12, 12
        self.potions, self.knives, self.gold = 1, 3, 0
        self.depth = 0
        self.turn = 0
        self._new_floor()
        self.happened = {}
        glass.into("env.observe")
        o = self._peer()
        glass.out()
        return o, {"depth": self.depth}

    def _new_floor(self):
        d = self.dice
        self.depth += 1
        self.level_no += 1
        self.rock, rooms = carve(d, SIDE, self.depth)
        self.known = np.zeros((SIDE, SIDE), np.uint8)
        rx, ry, rw, rh = rooms[0]
        self.x, self.y = rx + rw // 2, ry + rh // 2
        rx, ry, rw, rh = rooms[-1]
        self.stairs = (rx + rw // 2, ry + rh // 2)
        self.loot = {}
        self.beasts = []
        for (rx, ry, rw, rh) in rooms:
            for _ in range(d.randint(1, 3)):
                p = (d.randint(rx, rx + rw - 1), d.randint(ry, ry + rh - 1))
                if self.rock[p[1]][p[0]] == 0 and p != self.stairs:
                    self.loot[p] = d.choice(("gold", "gold", "gold", "potion", "knife"))
        for (rx, ry, rw, rh) in rooms[1:]:
            for _ in range(1 + (d.random() < 0.15 * self.depth)):
                kind = d.choice(("rat", "rat", "ghoul", "archer"))
                p = (d.randint(rx, rx + rw - 1), d.randint(ry, ry + rh - 1))
                if self.rock[p[1]][p[0]] == 0 and self._beast_at(*p) is None:
                    self.beasts.append({"kind": kind, "x": p[0], "y": p[1], "cool": 0,
                                        "hp": BESTIARY[kind]["hp"], "awake": False})

    # ------------------------------------------------------------- rules
    def _beast_at(self, x, y):
        for b in self.beasts:
            if b["x"] == x and b["y"] == y:
                return b
        return None

    def _wound(self, b, n):
        b["hp"] -= n
        b["awake"] = True
        if b["hp"] <= 0:
            self.beasts.remove(b)
            self.happened["slain"] = self.happened.get("slain", 0) + 1
            if self.dice.random() < 0.3:
                self.loot.setdefault((b["x"], b["y"]), "gold")

    def what_can_hero_do(self):
        can = np.zeros(8, bool)
        for i, (dx, dy) in enumerate(WAYS):
            can[i] = self.rock[self.y + dy][self.x + dx] == 0
        can[QUAFF] = self.potions > 0 and self.hp < self.hp_max
        can[KNIFE] = self.knives > 0 and self._target() is not None
        can[DESCEND] = (self.x, self.y) == self.stairs
        can[REST] = True
        return can

    def _target(self):
        best, how = None, 99
        for b in self.beasts:
            far = max(abs(b["x"] - self.x), abs(b["y"] - self.y))
            if far <= PEEK and far < how and sightline(self.rock, self.x, self.y, b["x"], b["y"]):
                best, how = b, far
        return best

    def _hero_turn(self, deed):
        if deed < 4:
            dx, dy = WAYS[deed]
            nx, ny = self.x + dx, self.y + dy
            if self.rock[ny][nx]:
                self.happened["bonk"] = 1
                return
            b = self._beast_at(nx, ny)
            if b is not None:
                self._wound(b, self.dice.randint(1, 3))
                return
            self.x, self.y = nx, ny
            thing = self.loot.pop((nx, ny), None)
            if thing == "gold":
                self.gold += 1
                self.happened["gold"] = 1
            elif thing == "potion":
                self.potions += 1
            elif thing == "knife":
                self.knives += 1
        elif deed == QUAFF and self.potions:
            self.potions -= 1
            self.happened["healed"] = min(6, self.hp_max - self.hp)
            self.hp = min(self.hp_max, self.hp + 6)
        elif deed == KNIFE and self.knives:
            b = self._target()
            if b is not None:
                self.knives -= 1
                if self.dice.random() < 0.8:
                    self._wound(b, 2)
        elif deed == DESCEND and (self.x, self.y) == self.stairs:
            self.happened["down"] = 1
            self._new_floor()

    def _beasts_turn(self):
        smell = soak(self.rock, self.x, self.y, limit=12)
        taken = {(b["x"], b["y"]) for b in self.beasts}
        for b in self.beasts:
            what = BESTIARY[b["kind"]]
            d = smell[b["y"]][b["x"]]
            if d < 0:
                continue
            if not b["awake"]:
                b["awake"] = d <= what["nose"] and self.dice.random() < 0.4
                continue
            if b["cool"] > 0:
                b["cool"] -= 1
                continue
            if b["kind"] == "archer" and 1 < d < 7 and sightline(self.rock, b["x"], b["y"], self.x, self.y):
                if self.dice.random() < 0.55:
                    self._ouch(what["bite"])
                b["cool"] = 1
                continue
            if d <= 1:
                if self.dice.random() < 0.7:
                    self._ouch(what["bite"])
                continue
            steps = []
            for dx, dy in WAYS:
                nx, ny = b["x"] + dx, b["y"] + dy
                nd = smell[ny][nx]
                if 0 <= nd < d and (nx, ny) not in taken and nd > 0:
                    steps.append((nd, self.dice.random(), nx, ny))
            if steps:
                _, _, nx, ny = min(steps)
                taken.discard((b["x"], b["y"]))
                b["x"], b["y"] = nx, ny
                taken.add((nx, ny))

    def _ouch(self, n):
        self.hp -= n
        self.happened["hurt"] = self.happened.get("hurt", 0) + n

    def _tally(self):
        h = self.happened
        r = -0.01
        r += 0.5 * h.get("gold", 0) + 0.6 * h.get("slain", 0) + 2.0 * h.get("down", 0)
        r -= 0.15 * h.get("hurt", 0) + 0.05 * h.get("bonk", 0)
        r += 0.05 * h.get("healed", 0)
        if self.hp <= 0:
            r -= 2.0
        return r

    # ------------------------------------------------------------- eyes
    def _peer(self):
        w = 2 * PEEK + 1
        o = np.zeros((N_PLANES, w, w), np.uint8)
        x0, y0 = self.x - PEEK, self.y - PEEK
        for j in range(w):
            yy = y0 + j
            if not 0 <= yy < SIDE:
                o[0, j, :] = 255
                continue
            row = self.rock[yy]
            for i in range(w):
                xx = x0 + i
                if not 0 <= xx < SIDE:
                    o[0, j, i] = 255
                    continue
                if sightline(self.rock, self.x, self.y, xx, yy):
                    self.known[yy, xx] = 1
                    o[1, j, i] = 255
                    if row[xx]:
                        o[0, j, i] = 255
                    elif (xx, yy) in self.loot:
                        o[3, j, i] = 120 if self.loot[(xx, yy)] == "gold" else 255
                elif self.known[yy, xx]:
                    o[5, j, i] = 255
                    if row[xx]:
                        o[0, j, i] = 160
        for b in self.beasts:
            i, j = b["x"] - x0, b["y"] - y0
            if 0 <= i < w and 0 <= j < w and o[1, j, i]:
                o[2, j, i] = min(255, 50 * BESTIARY[b["kind"]]["bite"] + 25 * b["hp"])
        i, j = self.stairs[0] - x0, self.stairs[1] - y0
        if 0 <= i < w and 0 <= j < w and (o[1, j, i] or o[5, j, i]):
            o[4, j, i] = 255
        # status bars painted as rows
        o[6, 0, : max(0, int(w * self.hp / self.hp_max))] = 255
        o[6, 1, : min(w, self.potions)] = 255
        o[6, 2, : min(w, self.knives)] = 255
        o[6, 3, : min(w, self.depth)] = 255
        o[6, 4, 4 + (self.stairs[0] > self.x) - (self.stairs[0] < self.x)] = 255
        o[6, 5, 4 + (self.stairs[1] > self.y) - (self.stairs[1] < self.y)] = 255
        return o

    def step(self, action):
        self.turn += 1
        self.happened = {}
        self._hero_turn(int(action))
        if "down" not in self.happened:
            glass.into("env.opponent")
            self._beasts_turn()
            glass.out()
        if self.turn % 25 == 0 and self.hp < self.hp_max:
            self.hp += 1
        dead = self.hp <= 0
        weary = self.turn >= self.patience
        glass.into("env.reward")
        r = self._tally()
        glass.out()
        glass.into("env.observe")
        o = self._peer()
        glass.out()
        return o, r, dead, weary and not dead, {"depth": self.depth, "gold": self.gold}
