import numpy as np

from netz import Netz, weichmax
from stoppuhr import uhr


class Lehrling:
    """A2C: der Lehrling lernt den Hof zu fuehren"""

    def __init__(self, groesse, handlungen, e):
        self.e = e
        self.akteur = Netz(groesse, e["versteckt"], handlungen, e["lernrate"], 1)
        self.kritiker = Netz(groesse, e["versteckt"], 1, e["lernrate"], 2)
        self.zufall = np.random.default_rng(3)

    def entscheiden(self, lagen, masken):
        with uhr.messen("entscheiden"):
            p = weichmax(self.akteur.vorwaerts(lagen), masken)
            return [int(self.zufall.choice(len(zeile), p=zeile)) for zeile in p]

    def bewerten(self, lagen):
        with uhr.messen("bewerten"):
            return self.kritiker.vorwaerts(lagen)[:, 0]

    def ertraege(self, loehne, enden, letzter_wert):
        with uhr.messen("ertraege"):
            r, liste = letzter_wert, []
            for lohn, ende in zip(reversed(loehne), reversed(enden)):
                r = np.array(lohn) + self.e["gamma"] * r * (1 - np.array(ende, dtype=float))
                liste.insert(0, r)
            return np.concatenate(liste)

    def lernen(self, lagen, masken, taten, ertraege):
        with uhr.messen("lernen"):
            x, m, a = np.concatenate(lagen), np.concatenate(masken), np.concatenate(taten)
            n = len(x)
            werte = self.kritiker.vorwaerts(x)[:, 0]
            vorteil = ertraege - werte
            self.kritiker.rueckwaerts((-2 * self.e["wert_faktor"] * vorteil / n)[:, None])
            p = weichmax(self.akteur.vorwaerts(x), m)
            logp = np.log(p + 1e-12)
            entropie = -(p * logp).sum(1)
            eins = np.eye(p.shape[1])[a]
            d = (p - eins) * vorteil[:, None] + self.e["entropie"] * p * (logp + entropie[:, None])
            self.akteur.rueckwaerts(np.where(m, d, 0) / n)
            return float((vorteil ** 2).mean()), float(entropie.mean())

    def speichern(self, pfad):
        with uhr.messen("speichern"):
            np.savez_compressed(pfad, **{"a_" + k: v for k, v in self.akteur.g.items()},
                                **{"k_" + k: v for k, v in self.kritiker.g.items()})
