# Eine Partie: Ladenphase (Agent entscheidet), dann Kampf gegen den Wirt
import random
import numpy as np
from karten import ALLE_KARTEN, STAEMME, FAEHIGKEITEN, kampf, ziehe_angebot

PLAETZE = 6
ANZAHL_AKTIONEN = 4 + PLAETZE + 3      # kaufen 0-3, verkaufen 4-9, neu wuerfeln 10, aufwerten 11, fertig 12
RUNDEN = 10


class Spieler:
    def __init__(self):
        self.leben = 20
        self.gold = 3
        self.stufe = 1
        self.trupp = []
        self.angebot = []


def karten_vektor(k):
    v = [0.0] * (3 + len(STAEMME) + len(FAEHIGKEITEN))
    if k is None:
        return v
    v[0] = k.angriff / 10
    v[1] = k.leben / 10
    v[2] = k.stufe / 5
    v[3 + STAEMME.index(k.stamm)] = 1.0
    if k.faehigkeit:
        v[3 + len(STAEMME) + FAEHIGKEITEN.index(k.faehigkeit)] = 1.0
    return v


class Partie:
    def __init__(self, samen):
        self.zufall = random.Random(samen)
        self.neu()

    def neu(self):
        self.ich = Spieler()
        self.wirt = Spieler()
        self.runde = 1
        self.zuege = 0
        self.vorbei = False
        self.ich.angebot = ziehe_angebot(1, self.zufall)

    def beobachtung(self):
        teile = []
        for i in range(4):
            teile += karten_vektor(self.ich.angebot[i] if i < len(self.ich.angebot) else None)
        for i in range(PLAETZE):
            teile += karten_vektor(self.ich.trupp[i] if i < len(self.ich.trupp) else None)
        for i in range(PLAETZE):
            teile += karten_vektor(self.wirt.trupp[i] if i < len(self.wirt.trupp) else None)
        teile += [self.ich.gold / 10, self.ich.leben / 20, self.wirt.leben / 20, self.ich.stufe / 5, self.runde / RUNDEN]
        # Siegchance schaetzen: ein paar Probekaempfe gegen den letzten Trupp des Wirts
        proben = [kampf(self.ich.trupp, self.wirt.trupp, self.zufall) for _ in range(2)]
        teile += [sum(1 for p in proben if p > 0) / 2, sum(proben) / 20]
        return np.array(teile, dtype=np.float32)

    def erlaubt(self):
        m = np.zeros(ANZAHL_AKTIONEN, dtype=bool)
        for i in range(len(self.ich.angebot)):
            m[i] = self.ich.gold >= 3 and len(self.ich.trupp) < PLAETZE
        for i in range(len(self.ich.trupp)):
            m[4 + i] = len(self.ich.trupp) > 1 and self.zuege < 8
        m[10] = self.ich.gold >= 1
        m[11] = self.ich.gold >= 4 and self.ich.stufe < 5
        m[12] = True
        return m

    def fuehre_aus(self, aktion):
        """True, wenn die Ladenphase zu Ende ist"""
        ich = self.ich
        self.zuege += 1
        if aktion < 4:
            ich.trupp.append(ich.angebot.pop(aktion))
            ich.gold -= 3
        elif aktion < 4 + PLAETZE:
            ich.trupp.pop(aktion - 4)
            ich.gold += 1
        elif aktion == 10:
            ich.gold -= 1
            ich.angebot = ziehe_angebot(ich.stufe, self.zufall)
        elif aktion == 11:
            ich.gold -= 4
            ich.stufe += 1
        return aktion == 12 or self.zuege >= 12

    def wirt_zug(self):
        """Der Wirt probiert Angebote durch und behaelt, was im Probekampf am besten ist."""
        w = self.wirt
        w.gold = min(10, 2 + self.runde)
        if w.stufe < 5 and w.gold >= 6:
            w.stufe += 1
            w.gold -= 4
        while w.gold >= 3:
            angebot = ziehe_angebot(w.stufe, self.zufall)
            bestes, wert = None, -999
            for k in angebot:
                versuch = (w.trupp + [k])[-PLAETZE:]
                e = sum(kampf(versuch, self.ich.trupp, self.zufall) for _ in range(2))
                e += 0.3 * (k.angriff + k.leben)
                if e > wert:
                    bestes, wert = k, e
            w.trupp = (w.trupp + [bestes])[-PLAETZE:]
            w.gold -= 3

    def abrechnung(self):
        """Kampf am Rundenende; Belohnung"""
        e = kampf(self.ich.trupp, self.wirt.trupp, self.zufall)
        if e > 0:
            self.wirt.leben -= 1 + e // 2
        elif e < 0:
            self.ich.leben -= 1 + (-e) // 2
        self.runde += 1
        self.zuege = 0
        self.ich.gold = min(10, 2 + self.runde)
        self.ich.angebot = ziehe_angebot(self.ich.stufe, self.zufall)
        self.vorbei = self.runde > RUNDEN or self.ich.leben <= 0 or self.wirt.leben <= 0
        lohn = 0.05 * e
        if self.vorbei:
            lohn += 1.0 if self.ich.leben > self.wirt.leben else -1.0
        return lohn
