"""Il Palio dei Campi: quattro contrade, tre fanti ciascuna, un campo di grano."""
import random
from collections import deque
import numpy as np
from cronometro import crono
CONTRADE = ["lupa", "oca", "torre", "drago"]
FANTI_PER_CONTRADA = 3
LATO = 18
RAGGIO = 4
FINESTRA = 2 * RAGGIO + 1
DURATA = 120

FERMO, SU, GIU, SINISTRA, DESTRA, COLPISCI, RACCOGLI = range(7)
N_AZIONI = 7
SPOSTA = {SU: (-1, 0), GIU: (1, 0), SINISTRA: (0, -1), DESTRA: (0, 1)}
ANGOLI = [(1, 1), (1, LATO - 2), (LATO - 2, 1), (LATO - 2, LATO - 2)]
CANALI = 6
N_EXTRA = 8
DIM_OSS = CANALI * FINESTRA * FINESTRA + N_EXTRA

class Fante:
    def __init__(self, nome, squadra, r, c):
        self.nome, self.squadra = nome, squadra
        self.r, self.c = r, c
        self.vita = 3
        self.carico = 0
        self.potenziale = 0.0

class Campo:
    def __init__(self, seme=None):
        self.caso = random.Random(seme)
        self.nomi = [f"{s}_{i}" for s in CONTRADE for i in range(FANTI_PER_CONTRADA)]

    def nuova_partita(self):
        with crono("env.reset"):
            self.muri = np.zeros((LATO, LATO), dtype=bool)
            self.muri[0, :] = self.muri[-1, :] = self.muri[:, 0] = self.muri[:, -1] = True
            for _ in range(14):
                r, c = self.caso.randint(3, LATO - 4), self.caso.randint(3, LATO - 4)
                for k in range(self.caso.randint(1, 3)):
                    if c + k < LATO - 3:
                        self.muri[r, c + k] = True
            self.grano = np.zeros((LATO, LATO), dtype=int)
            for _ in range(25):
                r, c = self.caso.randint(1, LATO - 2), self.caso.randint(1, LATO - 2)
                if not self.muri[r, c]:
                    self.grano[r, c] = self.caso.randint(1, 3)
            self.fanti = {}
            for s in range(4):
                for i in range(FANTI_PER_CONTRADA):
                    r, c = ANGOLI[s]
                    nome = f"{CONTRADE[s]}_{i}"
                    self.fanti[nome] = Fante(nome, s, r, c)
            self.punti = [0, 0, 0, 0]
            self.turno = 0
            self.eventi = {n: 0.0 for n in self.nomi}
            for f in self.fanti.values():
                f.potenziale = self.distanza_meta(f)
        return self.osserva_tutti()

    def passo(self, azioni):
        with crono("env.step"):
            self.turno += 1
            self.eventi = {n: 0.0 for n in self.nomi}
            ordine = list(azioni)
            self.caso.shuffle(ordine)
            for nome in ordine:
                self.esegui(self.fanti[nome], azioni[nome])
            self.cresci()
            finita = self.turno >= DURATA
        premi = self.calcola_premi(finita)
        oss = self.osserva_tutti()
        return oss, premi, finita, {"punti": list(self.punti)}

    def esegui(self, f, a):
        if a in SPOSTA:
            dr, dc = SPOSTA[a]
            if not self.muri[f.r + dr, f.c + dc]:
                f.r += dr
                f.c += dc
            if (f.r, f.c) == ANGOLI[f.squadra] and f.carico:
                self.punti[f.squadra] += f.carico
                self.eventi[f.nome] += f.carico
                f.carico = 0
        elif a == COLPISCI:
            for g in self.fanti.values():
                if g.squadra != f.squadra and abs(g.r - f.r) + abs(g.c - f.c) <= 1:
                    g.vita -= 1
                    self.eventi[f.nome] += 0.1
                    if g.vita <= 0:      # torna al castello e perde tutto
                        self.grano[g.r, g.c] += g.carico
                        self.eventi[g.nome] -= 0.5
                        self.eventi[f.nome] += 0.5
                        g.r, g.c = ANGOLI[g.squadra]
                        g.vita, g.carico = 3, 0
                    break
        elif a == RACCOGLI:
            if self.grano[f.r, f.c] > 0 and f.carico < 3:
                self.grano[f.r, f.c] -= 1
                f.carico += 1
                self.eventi[f.nome] += 0.2

    def cresci(self):
        for r in range(1, LATO - 1):
            for c in range(1, LATO - 1):
                if self.muri[r, c]:
                    continue
                vicini = self.grano[r - 1, c] + self.grano[r + 1, c] + self.grano[r, c - 1] + self.grano[r, c + 1]
                if vicini and self.grano[r, c] < 3 and self.caso.random() < 0.004 * vicini:
                    self.grano[r, c] += 1
        if self.grano.sum() < 10:
            r, c = self.caso.randint(1, LATO - 2), self.caso.randint(1, LATO - 2)
            if not self.muri[r, c]:
                self.grano[r, c] = 3

    def azioni_valide(self, nome):
        f = self.fanti[nome]
        ok = np.zeros(N_AZIONI, dtype=bool)
        ok[FERMO] = True
        for a, (dr, dc) in SPOSTA.items():
            ok[a] = not self.muri[f.r + dr, f.c + dc]
        ok[COLPISCI] = any(g.squadra != f.squadra and abs(g.r - f.r) + abs(g.c - f.c) <= 1
                           for g in self.fanti.values())
        ok[RACCOGLI] = self.grano[f.r, f.c] > 0 and f.carico < 3
        return ok

    def distanza_meta(self, f):
        """passi fino al castello (se carico) o al grano piu' vicino"""
        coda = deque([(f.r, f.c, 0)])
        visti = {(f.r, f.c)}
        while coda:
            r, c, d = coda.popleft()
            if f.carico >= 2:
                if (r, c) == ANGOLI[f.squadra]:
                    return d
            elif self.grano[r, c] > 0:
                return d
            for dr, dc in SPOSTA.values():
                q = (r + dr, c + dc)
                if q not in visti and not self.muri[q]:
                    visti.add(q)
                    coda.append((q[0], q[1], d + 1))
        return LATO

    def calcola_premi(self, finita):
        with crono("env.reward"):
            premi = {}
            for nome, f in self.fanti.items():
                d = self.distanza_meta(f)
                spinta = 0.02 * max(-2, min(2, f.potenziale - d))
                f.potenziale = d
                compagni = sum(self.eventi[g.nome] for g in self.fanti.values() if g.squadra == f.squadra)
                premi[nome] = 0.7 * self.eventi[nome] + 0.3 * compagni / FANTI_PER_CONTRADA + spinta - 0.005
                if finita and self.punti[f.squadra] == max(self.punti):
                    premi[nome] += 1.0
        return premi

    def vede(self, r0, c0, r1, c1):
        dr, dc = abs(r1 - r0), abs(c1 - c0)
        sr = 1 if r1 > r0 else -1
        sc = 1 if c1 > c0 else -1
        e = dr - dc
        r, c = r0, c0
        while (r, c) != (r1, c1):
            if self.muri[r, c]:
                return False
            e2 = 2 * e
            if e2 > -dc:
                e -= dc
                r += sr
            if e2 < dr:
                e += dr
                c += sc
        return True

    def osserva(self, f):
        o = np.zeros((CANALI, FINESTRA, FINESTRA), dtype=np.float32)
        for i in range(FINESTRA):
            for j in range(FINESTRA):
                r, c = f.r + i - RAGGIO, f.c + j - RAGGIO
                if r < 0 or c < 0 or r >= LATO or c >= LATO:
                    o[0, i, j] = 1.0
                    continue
                if not self.vede(f.r, f.c, r, c):
                    o[1, i, j] = 1.0        # nebbia
                    continue
                o[0, i, j] = self.muri[r, c]
                o[2, i, j] = self.grano[r, c] / 3
        for g in self.fanti.values():
            i, j = g.r - f.r + RAGGIO, g.c - f.c + RAGGIO
            if 0 <= i < FINESTRA and 0 <= j < FINESTRA and o[1, i, j] == 0:
                if g.squadra == f.squadra:
                    o[3, i, j] += 0.5
                else:
                    o[4, i, j] += 0.5
                    o[5, i, j] = g.carico / 3
        ar, ac = ANGOLI[f.squadra]
        extra = np.array([f.r / LATO, f.c / LATO, (ar - f.r) / LATO, (ac - f.c) / LATO, f.vita / 3, f.carico / 3,
                          self.turno / DURATA, self.punti[f.squadra] / (1 + max(self.punti))], dtype=np.float32)
        return np.concatenate([o.ravel(), extra])

    def osserva_tutti(self):
        with crono("env.observe"):
            return {nome: self.osserva(f) for nome, f in self.fanti.items()}
