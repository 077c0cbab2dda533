import math
import random

import numpy as np

from clock import tick
from text import parse

GOODS, TOWNS = 5, 6
MOVES = 2 * GOODS + TOWNS + 1
WIDTH = 4 * GOODS + 3 * TOWNS + 7
MATHS = {"sin": math.sin, "cos": math.cos, "max": max, "min": min, "len": len}


class Caravan:
    def __init__(self, seed):
        self.dice = random.Random(seed)
        with open("worlds.yaml") as file:
            self.source = file.read()

    def start(self, lesson):
        last = tick(1)
        self.world = parse(self.source)[lesson]
        w = self.world
        self.goods, self.towns = list(w["goods"]), list(w["towns"])
        self.names = dict(MATHS, day=0, drought=0.5, war=0, toll=2, purse=float(w["purse"]), load=w["load"], goal=w["goal"],
                          bag=[], worth=0.0, before=float(w["purse"]), dice=0.0)
        self.town = self.dice.choice(self.towns)
        self.stock = {t: {g: self.dice.uniform(3, 15) for g in self.goods} for t in self.towns}
        self.market()
        tick(last)

    def ask(self, rule, **more):
        self.names.update(more)
        return eval(rule, self.names)

    def market(self):
        self.prices = {}
        for town, facts in self.world["towns"].items():
            self.prices[town] = {g: max(1.0, self.ask(rule, base=self.world["goods"][g]["base"], stock=self.stock[town][g]))
                                 for g, rule in facts["price"].items()}

    def distance(self, town):
        a, b = (self.world["towns"][t]["at"] for t in (self.town, town))
        return 1 + math.dist(a, b)

    def allowed(self):
        last = tick(3)
        may, mask = self.world["may"], np.zeros(MOVES, bool)
        for i, good in enumerate(self.goods):
            mask[i] = self.ask(may["buy"], cost=self.prices[self.town][good], stock=self.stock[self.town][good])
            mask[GOODS + i] = self.ask(may["sell"], good=good)
        for i, town in enumerate(self.towns):
            mask[2 * GOODS + i] = town != self.town and self.ask(may["go"], far=self.distance(town))
        mask[-1] = True
        tick(last)
        return mask

    def turn(self, move):
        last = tick(2)
        n, here = self.names, self.prices[self.town]
        n["before"] = n["purse"] + n["worth"]
        if move < GOODS:
            good = self.goods[move]
            n["purse"] -= here[good]
            n["bag"].append(good)
            self.stock[self.town][good] -= 1
        elif move < 2 * GOODS:
            good = self.goods[move - GOODS]
            n["purse"] += here[good] * 0.95
            n["bag"].remove(good)
            self.stock[self.town][good] += 1
        elif move < 2 * GOODS + TOWNS:
            town = self.towns[move - 2 * GOODS]
            n["purse"] -= n["toll"] * self.distance(town) / 4
            self.town = town
        n["day"] += 1
        for name, rule in self.world["weather"].items():
            n[name] = self.ask(rule, dice=self.dice.random())
        for town, facts in self.world["towns"].items():
            for good, rule in facts["stock"].items():
                self.stock[town][good] = self.ask(rule, stock=self.stock[town][good])
        for hazard in self.world["hazards"]:
            if self.ask(hazard["when"], dice=self.dice.random()):
                n["purse"] = max(0.0, n["purse"] - self.ask(hazard["loss"]))
        n["bag"] = [g for g in n["bag"] if self.dice.random() > self.world["goods"][g]["spoil"]]
        self.market()
        n["worth"] = sum(self.prices[self.town][g] for g in n["bag"])
        tick(4)
        reward = self.score()
        tick(last)
        return reward, n["day"] >= self.world["days"] or n["purse"] >= n["goal"] or (n["purse"] < 1 and not n["bag"])

    def score(self):
        return float(sum(self.ask(rule) for rule in self.world["reward"].values()))

    def gather(self):
        last = tick(5)
        n, view = self.names, np.zeros(WIDTH)
        for i, good in enumerate(self.goods):
            quotes = [self.prices[t][good] for t in self.towns]
            view[4 * i:4 * i + 4] = (self.prices[self.town][good] / 20, n["bag"].count(good) / 8,
                                     (max(quotes) - self.prices[self.town][good]) / 20, self.stock[self.town][good] / 30)
        for i, town in enumerate(self.towns):
            k = 4 * GOODS + 3 * i
            gain = sum(self.prices[town][g] - self.prices[self.town][g] for g in n["bag"])
            view[k:k + 3] = town == self.town, self.distance(town) / 10, gain / 50
        view[-7:] = n["day"] / 80, n["purse"] / 100, n["worth"] / 100, len(n["bag"]) / n["load"], n["drought"] / 3, n["war"], 1
        tick(last)
        return view
