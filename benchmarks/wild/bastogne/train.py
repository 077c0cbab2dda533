import json
import os
import random
import tempfile
import time

import numpy as np
import torch

from brains import StaffOfficer
from hexgame import BastogneGame
from stopwatch import watch

torch.set_num_threads(1)
random.seed(44)
np.random.seed(44)
torch.manual_seed(44)


class Campaign:
    def __init__(self):
        self.game = BastogneGame(1944)
        self.practiceGame = BastogneGame(7)
        self.officer = StaffOfficer(self.game.orderCount)
        self.moves = self.battles = 0
        self.scores, self.losses = [], []

    def fightBattle(self):
        game, officer = self.game, self.officer
        watch.push("setup")
        game.reset()
        watch.pop()
        watch.push("map")
        planes = game.drawMap()
        watch.pop()
        watch.push("legal")
        legal = game.legalOrders()
        watch.pop()
        over, score = False, 0.0
        while not over:
            watch.push("choose")
            order = officer.chooseOrder(planes, legal)
            watch.pop()
            gain, over = game.playOrder(order)
            watch.push("map")
            nextPlanes = game.drawMap()
            watch.pop()
            watch.push("legal")
            nextLegal = game.legalOrders()
            watch.pop()
            watch.push("throw")
            officer.barrel.throwIn((planes, order, gain, nextPlanes, nextLegal, over))
            watch.pop()
            planes, legal = nextPlanes, nextLegal
            score += gain
            self.moves += 1
            if len(officer.barrel.items) >= 200 and self.moves % 4 == 0:
                self.losses.append(officer.takeLesson())
        self.battles += 1
        self.scores.append(score)

    def paradeGround(self):
        watch.push("parade")
        watch.frozen = True
        total = 0.0
        for _ in range(2):
            self.practiceGame.reset()
            over = False
            while not over:
                g = self.practiceGame
                gain, over = g.playOrder(self.officer.chooseOrder(g.drawMap(), g.legalOrders(), 0.0))
                total += gain
        watch.frozen = False
        watch.pop()
        return total / 2

    def run(self, seconds):
        watch.restart()
        stopAt = time.perf_counter() + seconds
        while time.perf_counter() < stopAt:
            self.fightBattle()
            if self.battles % 20 == 0:
                parade = self.paradeGround()
                watch.push("diary")
                print(f"battle {self.battles:4d}  score {np.mean(self.scores[-20:]):6.2f}  parade {parade:6.2f}  "
                      f"loss {np.mean(self.losses[-200:]):.4f}  daring {self.officer.daring:.2f}", flush=True)
                watch.pop()
            if self.battles % 50 == 0:
                watch.push("save")
                torch.save(self.officer.net.state_dict(), os.path.join(tempfile.gettempdir(), "bastogne_officer.pt"))
                watch.pop()
        return watch.finish()


campaign = Campaign()
wall = campaign.run(float(os.environ.get("WILD_SECONDS", 20)))
names = {"setup": "env.reset", "rules": "env.step", "enemy": "env.opponent", "tally": "env.reward", "map": "env.observe",
         "legal": "env.mask", "choose": "act", "throw": "replay.add", "draw": "replay.sample", "lesson": "learn.*",
         "parade": "eval", "diary": "log", "save": "checkpoint", "rest": "other"}
if os.environ.get("WILD_TRUTH"):
    with open(os.environ["WILD_TRUTH"], "w") as f:
        json.dump({"wall_seconds": wall / 1e9, "stages": {names[k]: v / 1e9 for k, v in watch.totals.items()},
                   "env_steps": campaign.moves, "episodes": campaign.battles, "updates": campaign.officer.lessons,
                   "note": "env.step: BastogneGame.playOrder less EnemyCommander.takeTurn (env.opponent) and the tally/over check "
                           "(env.reward). env.observe drawMap, env.mask legalOrders, act chooseOrder (random or network). "
                           "paradeGround (evaluation, every 20 battles) is all eval, whatever runs inside it."}, f, indent=1)
