# mer.py -- combat naval sur carreaux : trois corvettes contre trois pirates, du vent, des récifs.
import random

import numpy as np

N = 12
CAPS = [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)]
VOILE, BABORD, TRIBORD, PANNE, FEU_B, FEU_T, CHASSE, ABORDAGE = range(8)
NB_COUPS = 8
RAYON = 5                       # fenêtre centrée sur le navire qui joue
COTE = 2 * RAYON + 1
PLANS = 7
INFOS = 26
MANCHES = 25


class Navire:
    __slots__ = ("x", "y", "cap", "coque", "hommes", "charge", "pirate", "num")

    def __init__(self, x, y, cap, pirate, num):
        self.x, self.y, self.cap, self.pirate, self.num = x, y, cap, pirate, num
        self.coque, self.hommes = 6, 7 if pirate else 6
        self.charge = [0, 0]     # tours avant que la bordée soit prête : bâbord, tribord

    def a_flot(self):
        return self.coque > 0 and self.hommes > 0

    def etat(self):
        return self.x, self.y, self.cap, self.coque, self.hommes, self.charge[0], self.charge[1]

    def remettre(self, e):
        self.x, self.y, self.cap, self.coque, self.hommes, self.charge[0], self.charge[1] = e


class Bataille:
    def __init__(self, graine):
        self.de = random.Random(graine)
        self.total = 0.0

    # ----------------------------------------------------------- préparation
    def nouvelle_partie(self):
        while True:
            self.recif = [[False] * N for _ in range(N)]
            for _ in range(9):
                x, y = self.de.randint(3, N - 4), self.de.randint(1, N - 2)
                self.recif[y][x] = True
                if self.de.random() < 0.5:
                    self.recif[y][x + 1] = True
            if self._eau_libre():
                break
        self.vent = self.de.randrange(8)
        ys = self.de.sample(range(1, N - 1), 3)
        self.corvettes = [Navire(self.de.randint(0, 2), y, 2, False, i) for i, y in enumerate(ys)]
        ys = self.de.sample(range(1, N - 1), 3)
        self.pirates = [Navire(N - 1 - self.de.randint(0, 2), y, 6, True, i) for i, y in enumerate(ys)]
        self.flotte = self.corvettes + self.pirates
        self.manche = 0
        self.qui = 0
        self.terminee = False
        self.issue = 0
        self.total = 0.0

    def _eau_libre(self):
        """Tout le plan d'eau doit se tenir (pas de lagon fermé)."""
        vu, pile = {(0, 0)}, [(0, 0)]
        while pile:
            x, y = pile.pop()
            for dx, dy in CAPS[::2]:
                a, b = x + dx, y + dy
                if 0 <= a < N and 0 <= b < N and not self.recif[b][a] and (a, b) not in vu:
                    vu.add((a, b))
                    pile.append((a, b))
        return len(vu) + sum(map(sum, self.recif)) == N * N

    # ----------------------------------------------------------- géométrie
    def libre(self, x, y):
        if not (0 <= x < N and 0 <= y < N) or self.recif[y][x]:
            return False
        for n in self.flotte:
            if n.x == x and n.y == y and n.coque > 0 and n.hommes > 0:
                return False
        return True

    def allure(self, cap):
        """Cases par coup de voile : face au vent on n'avance pas."""
        ecart = abs((cap - self.vent + 4) % 8 - 4)
        return (2, 2, 2, 1, 0)[ecart]

    def premiere_cible(self, n, dirs, portee):
        """Le navire adverse le plus proche dans l'une des directions, vue non coupée par un récif ou un autre."""
        mieux, d0 = None, 99
        for k in dirs:
            dx, dy = CAPS[k % 8]
            x, y = n.x, n.y
            for d in range(1, portee + 1):
                x += dx
                y += dy
                if not (0 <= x < N and 0 <= y < N) or self.recif[y][x]:
                    break
                trouve = None
                for m in self.flotte:
                    if m.x == x and m.y == y and m.coque > 0 and m.hommes > 0:
                        trouve = m
                        break
                if trouve is not None:
                    if trouve.pirate != n.pirate and d < d0:
                        mieux, d0 = trouve, d
                    break
        return mieux, d0

    def cible_bordee(self, n, bord):
        c = n.cap + (-2 if bord == 0 else 2)
        return self.premiere_cible(n, (c - 1, c, c + 1), 4)

    def au_contact(self, n):
        for m in self.flotte:
            if m.pirate != n.pirate and m.a_flot() and max(abs(m.x - n.x), abs(m.y - n.y)) == 1:
                return m
        return None

    # ----------------------------------------------------------- règles communes
    def coups_de(self, n):
        ok = [False] * NB_COUPS
        ok[PANNE] = True
        for coup, dc in ((VOILE, 0), (BABORD, -1), (TRIBORD, 1)):
            c = (n.cap + dc) % 8
            dx, dy = CAPS[c]
            ok[coup] = dc != 0 or (self.allure(c) > 0 and self.libre(n.x + dx, n.y + dy))
        if n.charge[0] == 0:
            ok[FEU_B] = self.cible_bordee(n, 0)[0] is not None
        if n.charge[1] == 0:
            ok[FEU_T] = self.cible_bordee(n, 1)[0] is not None
        ok[CHASSE] = self.premiere_cible(n, (n.cap,), 3)[0] is not None
        ok[ABORDAGE] = self.au_contact(n) is not None
        return ok

    def manoeuvre(self, n, coup):
        n.cap = (n.cap + (0, -1, 1)[coup]) % 8
        dx, dy = CAPS[n.cap]
        for _ in range(self.allure(n.cap) if coup == VOILE else min(1, self.allure(n.cap))):
            if not self.libre(n.x + dx, n.y + dy):
                break
            n.x += dx
            n.y += dy

    def appliquer(self, n, coup, hasard=True):
        """hasard=False : valeurs moyennes, pour la réflexion du pirate."""
        if coup <= TRIBORD:
            self.manoeuvre(n, coup)
        elif coup in (FEU_B, FEU_T):
            bord = coup - FEU_B
            cible, d = self.cible_bordee(n, bord)
            if cible is not None:
                p = 0.75 - 0.12 * (d - 1)
                touche = sum(1 for _ in range(3) if self.de.random() < p) if hasard else 3 * p
                cible.coque -= touche
                n.charge[bord] = 3
        elif coup == CHASSE:
            cible, d = self.premiere_cible(n, (n.cap,), 3)
            if cible is not None:
                touche = (self.de.random() < 0.5) if hasard else 0.5
                cible.hommes -= touche
        elif coup == ABORDAGE:
            m = self.au_contact(n)
            if m is not None:
                for _ in range(2):
                    a = sum(1 for _ in range(int(n.hommes)) if self.de.random() < 0.35) if hasard else 0.35 * n.hommes
                    b = sum(1 for _ in range(int(m.hommes)) if self.de.random() < 0.30) if hasard else 0.30 * m.hommes
                    m.hommes -= a
                    n.hommes -= b
                    if m.hommes <= 0 or n.hommes <= 0:
                        break
        n.charge[0] = max(0, n.charge[0] - 1)
        n.charge[1] = max(0, n.charge[1] - 1)

    def courants(self):
        """Fin de manche : dérive sous le vent, échouages, changement de vent."""
        for n in self.flotte:
            if not n.a_flot():
                continue
            k = (self.vent + self.de.choice((-1, 0, 0, 1))) % 8
            dx, dy = CAPS[k]
            if self.de.random() < 0.25 and self.libre(n.x + dx, n.y + dy):
                n.x += dx
                n.y += dy
            cotes = sum(1 for ax, ay in CAPS if 0 <= n.x + ax < N and 0 <= n.y + ay < N and self.recif[n.y + ay][n.x + ax])
            if cotes >= 2 and self.de.random() < 0.08 * cotes:
                n.coque -= 1
        if self.de.random() < 0.15:
            self.vent = (self.vent + self.de.choice((-1, 1))) % 8

    # ----------------------------------------------------------- le joueur
    def rapport(self):
        """Rapport de forces : dégâts, approche, bordées pointées."""
        v = 0.0
        for n in self.flotte:
            if not n.a_flot():
                continue
            s = -1 if n.pirate else 1
            v += s * (0.4 + 0.12 * max(n.coque, 0) + 0.08 * max(n.hommes, 0))
            for bord in (0, 1):
                if n.charge[bord] <= 1 and self.cible_bordee(n, bord)[0] is not None:
                    v += s * 0.08
        for c in self.corvettes:
            if c.a_flot():
                d = min((max(abs(c.x - p.x), abs(c.y - p.y)) for p in self.pirates if p.a_flot()), default=0)
                v -= 0.02 * d
        return v

    def jouer_coup(self, coup):
        """Le navire self.qui joue. Renvoie True si la manche est finie et que c'est aux pirates."""
        n = self.corvettes[self.qui]
        self.avant = self.rapport()
        self.appliquer(n, coup)
        self._bilan()
        if self.terminee:
            return False
        k = self.qui + 1
        while k < 3 and not self.corvettes[k].a_flot():
            k += 1
        self.qui = k
        return k >= 3

    def clore(self):
        """Après les pirates (ou tout de suite) : récompense et fin éventuelle."""
        if not self.terminee and self.qui >= 3:
            self.courants()
            self.manche += 1
            self._bilan()
            if not self.terminee:
                if self.manche >= MANCHES:
                    self.terminee = True
                    d = self.rapport()
                    self.issue = 1 if d > 0.5 else (-1 if d < -0.5 else 0)
                self.qui = next(i for i, c in enumerate(self.corvettes) if c.a_flot())
        r = self.rapport() - self.avant
        if self.terminee:
            r += self.issue
            self.qui = min(self.qui, 2)
        self.total += r
        return r

    def _bilan(self):
        nous = any(c.a_flot() for c in self.corvettes)
        eux = any(p.a_flot() for p in self.pirates)
        if not nous or not eux:
            self.terminee = True
            self.issue = 1 if nous else -1

    def coups_permis(self):
        return self.coups_de(self.corvettes[self.qui])

    # ----------------------------------------------------------- les pirates
    def tour_adverse(self):
        for p in self.pirates:
            if not p.a_flot():
                continue
            if self.de.random() < 0.08:        # le rhum
                permis = [i for i, ok in enumerate(self.coups_de(p)) if ok]
                self.appliquer(p, self.de.choice(permis))
            else:
                self.appliquer(p, self._reflechir(p, 2)[1])
            self._bilan()
            if self.terminee:
                return

    def _reflechir(self, p, fond):
        """Deux coups d'avance pour un seul navire, les autres immobiles."""
        if fond == 0:
            return self._oeil(p), None
        mieux, choix = -1e9, PANNE
        garde = [n.etat() for n in self.flotte]
        for coup, ok in enumerate(self.coups_de(p)):
            if not ok:
                continue
            self.appliquer(p, coup, hasard=False)
            # après une bordée ou un abordage on ne regarde pas plus loin
            v = self._oeil(p) if coup >= FEU_B else self._reflechir(p, fond - 1)[0]
            for n, e in zip(self.flotte, garde):
                n.remettre(e)
            if v > mieux:
                mieux, choix = v, coup
        return mieux, choix

    def _oeil(self, p):
        v = 3.0 * p.coque + 2.0 * p.hommes
        pres = 99
        for c in self.corvettes:
            if c.coque <= 0 or c.hommes <= 0:
                v += 6
                continue
            v -= 3.0 * c.coque + 2.0 * c.hommes
            pres = min(pres, max(abs(c.x - p.x), abs(c.y - p.y)))
            # ne pas se mettre sous leurs canons
            for bord in (0, 1):
                if c.charge[bord] <= 1 and self.cible_bordee(c, bord)[0] is p:
                    v -= 1.5
        v -= 0.4 * abs(pres - 2)
        if p.charge[0] <= 1 and self.cible_bordee(p, 0)[0] is not None:
            v += 1.2
        if p.charge[1] <= 1 and self.cible_bordee(p, 1)[0] is not None:
            v += 1.2
        return v

    # ----------------------------------------------------------- ce que voit le capitaine
    def longue_vue(self):
        n = self.corvettes[self.qui]
        g = np.zeros((PLANS, COTE, COTE), dtype=np.float32)
        for j in range(COTE):
            y = n.y + j - RAYON
            for i in range(COTE):
                x = n.x + i - RAYON
                if not (0 <= x < N and 0 <= y < N) or self.recif[y][x]:
                    g[0, j, i] = 1
        for m in self.flotte:
            if not m.a_flot():
                continue
            i, j = m.x - n.x + RAYON, m.y - n.y + RAYON
            if 0 <= i < COTE and 0 <= j < COTE:
                k = 2 if m.pirate else 1
                g[k, j, i] = max(m.coque, 0) / 6
                g[k + 2, j, i] = max(m.hommes, 0) / 6
            # les lignes de feu
            for bord in (0, 1):
                if m.charge[bord] > 0:
                    continue
                c = m.cap + (-2 if bord == 0 else 2)
                for d in (c - 1, c, c + 1):
                    dx, dy = CAPS[d % 8]
                    for pas in range(1, 5):
                        x, y = m.x + dx * pas, m.y + dy * pas
                        if not (0 <= x < N and 0 <= y < N) or self.recif[y][x]:
                            break
                        i, j = x - n.x + RAYON, y - n.y + RAYON
                        if 0 <= i < COTE and 0 <= j < COTE:
                            g[6 if m.pirate else 5, j, i] += 0.34
        v = np.zeros(INFOS, dtype=np.float32)
        v[n.cap] = 1
        v[8 + (self.vent - n.cap) % 8] = 1
        v[16], v[17] = n.charge[0] / 3, n.charge[1] / 3
        v[18], v[19] = n.coque / 6, n.hommes / 6
        v[20] = self.manche / MANCHES
        v[21] = n.num - 1
        proche = min((p for p in self.pirates if p.a_flot()), key=lambda p: (p.x - n.x) ** 2 + (p.y - n.y) ** 2, default=None)
        if proche is not None:
            v[22], v[23] = (proche.x - n.x) / N, (proche.y - n.y) / N
            v[24] = proche.coque / 6
            v[25] = proche.cap / 8
        return g, v
