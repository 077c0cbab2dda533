import math
import random


class Wetter:
    ARTEN = ("sonne", "wolken", "regen", "gewitter", "frost")

    def __init__(self, zufall: random.Random):
        self.zufall = zufall
        self.art = "sonne"
        self.temperatur = 12.0
        self.regenmenge = 0.0

    def neuer_tag(self, tag, tage_pro_jahr):
        jahreszeit = math.sin(2 * math.pi * tag / tage_pro_jahr - 0.6)
        self.temperatur = 11 + 10 * jahreszeit + self.zufall.gauss(0, 3)
        gewichte = [4 + 2 * jahreszeit, 3, 2.5 - jahreszeit, 0.8 + 0.5 * jahreszeit, max(0.0, -jahreszeit)]
        self.art = self.zufall.choices(self.ARTEN, weights=gewichte)[0]
        self.regenmenge = {"regen": 6.0, "gewitter": 12.0}.get(self.art, 0.0) * self.zufall.uniform(0.5, 1.5)
        if self.art == "frost":
            self.temperatur = min(self.temperatur, -1.0)

    def licht(self):
        return {"sonne": 1.0, "wolken": 0.6, "regen": 0.4, "gewitter": 0.3, "frost": 0.7}[self.art]
