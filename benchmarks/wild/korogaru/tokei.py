import json
import os
from time import perf_counter_ns

NAMAE = ("other", "env.reset", "env.step", "env.observe", "env.reward", "act", "replay.add", "replay.sample", "learn.*", "eval", "log")


class Tokei:
    def __init__(self):
        self.hajime()

    def hajime(self):
        self.goukei = [0] * len(NAMAE)
        self.ima, self.tomaru = 0, False
        self.kaishi = self.mae = perf_counter_ns()

    def kaeru(self, dare):
        t = perf_counter_ns()
        moto = self.ima
        self.goukei[moto] += t - self.mae
        self.mae = t
        if not self.tomaru:
            self.ima = dare
        return moto

    def kaku(self, ho, kai, manabi, kousin):
        self.kaeru(0)
        zenbu = (self.mae - self.kaishi) / 1e9
        wake = {n: v / 1e9 for n, v in zip(NAMAE, self.goukei)}
        michi = os.environ.get("WILD_TRUTH")
        if michi:
            with open(michi, "w") as f:
                json.dump({"wall_seconds": zenbu, "stages": wake, "env_steps": ho, "episodes": kai, "updates": manabi,
                           "optimizer_steps": kousin,
                           "note": "updates = calls of manabu (one SAC update); each makes four optimizer steps (two critics, actor, temperature; "
                                   "total in optimizer_steps); learn.* = manabu whole incl. soft targets; act = erabu (actor forward + sampling; "
                                   "random in the first steps); eval = hyouka (whole episodes, not in env_steps)"}, f, indent=1)
        return zenbu, wake


tokei = Tokei()
