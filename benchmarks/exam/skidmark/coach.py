import json
import os

import numpy as np
import torch

from driver import Driver
from lapclock import LAPS
from rally import N_FEEL, RallyGame
from tape import Tape

HERE = os.path.dirname(os.path.abspath(__file__))


class RallyCoach:
    rookie = 500          # steps of just mashing the pedals
    every = 6             # one lesson per so many steps
    batch = 96

    def __init__(self, seconds):
        self.seconds = seconds
        self.game = RallyGame([3, 8, 21], dice=1)
        self.test_game = RallyGame([77], dice=2, patience=200)
        self.driver = Driver(N_FEEL, 2)
        self.tape = Tape(60000, N_FEEL, 2)
        self.rng = np.random.default_rng(9)
        self.steps = self.runs = self.lessons = 0
        self.purse = 0.0
        self.diary = []
        self.moans = []
        self.feel = None

    def drop_flag(self):
        LAPS.flag()
        self.feel = self.game.restart()

    def out_of_time(self):
        return LAPS.running() >= self.seconds

    def drive_on(self):
        LAPS.into("act")
        if self.steps < self.rookie:
            deed = self.rng.uniform(-1, 1, 2).astype(np.float32)
            deed[0] = abs(deed[0])
        else:
            deed = self.driver.decide(self.feel)
        LAPS.out()
        after, prize, dead, parked = self.game.drive(deed)
        LAPS.into("replay.add")
        self.tape.record(self.feel, deed, prize, after, dead)
        LAPS.out()
        self.steps += 1
        self.purse += prize
        self.feel = after
        if dead or parked:
            self.runs += 1
            self.diary.append((self.purse, self.game.metres))
            self.purse = 0.0
            self.feel = self.game.restart()

    def lesson(self):
        if self.steps < self.rookie or self.steps % self.every:
            return
        LAPS.into("replay.sample")
        bits = self.tape.rewind(self.batch)
        LAPS.out()
        LAPS.into("learn")
        self.moans.append(self.driver.study(*bits))
        self.lessons += 1
        LAPS.out()

    def time_trial(self):
        if self.steps % 1500:
            return
        LAPS.hush("eval")
        f = self.test_game.restart()
        total, over = 0.0, False
        while not over:
            f, p, dead, parked = self.test_game.drive(self.driver.decide(f, sober=True))
            total += p
            over = dead or parked
        print(f"   time trial: {total:7.2f}  {self.test_game.metres:6.1f} m")
        LAPS.unhush()

    def chat(self):
        if self.steps % 500:
            return
        LAPS.into("logging")
        last = self.diary[-10:] or [(0.0, 0.0)]
        print(f"{self.steps:7d} steps {self.runs:4d} runs  prize {np.mean([d[0] for d in last]):7.2f}"
              f"  metres {np.mean([d[1] for d in last]):6.1f}"
              f"  moan {np.mean(self.moans[-100:]) if self.moans else 0:.3f}", flush=True)
        LAPS.out()

    def park(self):
        if self.steps % 2000:
            return
        LAPS.into("checkpoint")
        os.makedirs(os.path.join(HERE, "garage"), exist_ok=True)
        torch.save({"wrist": self.driver.wrist.state_dict(), "nag": self.driver.nag.state_dict(),
                    "steps": self.steps}, os.path.join(HERE, "garage", "latest.pt"))
        LAPS.out()

    def hand_in(self, where):
        LAPS.chequered()
        with open(where, "w") as fh:
            json.dump({"wall_seconds": LAPS.total, "stages": LAPS.book, "env_steps": self.steps,
                       "episodes": self.runs, "updates": self.lessons}, fh, indent=1)
