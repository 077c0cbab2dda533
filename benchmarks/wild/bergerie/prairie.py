"""Un chien, des moutons, un enclos."""
import math
import random
from time import perf_counter_ns

import numpy as np

COTE = 40.0
ENCLOS = (34.0, 34.0, 6.5)
TROUPEAUX = (60, 16, 12)
DIRECTIONS = [(0.0, 0.0)] + [(math.cos(k * math.pi / 4), math.sin(k * math.pi / 4)) for k in range(8)]
TAILLE_VUE = 5 + 8 * 4 + 16 * 2


class Mouton:
    __slots__ = ("x", "y", "vx", "vy", "rentre")

    def __init__(self, x, y):
        self.x, self.y, self.vx, self.vy, self.rentre = x, y, 0.0, 0.0, False


class Prairie:
    def __init__(self, graine, nb_moutons):
        self.nb = nb_moutons
        self.hasard = random.Random(graine)
        self.horaires = []

    def nouvelle_partie(self):
        t0 = perf_counter_ns()
        cx, cy = self.hasard.uniform(10, 24), self.hasard.uniform(10, 24)
        self.moutons = [Mouton(cx + self.hasard.gauss(0, 4), cy + self.hasard.gauss(0, 4)) for _ in range(self.nb)]
        self.chien = [self.hasard.uniform(2, 10), self.hasard.uniform(2, 10)]
        self.tour = 0
        self.eloignement = self._eloignement_moyen()
        self.rentres = 0
        t1 = perf_counter_ns()
        vue = self.construire_vue()
        self.horaires.append(("nouvelle", t0, t1))
        self.horaires.append(("vue", t1, perf_counter_ns()))
        return vue

    def _eloignement_moyen(self):
        return sum(math.hypot(m.x - ENCLOS[0], m.y - ENCLOS[1]) for m in self.moutons) / self.nb

    def _pousser_troupeau(self):
        chx, chy = self.chien
        for m in self.moutons:
            fx = fy = 0.0
            sx = sy = n = 0
            for autre in self.moutons:
                if autre is m:
                    continue
                dx, dy = autre.x - m.x, autre.y - m.y
                d2 = dx * dx + dy * dy + 1e-6
                if d2 < 1.4:
                    fx -= dx / d2
                    fy -= dy / d2
                elif d2 < 60.0:
                    sx += dx
                    sy += dy
                    n += 1
            if n:
                fx += 0.05 * sx / n
                fy += 0.05 * sy / n
            dx, dy = m.x - chx, m.y - chy
            d = math.hypot(dx, dy) + 1e-6
            if d < 9.0 and not m.rentre:
                fx += 1.6 * dx / d * (9.0 - d) / 9.0
                fy += 1.6 * dy / d * (9.0 - d) / 9.0
            ex, ey = ENCLOS[0] - m.x, ENCLOS[1] - m.y
            if ex * ex + ey * ey < ENCLOS[2] ** 2:
                m.rentre = True
                fx += 0.2 * ex
                fy += 0.2 * ey
            m.vx = 0.7 * m.vx + 0.3 * fx + self.hasard.gauss(0, 0.03)
            m.vy = 0.7 * m.vy + 0.3 * fy + self.hasard.gauss(0, 0.03)
        for m in self.moutons:
            m.x = min(COTE, max(0.0, m.x + m.vx))
            m.y = min(COTE, max(0.0, m.y + m.vy))

    def _calculer_gain(self):
        avant, self.eloignement = self.eloignement, self._eloignement_moyen()
        rentres = sum(1 for m in self.moutons if m.rentre)
        gain = 1.5 * (avant - self.eloignement) + 0.3 * (rentres - self.rentres) - 0.01
        self.rentres = rentres
        plus_proche = min(math.hypot(m.x - self.chien[0], m.y - self.chien[1]) for m in self.moutons)
        return gain - 0.004 * max(0.0, plus_proche - 8.0)

    def construire_vue(self):
        chx, chy = self.chien
        secteurs = [[0.0, 0.0, 1.0, 0.0] for _ in range(8)]
        distances = []
        for m in self.moutons:
            dx, dy = m.x - chx, m.y - chy
            d = math.hypot(dx, dy)
            s = secteurs[int((math.atan2(dy, dx) + math.pi) / (2 * math.pi) * 8) % 8]
            s[0] += 1.0 / self.nb
            s[1] += d / COTE / self.nb
            s[2] = min(s[2], d / COTE)
            s[3] += (math.hypot(m.x - ENCLOS[0], m.y - ENCLOS[1])) / COTE / self.nb
            distances.append((d, dx, dy))
        distances.sort()
        vue = [chx / COTE, chy / COTE, (ENCLOS[0] - chx) / COTE, (ENCLOS[1] - chy) / COTE, self.tour / 200]
        for s in secteurs:
            vue.extend(s)
        for d, dx, dy in distances[:12]:
            vue.extend((dx / COTE, dy / COTE))
        for d, dx, dy in distances[-4:]:
            vue.extend((dx / COTE, dy / COTE))
        return np.array(vue, dtype=np.float32)

    def jouer_tour(self, choix):
        t0 = perf_counter_ns()
        dx, dy = DIRECTIONS[choix]
        for _ in range(3):
            self.chien[0] = min(COTE, max(0.0, self.chien[0] + 0.55 * dx))
            self.chien[1] = min(COTE, max(0.0, self.chien[1] + 0.55 * dy))
            self._pousser_troupeau()
        self.tour += 1
        t1 = perf_counter_ns()
        gain = self._calculer_gain()
        fini = self.rentres == self.nb or self.tour >= 200
        t2 = perf_counter_ns()
        vue = self.construire_vue()
        self.horaires += [("tour", t0, t1), ("gain", t1, t2), ("vue", t2, perf_counter_ns())]
        return vue, gain, fini


def bergerie_ouvriere(tuyau, graine, nb_moutons):
    pre = Prairie(graine, nb_moutons)
    tuyau.send(pre.nouvelle_partie())
    while True:
        choix = tuyau.recv()
        if choix is None:
            break
        pre.horaires = []
        vue, gain, fini = pre.jouer_tour(choix)
        rentres = pre.rentres
        if fini:
            vue = pre.nouvelle_partie()
        tuyau.send((vue, gain, fini, rentres, pre.horaires))
    tuyau.close()
