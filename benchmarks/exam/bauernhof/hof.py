"""Der Bauernhof: 8x8 Felder, drei Fruechte, Markt mit schwankenden Preisen."""
import random

import numpy as np

from stoppuhr import uhr
from wetter import Wetter

FRUECHTE = {
    #            Saat  Wuchs   Durst  Preis  Mindesttemperatur
    "weizen":   (3.0, 0.055, 0.50,  9.0, 4),
    "mais":     (5.0, 0.045, 0.80, 16.0, 9),
    "kuerbis":  (8.0, 0.035, 1.00, 28.0, 11),
}
NAMEN = list(FRUECHTE)
HANDLUNGEN = (["ruhen"] + [f"saeen_{n}" for n in NAMEN] + [f"ernten_{n}" for n in NAMEN]
              + ["giessen", "jaeten", "duengen", "verkaufen"])


class Feld:
    __slots__ = ("frucht", "reife", "wasser", "unkraut", "naehrstoff", "gesundheit")

    def __init__(self, zufall):
        self.frucht = None
        self.reife = 0.0
        self.wasser = zufall.uniform(4, 8)
        self.unkraut = zufall.uniform(0, 0.2)
        self.naehrstoff = zufall.uniform(0.6, 1.0)
        self.gesundheit = 1.0


