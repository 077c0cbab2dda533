"""Turmverteidigung auf einem kleinen Raster.

Die Gegner laufen den Weg entlang, die Türme schießen von selbst.
Pro Zug darf man einen Turm bauen, einen aufrüsten oder warten; danach laufen
ein paar Ticks der Simulation.
"""
import math
import random

import numpy as np

from uhr import gemessen

PFEIL, KANONE, EIS = 0, 1, 2
TURM_PREIS = [20, 35, 25]
TURM_REICHWEITE = [2.5, 2.0, 1.8]
TURM_SCHADEN = [3.0, 7.0, 1.0]
TURM_PAUSE = [2, 5, 3]


class Gegner:
    __slots__ = ("strecke", "tempo", "lebenspunkte", "maxLeben", "kaelte", "gold", "x", "y")

    def __init__(self, strecke, tempo, lebenspunkte, gold):
        self.strecke = strecke
        self.tempo = tempo
        self.lebenspunkte = lebenspunkte
        self.maxLeben = lebenspunkte
        self.kaelte = 0
        self.gold = gold
        self.x = self.y = 0.0


class Turm:
    __slots__ = ("feld", "art", "stufe", "bereit", "abschuesse")

    def __init__(self, feld, art):
        self.feld = feld
        self.art = art
        self.stufe = 1
        self.bereit = 0
        self.abschuesse = 0


