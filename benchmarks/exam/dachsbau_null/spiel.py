"""Dachsbau - Brettspiel 6x6, selbst ausgedacht.

Beide haben 8 Dachse. Wer die Grundreihe des anderen erreicht oder ihm alle
Dachse wegnimmt, gewinnt. Zwei Tunnelpaare. Wer zwischen zwei Feinden steht
(waagrecht oder senkrecht), wird verjagt.

Das Brett wird immer aus Sicht dessen gespeichert, der am Zug ist
(+1 = meine, -1 = seine, ich laufe nach oben).
"""
import numpy as np

B = 6
FELDER = B * B
RICHTUNGEN = [(-1, 0), (-1, -1), (-1, 1), (0, -1), (0, 1)]
AKTIONEN = FELDER * len(RICHTUNGEN)
TUNNEL = {(2, 0): (3, 5), (3, 5): (2, 0), (2, 3): (3, 2), (3, 2): (2, 3)}
MAX_ZUEGE = 50


class Stellung:
    def __init__(self, brett=None, zuege=0):
        if brett is None:
            brett = [[0] * B for _ in range(B)]
            for s in range(B):
                brett[5][s] = 1
                brett[0][s] = -1
            for s in (1, 4):
                brett[4][s] = 1
                brett[1][s] = -1
        self.brett = brett
        self.zuege = zuege
        self.wert = None        # aus Sicht dessen, der am Zug ist

    @property
    def aus(self):
        return self.wert is not None

    # ------------------------------------------------------------ Regeln
    def zielfeld(self, r, s, d):
        dr, ds = RICHTUNGEN[d]
        zr, zs = r + dr, s + ds
        if not (0 <= zr < B and 0 <= zs < B):
            return None
        inhalt = self.brett[zr][zs]
        if inhalt == 1:
            return None
        if inhalt == -1:
            # schlagen nur schraeg
            return (zr, zs) if d in (1, 2) else None
        if (zr, zs) in TUNNEL:
            tr, ts = TUNNEL[(zr, zs)]
            if self.brett[tr][ts] == 0 and (tr, ts) != (r, s):
                return tr, ts
        return zr, zs

    def gueltige(self):
        liste = []
        for r in range(B):
            for s in range(B):
                if self.brett[r][s] != 1:
                    continue
                for d in range(len(RICHTUNGEN)):
                    if self.zielfeld(r, s, d) is not None:
                        liste.append((r * B + s) * len(RICHTUNGEN) + d)
        return liste

    def verjagen(self, brett, r, s):
        for dr, ds in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            ar, as_ = r + dr, s + ds
            br, bs = r + 2 * dr, s + 2 * ds
            if 0 <= br < B and 0 <= bs < B and brett[ar][as_] == -1 and brett[br][bs] == 1:
                brett[ar][as_] = 0

    def ziehen(self, aktion):
        feld, d = divmod(aktion, len(RICHTUNGEN))
        r, s = divmod(feld, B)
        ziel = self.zielfeld(r, s, d)
        if ziel is None:
            raise ValueError("ungueltiger Zug %d" % aktion)
        neu = [list(reihe) for reihe in self.brett]
        neu[r][s] = 0
        neu[ziel[0]][ziel[1]] = 1
        self.verjagen(neu, *ziel)
        gewonnen = ziel[0] == 0 or not any(-1 in reihe for reihe in neu)
        gedreht = [[-neu[B - 1 - i][B - 1 - j] for j in range(B)] for i in range(B)]
        nach = Stellung(gedreht, self.zuege + 1)
        if gewonnen:
            nach.wert = -1.0
        elif nach.zuege >= MAX_ZUEGE:
            nach.wert = 0.0
        return nach

    # ------------------------------------------------------------ fuers Netz
    def ebenen(self):
        e = np.zeros((4, B, B), dtype=np.float32)
        for r in range(B):
            for s in range(B):
                if self.brett[r][s] == 1:
                    e[0, r, s] = 1
                elif self.brett[r][s] == -1:
                    e[1, r, s] = 1
                if (r, s) in TUNNEL:
                    e[2, r, s] = 1
        e[3] = self.zuege / MAX_ZUEGE
        return e

    def malen(self):
        zeichen = {0: ".", 1: "D", -1: "f"}
        zeilen = []
        for r in range(B):
            z = ""
            for s in range(B):
                c = zeichen[self.brett[r][s]]
                if c == "." and (r, s) in TUNNEL:
                    c = "o"
                z += c + " "
            zeilen.append("   %d| %s" % (B - r, z))
        zeilen.append("      " + " ".join("abcdef"))
        return "\n".join(zeilen)


def spiegel_aktion(a):
    """links/rechts vertauschen. Achtung: die Tunnel sind nicht spiegelgleich!"""
    feld, d = divmod(a, len(RICHTUNGEN))
    r, s = divmod(feld, B)
    return (r * B + (B - 1 - s)) * len(RICHTUNGEN) + [0, 2, 1, 4, 3][d]
