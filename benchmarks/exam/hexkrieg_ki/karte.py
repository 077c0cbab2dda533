"""Hexkarte, odd-r Versatz. Zellen sind einfach Nummern 0..N-1, das ist am schnellsten."""
import heapq
import random

BREITE, HOEHE = 13, 11
N = BREITE * HOEHE
EBENE, WALD, HUEGEL, WASSER, STADT = range(5)
KOSTEN = {EBENE: 1.0, WALD: 1.6, HUEGEL: 2.0, STADT: 1.0}
DECKUNG = {EBENE: 0.0, WALD: 0.25, HUEGEL: 0.35, STADT: 0.3, WASSER: 0.0}

#            O        NO       NW       W        SW       SO
_GERADE = [(1, 0), (0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 1)]
_UNGERADE = [(1, 0), (1, -1), (0, -1), (-1, 0), (0, 1), (1, 1)]


def _nachbarn():
    tab = []
    for z in range(N):
        x, y = z % BREITE, z // BREITE
        reihe = []
        for dx, dy in (_UNGERADE if y & 1 else _GERADE):
            nx, ny = x + dx, y + dy
            reihe.append(ny * BREITE + nx if 0 <= nx < BREITE and 0 <= ny < HOEHE else -1)
        tab.append(reihe)
    return tab


NACHBAR = _nachbarn()


def _wuerfel(z):
    x, y = z % BREITE, z // BREITE
    q = x - (y - (y & 1)) // 2
    return q, y, -q - y


WUERFEL = [_wuerfel(z) for z in range(N)]
ABSTAND = [[max(abs(a[i] - b[i]) for i in range(3)) for b in WUERFEL] for a in WUERFEL]


class HexKarte:
    def __init__(self, rng: random.Random):
        self.rng = rng
        self.gelaende = [EBENE] * N
        self.staedte = []
        self.besitzer = {}

    def wuerfeln(self):
        while True:
            g = [EBENE] * N
            for art, flecken in ((WALD, 6), (HUEGEL, 4), (WASSER, 3)):
                for _ in range(flecken):
                    z = self.rng.randrange(N)
                    for _ in range(3):
                        g[z] = art
                        weiter = [n for n in NACHBAR[z] if n >= 0]
                        z = self.rng.choice(weiter)
            # drei Staedte in der Mitte, grob gespiegelt
            self.staedte = [BREITE // 2 + BREITE * y for y in (2, 5, 8)]
            for s in self.staedte:
                g[s] = STADT
            for y in range(HOEHE):       # Startreihen frei
                g[y * BREITE] = g[y * BREITE + BREITE - 1] = EBENE
            self.gelaende = g
            d = self.entfernungen([0])
            if all(d[s] < 1e6 for s in self.staedte) and d[N - 1] < 1e6:
                break
        self.besitzer = {s: -1 for s in self.staedte}

    def entfernungen(self, quellen, faktor_wald=1.0, gesperrt=()):
        """Dijkstra von mehreren Quellen; gesperrte Zellen werden erreicht, aber nicht verlassen."""
        d = [1e9] * N
        haufen = []
        for q in quellen:
            d[q] = 0.0
            haufen.append((0.0, q))
        g = self.gelaende
        while haufen:
            w, z = heapq.heappop(haufen)
            if w > d[z] or z in gesperrt:
                continue
            for n in NACHBAR[z]:
                if n < 0 or g[n] == WASSER:
                    continue
                k = KOSTEN[g[n]]
                if g[n] == WALD:
                    k *= faktor_wald
                if w + k < d[n]:
                    d[n] = w + k
                    heapq.heappush(haufen, (w + k, n))
        return d

    def zeichnen(self, einheiten):
        zeichen = ".^nw#"
        feld = [zeichen[g] for g in self.gelaende]
        for e in einheiten:
            if e.lebt:
                feld[e.ort] = e.typ.kurz if e.seite == 0 else e.typ.kurz.lower()
        return "\n".join((" " if y & 1 else "") + " ".join(feld[y * BREITE:(y + 1) * BREITE]) for y in range(HOEHE))
