import math
import numpy as np
from netz import befragen


class Knoten:
    __slots__ = ("stellung", "kinder", "p", "n", "summe")

    def __init__(self, p):
        self.stellung = None
        self.kinder = None
        self.p = p
        self.n = 0
        self.summe = 0.0

    def q(self):
        return self.summe / self.n if self.n else 0.0


class Suche:
    def __init__(self, netz, uhr, simulationen=32, c=1.6, rauschen=True):
        self.netz, self.uhr = netz, uhr
        self.simulationen = simulationen
        self.c = c
        self.rauschen = rauschen

    def ausklappen(self, k):
        uhr = self.uhr
        uhr.rein("env.mask")
        zuege = k.stellung.gueltige()
        uhr.raus()
        if not zuege:
            k.stellung.wert = -1.0      # eingeklemmt = verloren
            return -1.0
        uhr.rein("env.observe")
        e = k.stellung.ebenen()
        uhr.raus()
        uhr.rein("act.predict")
        p, wert = befragen(self.netz, e)
        uhr.raus()
        summe = sum(float(p[a]) for a in zuege) + 1e-9
        k.kinder = {a: Knoten(float(p[a]) / summe) for a in zuege}
        return wert

    def bestes_kind(self, k):
        wurzel = math.sqrt(k.n + 1)
        best, best_u = None, -1e9
        for a, kind in k.kinder.items():
            # Wert des Kindes gilt fuer den Gegner, also minus
            u = -kind.q() + self.c * kind.p * wurzel / (1 + kind.n)
            if u > best_u:
                best, best_u = a, u
        return best, k.kinder[best]

    def denken(self, stellung):
        """gibt {aktion: besuche} zurueck"""
        self.uhr.rein("act.search")
        wurzel = Knoten(1.0)
        wurzel.stellung = stellung
        self.ausklappen(wurzel)
        if wurzel.kinder is None:
            self.uhr.raus()
            return {}
        if self.rauschen:
            d = np.random.dirichlet([0.5] * len(wurzel.kinder))
            for x, kind in zip(d, wurzel.kinder.values()):
                kind.p = 0.75 * kind.p + 0.25 * x
        for _ in range(self.simulationen):
            k = wurzel
            weg = [k]
            while k.kinder is not None and not k.stellung.aus:
                a, kind = self.bestes_kind(k)
                if kind.stellung is None:
                    self.uhr.rein("env.step")
                    kind.stellung = k.stellung.ziehen(a)
                    self.uhr.raus()
                k = kind
                weg.append(k)
            wert = k.stellung.wert if k.stellung.aus else self.ausklappen(k)
            for k in reversed(weg):
                k.n += 1
                k.summe += wert
                wert = -wert
        besuche = {a: kind.n for a, kind in wurzel.kinder.items()}
        self.uhr.raus()
        return besuche
