import random

import numpy as np

LEER, ERDE, STEIN, ERZ, WAND, TOR = range(6)
BREITE, HOEHE = 16, 12
RICHTUNGEN = ((0, -1), (1, 0), (0, 1), (-1, 0), (0, 0))
SICHT = 9
ZUSTANDSGROESSE = SICHT * SICHT * 5 + 6
HOECHSTDAUER = 250


class Grube:
    """Ein Bergmann, fallende Steine, Erz und ein Tor nach oben."""

    def __init__(self, saat):
        self.wuerfel = random.Random(saat)

    def neu_graben(self):
        w = self.wuerfel
        self.feld = [[WAND] * BREITE for _ in range(HOEHE)]
        for y in range(1, HOEHE - 1):
            for x in range(1, BREITE - 1):
                z = w.random()
                self.feld[y][x] = STEIN if z < 0.13 else ERZ if z < 0.24 else LEER if z < 0.32 else ERDE
        self.x, self.y = w.randrange(2, BREITE - 2), w.randrange(2, HOEHE - 2)
        self.feld[self.y][self.x] = LEER
        self.feld[self.y - 1][self.x] = ERDE
        self.feld[HOEHE - 2][BREITE - 2] = TOR
        self.fallend = set()
        self.erz, self.schicht, self.tot = 0, 0, False

    def _schwerkraft(self):
        neu = set()
        feld = self.feld
        for y in range(HOEHE - 2, 0, -1):
            reihe, drunter = feld[y], feld[y + 1]
            for x in range(1, BREITE - 1):
                if reihe[x] != STEIN:
                    continue
                if drunter[x] == LEER:
                    if (x, y + 1) == (self.x, self.y):
                        if (x, y) in self.fallend:
                            self.tot = True
                        continue
                    reihe[x], drunter[x] = LEER, STEIN
                    neu.add((x, y + 1))
                elif drunter[x] == STEIN:
                    for s in (-1, 1):
                        if reihe[x + s] == LEER and drunter[x + s] == LEER and (self.x, self.y) not in ((x + s, y), (x + s, y + 1)):
                            reihe[x], reihe[x + s] = LEER, STEIN
                            neu.add((x + s, y))
                            break
        self.fallend = neu

    def schicht_fahren(self, aktion):
        dx, dy = RICHTUNGEN[aktion]
        zx, zy = self.x + dx, self.y + dy
        ziel = self.feld[zy][zx]
        lohn, geschafft = -0.01, False
        if ziel in (LEER, ERDE, ERZ) and (dx or dy):
            if ziel == ERZ:
                self.erz += 1
                lohn += 1.0
            self.feld[zy][zx] = LEER
            self.x, self.y = zx, zy
        elif ziel == STEIN and dy == 0 and self.feld[zy][zx + dx] == LEER:
            self.feld[zy][zx], self.feld[zy][zx + dx] = LEER, STEIN
            self.x = zx
        elif ziel == TOR and self.erz >= 10:
            lohn += 3.0
            geschafft = True
        else:
            lohn -= 0.02
        self._schwerkraft()
        self.schicht += 1
        if self.tot:
            lohn -= 2.0
        return lohn, self.tot or geschafft or self.schicht >= HOECHSTDAUER

    def umschau(self):
        h = SICHT // 2
        bild = np.zeros((SICHT, SICHT, 5), dtype=np.float32)
        for j in range(SICHT):
            y = self.y - h + j
            for i in range(SICHT):
                x = self.x - h + i
                art = self.feld[y][x] if 0 <= x < BREITE and 0 <= y < HOEHE else WAND
                if art:
                    bild[j, i, art - 1] = 1.0
        rest = [self.x / BREITE, self.y / HOEHE, min(self.erz, 10) / 10, self.schicht / HOECHSTDAUER,
                (BREITE - 2 - self.x) / BREITE, (HOEHE - 2 - self.y) / HOEHE]
        return np.concatenate([bild.ravel(), np.array(rest, dtype=np.float32)])
