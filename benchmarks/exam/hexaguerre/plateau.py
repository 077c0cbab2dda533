# plateau.py -- la carte hexagonale (coordonnées axiales q,r ; affichage odd-r)
import heapq
import random

LARG, HAUT = 17, 11
DIRS = [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)]

PLAINE, BOIS, COLLINE, MARAIS, RUINE = range(5)
COUT = {PLAINE: 1, BOIS: 2, COLLINE: 2, MARAIS: 3, RUINE: 99}
ABRI = {PLAINE: 0, BOIS: 1, COLLINE: 1, MARAIS: 0, RUINE: 0}
LETTRE = {PLAINE: ".", BOIS: "b", COLLINE: "^", MARAIS: "~", RUINE: "#"}


def vers_axial(col, lig):
    return (col - (lig - (lig & 1)) // 2, lig)


def vers_offset(h):
    q, r = h
    return (q + (r - (r & 1)) // 2, r)


def distance(a, b):
    dq = a[0] - b[0]
    dr = a[1] - b[1]
    return (abs(dq) + abs(dr) + abs(dq + dr)) // 2


def arrondi(fq, fr):
    fs = -fq - fr
    q, r, s = round(fq), round(fr), round(fs)
    dq, dr, ds = abs(q - fq), abs(r - fr), abs(s - fs)
    if dq > dr and dq > ds:
        q = -r - s
    elif dr > ds:
        r = -q - s
    return (q, r)


def ligne(a, b):
    """Les hexs entre a et b, bornes non comprises."""
    n = distance(a, b)
    res = []
    for i in range(1, n):
        t = i / n
        # petit décalage pour ne pas tomber pile sur une arête
        res.append(arrondi(a[0] + (b[0] - a[0]) * t + 1e-6, a[1] + (b[1] - a[1]) * t + 2e-6))
    return res


class Plateau:
    def __init__(self, graine=None):
        self.rng = random.Random(graine)
        self.cases = [vers_axial(c, l) for l in range(HAUT) for c in range(LARG)]
        ens = set(self.cases)
        self.voisins = {}
        for (q, r) in self.cases:
            self.voisins[(q, r)] = [(q + dq, r + dr) if (q + dq, r + dr) in ens else None for dq, dr in DIRS]
        self.terrain = {}
        self.objectifs = []
        self.regenerer()

    # ---------------------------------------------------------------- génération
    def regenerer(self):
        """Tire des cartes jusqu'à en avoir une qui se traverse et qui n'avantage pas trop un camp."""
        for essai in range(12):
            self._tirer()
            d = self.couts_depuis(vers_axial(0, HAUT // 2), 60, ())
            if vers_axial(LARG - 1, HAUT // 2) not in d:
                continue
            if any(o not in d for o in self.objectifs):
                continue
            gauche = self._ouverture(0)
            droite = self._ouverture(LARG - 1)
            if abs(gauche - droite) <= 20:
                return essai
        return 12

    def _tirer(self):
        t = {h: PLAINE for h in self.cases}
        for sorte, paquets in ((BOIS, 7), (COLLINE, 5), (MARAIS, 4), (RUINE, 5)):
            for _ in range(paquets):
                h = self.rng.choice(self.cases)
                t[h] = sorte
                for v in self.voisins[h]:
                    if v is not None and self.rng.random() < (0.15 if sorte == RUINE else 0.35):
                        t[v] = sorte
        for l in range(HAUT):          # zones de déploiement dégagées
            for c in (0, 1, LARG - 2, LARG - 1):
                t[vers_axial(c, l)] = PLAINE
        self.objectifs = [vers_axial(LARG // 2, l) for l in (1, HAUT // 2, HAUT - 2)]
        for o in self.objectifs:
            t[o] = PLAINE
        self.terrain = t

    def _ouverture(self, col):
        n = 0
        for l in (1, HAUT // 2, HAUT - 2):
            a = vers_axial(col, l)
            for lig in range(HAUT):
                for c in range(3, LARG - 3, 2):
                    n += self.voit(a, vers_axial(c, lig))
        return n

    # ---------------------------------------------------------------- géométrie
    def voit(self, a, b):
        """Ligne de vue. Bois et ruines bloquent, les collines aussi sauf depuis une colline."""
        # TODO: mettre en cache, la carte ne bouge pas pendant une partie...
        haut = self.terrain[a] == COLLINE or self.terrain[b] == COLLINE
        for h in ligne(a, b):
            s = self.terrain.get(h)
            if s == RUINE:
                return False
            if s == BOIS and not haut:
                return False
            if s == COLLINE and not haut:
                return False
        return True

    def couts_depuis(self, depart, pm, occupes):
        """Dijkstra : dict hex -> points de mouvement dépensés."""
        vu = {depart: 0}
        tas = [(0, depart)]
        while tas:
            d, h = heapq.heappop(tas)
            if d > vu[h]:
                continue
            for v in self.voisins[h]:
                if v is None or v in occupes:
                    continue
                nd = d + COUT[self.terrain[v]]
                if nd <= pm and nd < vu.get(v, 999):
                    vu[v] = nd
                    heapq.heappush(tas, (nd, v))
        return vu
