"""the drowned: older brains that come back as opponents"""
import copy
import random

from crew import Brain


class Graveyard:
    def __init__(self, team, room=8, seed=0):
        self.team, self.room = team, room
        self.graves = []          # {"w": weights, "born": season, "won": x, "met": n}
        self.dice = random.Random(seed)
        self.body = Brain()
        self.who = None

    def bury(self, brain, season):
        self.graves.append({"w": copy.deepcopy(brain.state_dict()), "born": season, "won": 1.0, "met": 2.0})
        if len(self.graves) > self.room:
            # lose the weakest one, never the newest
            weak = min(self.graves[:-1], key=lambda g: g["won"] / g["met"])
            self.graves = [one for one in self.graves if one is not weak]

    def rise(self):
        wts = [(g["won"] / g["met"]) ** 2 + 0.05 for g in self.graves]
        self.who = self.dice.choices(self.graves, wts)[0]
        self.body.load_state_dict(self.who["w"])
        return self.body

    def settle(self, result):
        """result: 1 ghost won, 0 lost, .5 draw"""
        if self.who is not None:
            self.who["won"] += result
            self.who["met"] += 1
