"""Die Grube: Erz abbauen, zum Schacht tragen, Decke abstuetzen, bevor sie kommt."""
import random
from collections import deque

import numpy as np

from uhr import uhr

FELS, GANG, ERZ, GEROELL, STUETZE, SCHACHT, WASSER = range(7)
B = 20
RICHTUNGEN = ((-1, 0), (1, 0), (0, -1), (0, 1))
WARTEN, STUETZEN = 4, 5


class Grube:
    aktionen = 6

    def __init__(self, saat):
        self.wuerfel = random.Random(saat)

    def neue_schicht(self):
        alt = uhr.um(1)
        w = self.wuerfel
        self.feld = [[FELS] * B for _ in range(B)]
        self.halt = [[9] * B for _ in range(B)]
        for z in range(B):
            for s in range(B):
                zufall = w.random()
                if zufall < .14:
                    self.feld[z][s] = ERZ
                elif zufall < .34:
                    self.feld[z][s] = GANG
        self.feld[0][B // 2] = SCHACHT
        for z in range(1, 5):
            self.feld[z][B // 2] = GANG
        self.feld[B - 1][w.randrange(B)] = WASSER
        self.ort = (0, B // 2)
        self.last = self.gefoerdert = self.zeit = 0
        self.holz, self.leben = 6, 3
        uhr.um(alt)
        return self.blick()

    def zug(self, was):
        alt = uhr.um(2)
        self.zeit += 1
        vorher = (self.last, self.gefoerdert, self.leben)
        z, s = self.ort
        if was < 4:
            nz, ns = z + RICHTUNGEN[was][0], s + RICHTUNGEN[was][1]
            if 0 <= nz < B and 0 <= ns < B:
                ziel = self.feld[nz][ns]
                if ziel == FELS or ziel == GEROELL:
                    self.feld[nz][ns] = GANG
                    self.halt[nz][ns] = 6 if ziel == FELS else 3
                elif ziel == ERZ and self.last < 3:
                    self.feld[nz][ns] = GANG
                    self.last += 1
                elif ziel in (GANG, STUETZE, SCHACHT):
                    self.ort = (nz, ns)
        elif was == STUETZEN and self.holz and self.feld[z][s] == GANG:
            self.feld[z][s] = STUETZE
            self.holz -= 1
        if self.feld[self.ort[0]][self.ort[1]] == SCHACHT and self.last:
            self.gefoerdert += self.last
            self.last = 0
            self.holz = min(6, self.holz + 2)
        self.berg_arbeitet()
        self.wasser_steigt()
        uhr.um(3)
        lohn = self.lohn(vorher)
        uhr.um(alt)
        ende = self.leben <= 0 or self.zeit >= 150
        return self.blick(), lohn, ende

    def berg_arbeitet(self):
        for z in range(B):
            for s in range(B):
                if self.feld[z][s] != GANG:
                    continue
                hohl = stuetzen = 0
                for dz in (-1, 0, 1):
                    for ds in (-1, 0, 1):
                        if 0 <= z + dz < B and 0 <= s + ds < B:
                            f = self.feld[z + dz][s + ds]
                            hohl += f == GANG or f == WASSER
                            stuetzen += f == STUETZE
                if hohl >= 6 and not stuetzen and self.wuerfel.random() < .12:
                    self.halt[z][s] -= 1
                    if self.halt[z][s] <= 0:
                        if (z, s) == self.ort:
                            self.leben -= 1
                            self.halt[z][s] = 4
                        else:
                            self.feld[z][s] = GEROELL

    def wasser_steigt(self):
        if self.zeit % 6:
            return
        neu = []
        for z in range(B):
            for s in range(B):
                if self.feld[z][s] == WASSER:
                    for dz, ds in RICHTUNGEN:
                        a, b = z + dz, s + ds
                        if 0 <= a < B and 0 <= b < B and self.feld[a][b] == GANG and self.wuerfel.random() < .25:
                            neu.append((a, b))
        for a, b in neu:
            if (a, b) == self.ort:
                self.leben -= 1
            else:
                self.feld[a][b] = WASSER

    def lohn(self, vorher):
        last, gefoerdert, leben = vorher
        return .3 * max(0, self.last - last) + 1.0 * (self.gefoerdert - gefoerdert) - 1.0 * (leben - self.leben) - .01

    def weg_zu(self, ziele):
        """erster Schritt und Laenge zum naechsten Feld aus ziele"""
        gesehen, schlange = {self.ort}, deque([(self.ort, -1, 0)])
        while schlange:
            (z, s), erster, n = schlange.popleft()
            if self.feld[z][s] in ziele and n:
                return erster, n
            for r, (dz, ds) in enumerate(RICHTUNGEN):
                p = (z + dz, s + ds)
                if 0 <= p[0] < B and 0 <= p[1] < B and p not in gesehen and self.feld[p[0]][p[1]] != WASSER:
                    gesehen.add(p)
                    schlange.append((p, r if erster < 0 else erster, n + 1))
        return WARTEN, 30

    def blick(self):
        alt = uhr.um(4)
        z, s = self.ort
        v = np.zeros((49, 8), np.float32)
        for i in range(49):
            a, b = z + i // 7 - 3, s + i % 7 - 3
            if 0 <= a < B and 0 <= b < B:
                v[i, self.feld[a][b]] = 1
                v[i, 7] = self.halt[a][b] / 9
        erz, weite_erz = self.weg_zu((ERZ,))
        heim, weite_heim = self.weg_zu((SCHACHT,))
        kopf = np.zeros(16, np.float32)
        kopf[erz] = kopf[5 + heim] = 1
        kopf[10:16] = weite_erz / 20, weite_heim / 20, self.last / 3, self.holz / 6, self.leben / 3, self.zeit / 150
        out = np.concatenate([v.ravel(), kopf])
        uhr.um(alt)
        return out

    def steiger_raet(self):
        """so wuerde der alte Steiger es machen"""
        z, s = self.ort
        if self.feld[z][s] == GANG and self.halt[z][s] <= 3 and self.holz:
            return STUETZEN
        return self.weg_zu((SCHACHT,) if self.last >= 3 else (ERZ,))[0]
