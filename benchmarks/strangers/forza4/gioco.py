"""Forza quattro. Tavola 6x7, giocatori +1 e -1."""
import numpy as np
from tempi import T

RIGHE, COLONNE = 6, 7


class Partita:
    def __init__(self):
        self.tavola = [[0] * COLONNE for _ in range(RIGHE)]
        self.altezze = [0] * COLONNE
        self.turno = 1
        self.mosse_fatte = 0
        self.vincitore = None      # None = ancora in corso, 0 = patta

    def copia(self):
        p = Partita.__new__(Partita)
        p.tavola = [r[:] for r in self.tavola]
        p.altezze = self.altezze[:]
        p.turno = self.turno
        p.mosse_fatte = self.mosse_fatte
        p.vincitore = self.vincitore
        return p

    def muovi(self, colonna):
        t0 = T.via()
        r = self.altezze[colonna]
        self.tavola[r][colonna] = self.turno
        self.altezze[colonna] += 1
        self.mosse_fatte += 1
        if self._quattro(r, colonna):
            self.vincitore = self.turno
        elif self.mosse_fatte == RIGHE * COLONNE:
            self.vincitore = 0
        self.turno = -self.turno
        T.stop("env.step", t0)

    def _quattro(self, r, c):
        chi = self.tavola[r][c]
        for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
            quanti = 1
            for segno in (1, -1):
                rr, cc = r + segno * dr, c + segno * dc
                while 0 <= rr < RIGHE and 0 <= cc < COLONNE and self.tavola[rr][cc] == chi:
                    quanti += 1
                    rr += segno * dr
                    cc += segno * dc
            if quanti >= 4:
                return True
        return False

    def mosse_possibili(self):
        return [c for c in range(COLONNE) if self.altezze[c] < RIGHE]

    def codifica(self):
        """Piani visti da chi deve muovere."""
        t0 = T.via()
        a = np.array(self.tavola, dtype=np.int8)
        piani = np.empty((3, RIGHE, COLONNE), dtype=np.float32)
        piani[0] = a == self.turno
        piani[1] = a == -self.turno
        piani[2] = self.mosse_fatte / (RIGHE * COLONNE)
        T.stop("env.observe", t0)
        return piani

    def __str__(self):
        simboli = {0: ".", 1: "X", -1: "O"}
        return "\n".join(" ".join(simboli[v] for v in riga) for riga in reversed(self.tavola))
