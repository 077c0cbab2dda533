import math
import numpy as np
from tempi import T


class Nodo:
    __slots__ = ("p", "n", "w", "figli")

    def __init__(self, p):
        self.p = p
        self.n = 0
        self.w = 0.0
        self.figli = None


class Ricerca:
    """MCTS alla AlphaZero, una foglia per volta."""

    def __init__(self, cervello, simulazioni=40, c_puct=1.6, rumore=True):
        self.cervello = cervello
        self.simulazioni = simulazioni
        self.c_puct = c_puct
        self.rumore = rumore

    def espandi(self, nodo, partita):
        p, v = self.cervello.prevedi(partita)
        mosse = partita.mosse_possibili()
        somma = sum(p[m] for m in mosse) + 1e-8
        nodo.figli = {m: Nodo(float(p[m]) / somma) for m in mosse}
        return v

    def scegli_figlio(self, nodo):
        radice = math.sqrt(nodo.n)
        meglio, mossa_m, figlio_m = -1e9, None, None
        for mossa, f in nodo.figli.items():
            q = -f.w / f.n if f.n else 0.0
            u = q + self.c_puct * f.p * radice / (1 + f.n)
            if u > meglio:
                meglio, mossa_m, figlio_m = u, mossa, f
        return mossa_m, figlio_m

    def pensa(self, partita):
        """ritorna le visite {mossa: n}"""
        t0 = T.via()
        radice = Nodo(1.0)
        self.espandi(radice, partita)
        if self.rumore:
            r = np.random.dirichlet([0.8] * len(radice.figli))
            for f, x in zip(radice.figli.values(), r):
                f.p = 0.75 * f.p + 0.25 * x
        for _ in range(self.simulazioni):
            nodo, p = radice, partita.copia()
            strada = [radice]
            while nodo.figli:
                mossa, nodo = self.scegli_figlio(nodo)
                p.muovi(mossa)
                strada.append(nodo)
            if p.vincitore is None:
                v = self.espandi(nodo, p)
            else:
                v = 0.0 if p.vincitore == 0 else -1.0      # chi deve muovere ha perso
            for n in reversed(strada):
                n.n += 1
                n.w += v
                v = -v
        visite = {m: f.n for m, f in radice.figli.items()}
        T.stop("act.search", t0)
        return visite


def pesca(visite, temperatura):
    mosse = list(visite)
    n = np.array([visite[m] for m in mosse], dtype=np.float64)
    if temperatura < 0.05:
        return mosse[int(n.argmax())]
    n = n ** (1 / temperatura)
    return mosse[np.random.choice(len(mosse), p=n / n.sum())]