class Bauernhof:
    def __init__(self, einst, samen):
        self.e = einst
        self.zufall = random.Random(samen)
        self.neues_jahr()

    def neues_jahr(self):
        with uhr.messen("neujahr"):
            self.tag = 0
            self.geld = self.e["startgeld"]
            self.lager = {n: 0.0 for n in NAMEN}
            self.felder = [[Feld(self.zufall) for _ in range(self.e["breite"])] for _ in range(self.e["hoehe"])]
            self.preise = {n: FRUECHTE[n][3] for n in NAMEN}
            self.wetter = Wetter(self.zufall)
            self.wetter.neuer_tag(0, self.e["tage_pro_jahr"])
            self.altes_vermoegen = self.vermoegen()

    def alle_felder(self):
        for reihe in self.felder:
            for feld in reihe:
                yield feld

    def erlaubt(self):
        """Maske der sinnvollen Handlungen"""
        with uhr.messen("erlaubt"):
            maske = np.zeros(len(HANDLUNGEN), dtype=bool)
            maske[0] = True
            for i, name in enumerate(NAMEN):
                maske[1 + i] = (self.geld >= FRUECHTE[name][0] and
                                any(f.frucht is None for f in self.alle_felder()))
                maske[4 + i] = any(f.frucht == name and f.reife >= 1.0 for f in self.alle_felder())
            maske[7] = any(f.wasser < 5 for f in self.alle_felder())
            maske[8] = any(f.unkraut > 0.25 for f in self.alle_felder())
            maske[9] = self.geld >= 10
            maske[10] = sum(self.lager.values()) > 0
            return maske

    def vermoegen(self):
        wert = self.geld
        for name, menge in self.lager.items():
            wert += 0.9 * menge * self.preise[name]
        for f in self.alle_felder():
            if f.frucht is not None:
                wert += 0.7 * min(1.0, f.reife) * f.gesundheit * FRUECHTE[f.frucht][3]
            wert -= 0.2 * f.unkraut
        return wert

    def belohnung(self):
        with uhr.messen("belohnung"):
            neu = self.vermoegen()
            lohn = (neu - self.altes_vermoegen) / 20.0
            self.altes_vermoegen = neu
            return lohn

    def beobachtung(self):
        with uhr.messen("beobachtung"):
            werte = []
            for f in self.alle_felder():
                werte += [1.0 if f.frucht == n else 0.0 for n in NAMEN]
                werte += [f.reife, f.wasser / 10, f.unkraut, f.naehrstoff, f.gesundheit]
            werte += [self.lager[n] / 20 for n in NAMEN]
            werte += [self.preise[n] / 20 for n in NAMEN]
            werte += [self.geld / 200, self.tag / self.e["tage_pro_jahr"], self.wetter.temperatur / 20]
            werte += [1.0 if self.wetter.art == a else 0.0 for a in Wetter.ARTEN]
            return np.array(werte, dtype=np.float64)

    def tagwerk(self, nummer):
        """ein Tag auf dem Hof -> (Belohnung, Jahr vorbei)"""
        with uhr.messen("tagwerk"):
            self.arbeiten(HANDLUNGEN[nummer])
            for _ in range(self.e["viertelstunden"]):
                self.wachsen(1.0 / self.e["viertelstunden"])
            self.unkraut_breitet_sich_aus()
            for n in NAMEN:
                grund = FRUECHTE[n][3]
                self.preise[n] = max(1.0, self.preise[n] + self.zufall.gauss(0, 0.06) * grund
                                     + 0.1 * (grund - self.preise[n]))
            self.tag += 1
            self.wetter.neuer_tag(self.tag, self.e["tage_pro_jahr"])
        return self.belohnung(), self.tag >= self.e["tage_pro_jahr"]

    def arbeiten(self, handlung):
        kraft = 12                                    # Felder, die man am Tag schafft
        for f in self.alle_felder():
            if kraft == 0:
                break
            if handlung.startswith("saeen_"):
                name = handlung[6:]
                if f.frucht is None and self.geld >= FRUECHTE[name][0]:
                    f.frucht, f.reife, f.gesundheit = name, 0.0, 1.0
                    self.geld -= FRUECHTE[name][0]
                    kraft -= 1
            elif handlung.startswith("ernten_"):
                name = handlung[7:]
                if f.frucht == name and f.reife >= 1.0:
                    self.lager[name] += f.gesundheit
                    f.frucht, f.reife = None, 0.0
                    kraft -= 1
            elif handlung == "giessen" and f.wasser < 5:
                f.wasser += 5
                kraft -= 1
            elif handlung == "jaeten" and f.unkraut > 0.25:
                f.unkraut = 0.0
                kraft -= 1
            elif handlung == "duengen" and f.naehrstoff < 0.8 and self.geld >= 1:
                f.naehrstoff = 1.0
                self.geld -= 1
                kraft -= 1
        if handlung == "verkaufen":
            for n in NAMEN:
                self.geld += self.lager[n] * self.preise[n]
                self.preise[n] *= 1 - min(0.4, 0.03 * self.lager[n])
                self.lager[n] = 0.0

    def wachsen(self, anteil):
        licht, temperatur = self.wetter.licht(), self.wetter.temperatur
        for f in self.alle_felder():
            f.wasser = min(15.0, f.wasser + self.wetter.regenmenge * anteil)
            f.wasser = max(0.0, f.wasser - (0.3 + 0.02 * max(0, temperatur)) * anteil)
            if f.frucht is None:
                continue
            _, wuchs, durst, _, mindest = FRUECHTE[f.frucht]
            f.wasser = max(0.0, f.wasser - durst * anteil)
            if f.wasser <= 0.0 or temperatur < 0:
                f.gesundheit = max(0.0, f.gesundheit - 0.05 * anteil)
            elif temperatur >= mindest:
                f.reife += wuchs * licht * f.naehrstoff * (1 - 0.6 * f.unkraut) * anteil * 2
                f.naehrstoff = max(0.2, f.naehrstoff - 0.006 * anteil)
            if f.gesundheit <= 0.0:
                f.frucht, f.reife = None, 0.0

    def unkraut_breitet_sich_aus(self):
        alt = [[f.unkraut for f in reihe] for reihe in self.felder]
        for y, reihe in enumerate(self.felder):
            for x, f in enumerate(reihe):
                druck = 0.0
                for dy in (-1, 0, 1):
                    for dx in (-1, 0, 1):
                        if 0 <= y + dy < len(alt) and 0 <= x + dx < len(reihe):
                            druck += alt[y + dy][x + dx]
                f.unkraut = min(1.0, f.unkraut + 0.004 * druck + self.zufall.random() * 0.01)
