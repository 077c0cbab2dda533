"""Regeln einer Partie Hexkrieg. Partei 0 = Lernender, Partei 1 = Computergegner."""
from dataclasses import dataclass
from time import perf_counter
import random

import numpy as np

from brett import Brett, BREITE, HOEHE, WALD, BERG, nachbar, abstand
from gegner import spiele_zug

#            Leben Angriff Punkte Reichweite
WERTE = {"Ritter": (10, 4, 3, 1), "Speer": (8, 3, 2, 1), "Bogen": (6, 3, 2, 3)}
AUFSTELLUNG = ("Ritter", "Speer", "Bogen", "Speer")
ARTEN = ("Ritter", "Speer", "Bogen")
ANZAHL = len(AUFSTELLUNG)
BEFEHLE = ANZAHL * 7 + 1           # 6 Richtungen + Schuss je Einheit, dann Zugende
EBENEN = 11
MAX_RUNDEN = 30


@dataclass
class Einheit:
    art: str
    partei: int
    x: int
    y: int
    leben: int
    punkte: int = 0

    @property
    def lebt(self):
        return self.leben > 0


class Partie:
    def __init__(self, saat=0):
        self.zufall = random.Random(saat)
        self.brett = Brett(self.zufall)
        self.gegnerzeit = 0.0
        self.aufstellen()

    # ---------------------------------------------------------------- Aufbau
    def aufstellen(self):
        self.brett.neu()
        self.einheiten = []
        zeilen = [0, 2, 4, 6]
        self.zufall.shuffle(zeilen)
        for i, art in enumerate(AUFSTELLUNG):
            l = WERTE[art][0]
            self.einheiten.append(Einheit(art, 0, 0, zeilen[i], l))
        for i, art in enumerate(AUFSTELLUNG):
            l = WERTE[art][0]
            self.einheiten.append(Einheit(art, 1, BREITE - 1, zeilen[-1 - i], l))
        self.runde = 0
        self.vorbei = False
        self.sieger = None
        self._punkte_auffuellen(0)
        self._alt = self.bewertung()

    def _punkte_auffuellen(self, partei):
        for e in self.einheiten:
            if e.partei == partei:
                e.punkte = WERTE[e.art][2]

    def truppe(self, partei):
        return [e for e in self.einheiten if e.partei == partei and e.lebt]

    def wer_steht(self, x, y):
        for e in self.einheiten:
            if e.lebt and e.x == x and e.y == y:
                return e
        return None

    # ---------------------------------------------------------------- Handeln
    def kampf(self, a, b):
        schaden = WERTE[a.art][1] + self.zufall.randint(-1, 1)
        if self.brett.gelaende[b.y][b.x] == WALD:
            schaden -= 1
        b.leben -= max(1, schaden)
        a.punkte = 0
        if b.lebt and abstand(a.x, a.y, b.x, b.y) == 1 and WERTE[b.art][3] == 1:
            a.leben -= 1

    def bewege(self, e, richtung):
        x, y = nachbar(e.x, e.y, richtung)
        ziel = self.wer_steht(x, y)
        if ziel is None:
            e.x, e.y = x, y
            e.punkte -= 1
        else:
            self.kampf(e, ziel)

    def ziel_fuer_schuss(self, e):
        weite = WERTE[e.art][3]
        if weite < 2:
            return None
        best = None
        for z in self.truppe(1 - e.partei):
            d = abstand(e.x, e.y, z.x, z.y)
            if d <= weite and (best is None or z.leben < best.leben):
                best = z
        return best

    def befehl(self, nr):
        """Ein Befehl des Lernenden; ist sein Zug zu Ende, zieht der Gegner."""
        fertig = nr == BEFEHLE - 1
        if not fertig:
            e = self.einheiten[nr // 7]
            was = nr % 7
            if was == 6:
                self.kampf(e, self.ziel_fuer_schuss(e))
            else:
                self.bewege(e, was)
            fertig = all(f.punkte <= 0 for f in self.truppe(0))
        self._pruefe_ende()
        if fertig and not self.vorbei:
            self._punkte_auffuellen(1)
            t = perf_counter()
            spiele_zug(self)
            self.gegnerzeit += perf_counter() - t
            self._pruefe_ende()
            self.runde += 1
            if self.runde >= MAX_RUNDEN:
                self.vorbei = True
            self._punkte_auffuellen(0)

    def _pruefe_ende(self):
        a, b = self.truppe(0), self.truppe(1)
        if not a or not b:
            self.vorbei = True
            self.sieger = 0 if a else 1

    # ---------------------------------------------------------------- Sichten
    def bewertung(self):
        wir, die = self.truppe(0), self.truppe(1)
        wert = 0.15 * (sum(e.leben for e in wir) - sum(e.leben for e in die))
        wert += 0.5 * (len(wir) - len(die))
        if die:
            for e in wir:
                wert -= 0.02 * min(abstand(e.x, e.y, z.x, z.y) for z in die)
        return wert

    def belohnung(self):
        neu = self.bewertung()
        b = neu - self._alt
        self._alt = neu
        if self.vorbei:
            b += {0: 3.0, 1: -3.0, None: -0.5}[self.sieger]
        return b

    def erlaubt(self):
        m = np.zeros(BEFEHLE, dtype=bool)
        for i in range(ANZAHL):
            e = self.einheiten[i]
            if not e.lebt or e.punkte <= 0:
                continue
            for r in range(6):
                x, y = nachbar(e.x, e.y, r)
                if not self.brett.begehbar(x, y):
                    continue
                dort = self.wer_steht(x, y)
                if dort is None or dort.partei == 1:
                    m[i * 7 + r] = True
            if self.ziel_fuer_schuss(e) is not None:
                m[i * 7 + 6] = True
        m[BEFEHLE - 1] = True
        return m

    def blick(self):
        b = np.zeros((EBENEN, HOEHE, BREITE), dtype=np.float32)
        for y in range(HOEHE):
            for x in range(BREITE):
                g = self.brett.gelaende[y][x]
                if g == WALD:
                    b[0, y, x] = 1.0
                elif g == BERG:
                    b[1, y, x] = 1.0
        for i, e in enumerate(self.einheiten):
            if not e.lebt:
                continue
            b[2 + 3 * e.partei + ARTEN.index(e.art), e.y, e.x] = e.leben / 10.0
            if e.partei == 0:
                b[8, e.y, e.x] = e.punkte / 3.0
                b[9, e.y, e.x] = (i + 1) / ANZAHL
        b[10] = self.runde / MAX_RUNDEN
        return b
