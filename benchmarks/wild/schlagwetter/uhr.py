import json
import os
from time import perf_counter_ns as jetzt

FAECHER = ["other", "env.reset", "env.step", "env.reward", "env.observe", "act", "replay.add", "replay.sample",
           "replay.update", "learn.*", "eval", "checkpoint", "log"]


class Uhr:
    def start(self, zaehler):
        self.zaehler = zaehler
        self.summen = [0] * len(FAECHER)
        self.fach, self.sperre = 0, False
        self.abschnitte = {}
        self.seit = self.abschnitt_seit = self.beginn = jetzt()
        self.vorher = dict(zaehler)

    def um(self, fach):
        n = jetzt()
        alt = self.fach
        self.summen[alt] += n - self.seit
        self.seit = n
        self.fach = alt if self.sperre else fach
        return alt

    def abschnitt(self, name):
        self.um(self.fach)
        self.abschnitte[name] = {
            "wall_seconds": (self.seit - self.abschnitt_seit) / 1e9,
            "stages": {k: v / 1e9 for k, v in zip(FAECHER, self.summen) if v},
            **{k: v - self.vorher[k] for k, v in self.zaehler.items()}}
        self.summen = [0] * len(FAECHER)
        self.abschnitt_seit, self.vorher = self.seit, dict(self.zaehler)

    def niederschrift(self):
        ganz = {}
        for a in self.abschnitte.values():
            for k, v in a["stages"].items():
                ganz[k] = ganz.get(k, 0) + v
        wand = (self.seit - self.beginn) / 1e9
        pfad = os.environ.get("WILD_TRUTH")
        if pfad:
            with open(pfad, "w") as f:
                json.dump({"wall_seconds": wand, "stages": ganz, **self.zaehler, "phases": self.abschnitte,
                           "note": "top level = whole loop. phases: offline = behaviour cloning only (no game step; learn.* incl. drawing the batch "
                                   "from the arrays in replay.sample); prefill = random steps up to and including the first online update; "
                                   "online = everything after the first online update. replay.* = prioritised memory (sum tree in Python); "
                                   "act = eps-greedy choice incl. forward; eval = whole evaluation episodes; env_steps without those"},
                          f, indent=1)
        return wand, ganz


uhr = Uhr()
