import math
import random

import numpy as np

from tokei import tokei

HABA, TAKASA = 10.0, 8.0
KUGIRI = 24
DT = .0085
KUI = [(3.0, 2.5, .5), (3.0, 5.5, .5), (6.5, 4.0, .7), (8.5, 1.5, .4), (8.5, 6.5, .4)]
ANA = (9.3, 4.0, .6)


class Tama:
    __slots__ = ("x", "y", "vx", "vy", "r", "omosa", "ochita")

    def __init__(self, x, y, r, omosa):
        self.x, self.y, self.r, self.omosa = x, y, r, omosa
        self.vx = self.vy = 0.0
        self.ochita = False


class Sekai:
    """jibun no tama de hoka no tama wo ana ni otosu"""
    kansatsu_no_kazu = 12 + 4 + 6 * 5
    ugoki_no_kazu = 2

    def __init__(self, tane):
        self.sai = random.Random(tane)

    def hajimeru(self):
        moto = tokei.kaeru(1)
        self.jibun = Tama(1.0, self.sai.uniform(1, TAKASA - 1), .3, 1.5)
        self.tama = [self.jibun]
        while len(self.tama) < 7:
            t = Tama(self.sai.uniform(2, 8), self.sai.uniform(1, 7), .25, 1.0)
            if all(math.hypot(t.x - k[0], t.y - k[1]) > t.r + k[2] for k in KUI) and \
                    all(math.hypot(t.x - o.x, t.y - o.y) > t.r + o.r for o in self.tama):
                self.tama.append(t)
        self.jikan = 0
        self.kyori = self.ana_made()
        tokei.kaeru(moto)
        return self.kansatsu()

    def ugokasu(self, chikara):
        moto = tokei.kaeru(2)
        fx, fy = float(chikara[0]) * 9, float(chikara[1]) * 9
        mae = sum(t.ochita for t in self.tama)
        for _ in range(KUGIRI):
            self.jibun.vx += fx / self.jibun.omosa * DT
            self.jibun.vy += fy / self.jibun.omosa * DT
            for t in self.tama:
                if not t.ochita:
                    t.vx *= .9965
                    t.vy *= .9965
                    t.x += t.vx * DT
                    t.y += t.vy * DT
                    self.kabe(t)
                    self.kui(t)
                    if math.hypot(t.x - ANA[0], t.y - ANA[1]) < ANA[2]:
                        t.ochita = True
            self.butsukaru()
        self.jikan += 1
        ato = sum(t.ochita for t in self.tama)
        owari = self.jibun.ochita or ato >= 6 or self.jikan >= 120
        tokei.kaeru(4)
        houshuu = self.houshuu(ato - mae, chikara)
        tokei.kaeru(moto)
        return self.kansatsu(), houshuu, owari

    def kabe(self, t):
        if t.x < t.r:
            t.x, t.vx = t.r, abs(t.vx) * .8
        elif t.x > HABA - t.r:
            t.x, t.vx = HABA - t.r, -abs(t.vx) * .8
        if t.y < t.r:
            t.y, t.vy = t.r, abs(t.vy) * .8
        elif t.y > TAKASA - t.r:
            t.y, t.vy = TAKASA - t.r, -abs(t.vy) * .8

    def kui(self, t):
        for kx, ky, kr in KUI:
            dx, dy = t.x - kx, t.y - ky
            d = dx * dx + dy * dy
            if 0 < d < (t.r + kr) ** 2:
                d = math.sqrt(d)
                nx, ny = dx / d, dy / d
                t.x, t.y = kx + nx * (t.r + kr), ky + ny * (t.r + kr)
                v = t.vx * nx + t.vy * ny
                if v < 0:
                    t.vx -= 1.7 * v * nx
                    t.vy -= 1.7 * v * ny

    def butsukaru(self):
        n = len(self.tama)
        for i in range(n):
            a = self.tama[i]
            for j in range(i + 1, n):
                b = self.tama[j]
                dx, dy = b.x - a.x, b.y - a.y
                d = dx * dx + dy * dy
                if a.ochita or b.ochita or d >= (a.r + b.r) ** 2 or d == 0:
                    continue
                d = math.sqrt(d)
                nx, ny = dx / d, dy / d
                v = (b.vx - a.vx) * nx + (b.vy - a.vy) * ny
                kasanari = (a.r + b.r - d) / 2
                a.x, a.y, b.x, b.y = a.x - nx * kasanari, a.y - ny * kasanari, b.x + nx * kasanari, b.y + ny * kasanari
                if v < 0:
                    p = -1.8 * v / (1 / a.omosa + 1 / b.omosa)
                    a.vx, a.vy = a.vx - p / a.omosa * nx, a.vy - p / a.omosa * ny
                    b.vx, b.vy = b.vx + p / b.omosa * nx, b.vy + p / b.omosa * ny

    def ana_made(self):
        nokori = [t for t in self.tama[1:] if not t.ochita]
        return sum(math.hypot(t.x - ANA[0], t.y - ANA[1]) for t in nokori) + \
            .3 * min((math.hypot(t.x - self.jibun.x, t.y - self.jibun.y) for t in nokori), default=0)

    def houshuu(self, otoshita, chikara):
        ima = self.ana_made()
        r = 1.0 * (self.kyori - ima) + 3.0 * otoshita - 8.0 * self.jibun.ochita - .01 * float(chikara[0] ** 2 + chikara[1] ** 2)
        self.kyori = ima
        return r

    def kansatsu(self):
        moto = tokei.kaeru(3)
        j = self.jibun
        me = []
        for k in range(12):
            c, s = math.cos(k * math.pi / 6), math.sin(k * math.pi / 6)
            chikai = min((HABA - j.x) / c if c > 1e-9 else -j.x / c if c < -1e-9 else 99,
                         (TAKASA - j.y) / s if s > 1e-9 else -j.y / s if s < -1e-9 else 99)
            for kx, ky, kr in KUI:
                dx, dy = kx - j.x, ky - j.y
                mukou = dx * c + dy * s
                sa = kr * kr - (dx * dx + dy * dy - mukou * mukou)
                if mukou > 0 and sa > 0:
                    chikai = min(chikai, mukou - math.sqrt(sa))
            me.append(chikai / 10)
        me += [j.x / 10, j.y / 8, j.vx / 4, j.vy / 4]
        for t in self.tama[1:]:
            me += [0, 0, 0, 0, 0] if t.ochita else [1, (t.x - j.x) / 5, (t.y - j.y) / 5, t.vx / 4, t.vy / 4]
        kekka = np.array(me, np.float32)
        tokei.kaeru(moto)
        return kekka