class TurmSpiel:
    def __init__(self, ein, samen=0):
        self.ein = ein
        self.zufall = random.Random(samen)
        self.bauPlaetze = []
        self.neuStarten()

    @property
    def anzahlAktionen(self):
        return 1 + 4 * self.maxPlaetze

    maxPlaetze = 12

    # ---------------------------------------------------------------- Aufbau
    def wegBauen(self):
        e = self.ein
        y = self.zufall.randrange(1, e.hoehe - 1)
        weg = [(0, y)]
        x = 0
        while x < e.breite - 1:
            x += 1
            weg.append((x, y))
            if x % 3 == 2 and x < e.breite - 1:
                ziel = self.zufall.randrange(1, e.hoehe - 1)
                while y != ziel:
                    y += 1 if ziel > y else -1
                    weg.append((x, y))
        return weg

    @gemessen("env.reset")
    def _neuAufbauen(self):
        e = self.ein
        self.weg = self.wegBauen()
        wegMenge = set(self.weg)
        nutzen = []
        for x in range(e.breite):
            for y in range(e.hoehe):
                if (x, y) in wegMenge:
                    continue
                treffer = sum(1 for (wx, wy) in self.weg if math.hypot(wx - x, wy - y) <= 2.0)
                nutzen.append((treffer + self.zufall.random(), (x, y)))
        nutzen.sort(reverse=True)
        self.bauPlaetze = [p for _, p in nutzen[:self.maxPlaetze]]
        self.tuerme = {}
        self.gegner = []
        self.gold = e.startGold
        self.leben = e.leben
        self.welle = 0
        self.nochZuSetzen = 0
        self.tick = 0
        self.naechsteWelle()

    def neuStarten(self):
        self._neuAufbauen()
        return self.beobachtung(), self.erlaubteZuege()

    def naechsteWelle(self):
        self.welle += 1
        self.nochZuSetzen = 8 + 4 * self.welle

    def setzeGegner(self):
        schnell = self.zufall.random() < 0.3
        lp = (10 + 6 * self.welle) * (0.6 if schnell else 1.0)
        self.gegner.append(Gegner(0.0, 0.2 if schnell else 0.12, lp, 3))
        self.nochZuSetzen -= 1

    # ---------------------------------------------------------------- Ablauf
    def ziehen(self, aktion):
        lohn, vorbei = self._simulieren(aktion)
        return self.beobachtung(), self.erlaubteZuege(), lohn, vorbei

    @gemessen("env.step")
    def _simulieren(self, aktion):
        if aktion > 0:
            platz, was = divmod(aktion - 1, 4)
            feld = self.bauPlaetze[platz]
            if was < 3:
                self.gold -= TURM_PREIS[was]
                self.tuerme[feld] = Turm(feld, was)
            else:
                turm = self.tuerme[feld]
                self.gold -= 15 * turm.stufe
                turm.stufe += 1
        lohn = 0.0
        for _ in range(self.ein.ticksProZug):
            lohn += self.einTick()
            if self.leben <= 0:
                return lohn - 2.0, True
        if not self.gegner and self.nochZuSetzen == 0:
            lohn += 0.5
            if self.welle >= self.ein.wellenProSpiel:
                return lohn + 2.0, True
            self.gold += 10
            self.naechsteWelle()
        return lohn, False

    def einTick(self):
        self.tick += 1
        if self.nochZuSetzen and self.tick % 2 == 0:
            self.setzeGegner()
        lohn = 0.0
        ende = len(self.weg) - 1
        uebrig = []
        for g in self.gegner:
            g.strecke += g.tempo * (0.5 if g.kaelte > 0 else 1.0)
            g.kaelte -= 1
            if g.strecke >= ende:
                self.leben -= 1
                lohn -= 0.3
                continue
            i = int(g.strecke)
            rest = g.strecke - i
            ax, ay = self.weg[i]
            bx, by = self.weg[i + 1]
            g.x = ax + (bx - ax) * rest
            g.y = ay + (by - ay) * rest
            uebrig.append(g)
        self.gegner = uebrig
        for turm in self.tuerme.values():
            turm.bereit -= 1
            if turm.bereit <= 0:
                self.schiessen(turm)
        tote = [g for g in self.gegner if g.lebenspunkte <= 0]
        if tote:
            for g in tote:
                self.gold += g.gold
                lohn += 0.1
            self.gegner = [g for g in self.gegner if g.lebenspunkte > 0]
        return lohn

    def schiessen(self, turm):
        tx, ty = turm.feld
        reichweite = TURM_REICHWEITE[turm.art] + 0.2 * turm.stufe
        ziel = None
        for g in self.gegner:
            if g.lebenspunkte > 0 and math.hypot(g.x - tx, g.y - ty) <= reichweite:
                if ziel is None or g.strecke > ziel.strecke:
                    ziel = g
        if ziel is None:
            return
        schaden = TURM_SCHADEN[turm.art] * (0.6 + 0.4 * turm.stufe)
        if turm.art == KANONE:
            for g in self.gegner:
                if math.hypot(g.x - ziel.x, g.y - ziel.y) <= 0.8:
                    g.lebenspunkte -= schaden
        else:
            ziel.lebenspunkte -= schaden
            if turm.art == EIS:
                ziel.kaelte = 8
        turm.bereit = TURM_PAUSE[turm.art]

    # ---------------------------------------------------------------- Sicht
    @gemessen("env.mask")
    def erlaubteZuege(self):
        maske = np.zeros(self.anzahlAktionen, dtype=bool)
        maske[0] = True
        for i, feld in enumerate(self.bauPlaetze):
            turm = self.tuerme.get(feld)
            if turm is None:
                for art in range(3):
                    maske[1 + 4 * i + art] = self.gold >= TURM_PREIS[art]
            elif turm.stufe < 4:
                maske[1 + 4 * i + 3] = self.gold >= 15 * turm.stufe
        return maske

    @gemessen("env.observe")
    def beobachtung(self):
        werte = []
        for feld in self.bauPlaetze:
            turm = self.tuerme.get(feld)
            if turm is None:
                werte += [0.0, 0.0, 0.0, 0.0]
            else:
                eins = [0.0, 0.0, 0.0]
                eins[turm.art] = 1.0
                werte += eins + [turm.stufe / 4]
            nah = 0
            for (wx, wy) in self.weg:
                if abs(wx - feld[0]) + abs(wy - feld[1]) <= 2:
                    nah += 1
            werte.append(nah / 8)
        abschnitte = [0.0] * 10
        laenge = len(self.weg)
        for g in self.gegner:
            abschnitte[min(9, int(10 * g.strecke / laenge))] += g.lebenspunkte / 40
        werte += abschnitte
        werte += [self.gold / 100, self.leben / self.ein.leben, self.welle / 12, self.nochZuSetzen / 50, len(self.gegner) / 50]
        return np.array(werte, dtype=np.float32)
