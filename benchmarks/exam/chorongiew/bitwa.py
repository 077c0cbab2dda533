"""Chorongiew - small skirmish wargame.

Turn: RUCH (move) -> STRZAL (shoot) -> SZARZA (charge), unit after unit,
then the enemy does his whole turn. 12 turns. Three banners give points.
"""
import heapq
import math
import random
from dataclasses import dataclass

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from zegar import mierz

W, H = 14, 10
POLE, LAS, SKALA = 0, 1, 2
RUCH, STRZAL, SZARZA = 0, 1, 2
FAZY = ("ruch", "strzal", "szarza")
N = 4                                # units on each side
A_CEL = W * H                        # 140..143 shoot / charge target
A_PAS = W * H + N
ILE_AKCJI = A_PAS + 1
TUR = 12


@dataclass
class Oddzial:
    nazwa: str
    strona: int
    x: int
    y: int
    hp: int
    ruch: int
    zasieg: int
    ogien: int
    wrecz: int
    pancerz: float
    hp_max: int = 0
    zwiazany: bool = False           # locked in melee this turn

    def __post_init__(self):
        self.hp_max = self.hp

    @property
    def zyje(self):
        return self.hp > 0


WZORY = [
    ("piechota", dict(hp=12, ruch=4, zasieg=4, ogien=3, wrecz=4, pancerz=0.35)),
    ("lucznicy", dict(hp=8, ruch=4, zasieg=7, ogien=5, wrecz=2, pancerz=0.15)),
    ("husaria", dict(hp=10, ruch=6, zasieg=0, ogien=0, wrecz=8, pancerz=0.30)),
    ("hajducy", dict(hp=9, ruch=5, zasieg=5, ogien=4, wrecz=3, pancerz=0.25)),
]
CHORAGWIE = [(3, 5), (7, 4), (10, 5)]


class BitwaEnv(gym.Env):
    metadata = {"render_modes": ["ansi"]}

    def __init__(self, trudnosc=0.7):
        super().__init__()
        self.trudnosc = trudnosc
        self.observation_space = spaces.Box(-1.0, 2.0, (9 * W * H + 12,), np.float32)
        self.action_space = spaces.Discrete(ILE_AKCJI)
        self.los = random.Random()
        self.koniec = True

    # ------------------------------------------------------------------ map
    def _mapa(self):
        while True:
            t = [[POLE] * W for _ in range(H)]
            for _ in range(22):
                t[self.los.randrange(H)][self.los.randrange(2, W - 2)] = LAS
            for _ in range(12):
                t[self.los.randrange(H)][self.los.randrange(2, W - 2)] = SKALA
            for x, y in CHORAGWIE:
                t[y][x] = POLE
            self.teren = t
            self.oddzialy = []
            if all(self._sciezka((0, 0), c) for c in CHORAGWIE) and self._sciezka((0, 0), (W - 1, H - 1)):
                return

    def _koszt(self, x, y):
        return 2 if self.teren[y][x] == LAS else 1

    def _zajete(self):
        return {(o.x, o.y) for o in self.oddzialy if o.zyje}

    def _osiagalne(self, o):
        """dijkstra: all cells the unit can get to"""
        zaj = self._zajete()
        d = {(o.x, o.y): 0}
        q = [(0, o.x, o.y)]
        while q:
            k, x, y = heapq.heappop(q)
            if k > d[(x, y)]:
                continue
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                nx, ny = x + dx, y + dy
                if not (0 <= nx < W and 0 <= ny < H) or self.teren[ny][nx] == SKALA or (nx, ny) in zaj:
                    continue
                nk = k + self._koszt(nx, ny)
                if nk <= o.ruch and nk < d.get((nx, ny), 99):
                    d[(nx, ny)] = nk
                    heapq.heappush(q, (nk, nx, ny))
        return d

    def _sciezka(self, start, cel):
        """A*, returns list of cells or None; the goal itself may be occupied"""
        zaj = self._zajete() - {start, cel}
        q = [(0, 0, start)]
        skad = {start: None}
        g = {start: 0}
        while q:
            _, k, p = heapq.heappop(q)
            if p == cel:
                droga = []
                while p is not None:
                    droga.append(p)
                    p = skad[p]
                return droga[::-1]
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                n = (p[0] + dx, p[1] + dy)
                if not (0 <= n[0] < W and 0 <= n[1] < H) or self.teren[n[1]][n[0]] == SKALA or n in zaj:
                    continue
                nk = k + self._koszt(*n)
                if nk < g.get(n, 1e9):
                    g[n] = nk
                    skad[n] = p
                    heapq.heappush(q, (nk + abs(n[0] - cel[0]) + abs(n[1] - cel[1]), nk, n))
        return None

    def _widzi(self, a, b):
        """Bresenham; rocks block, two woods block"""
        x0, y0, x1, y1 = a.x, a.y, b.x, b.y
        dx, dy = abs(x1 - x0), -abs(y1 - y0)
        sx, sy = (1 if x0 < x1 else -1), (1 if y0 < y1 else -1)
        err, lasy = dx + dy, 0
        while (x0, y0) != (x1, y1):
            e2 = 2 * err
            if e2 >= dy:
                err += dy
                x0 += sx
            if e2 <= dx:
                err += dx
                y0 += sy
            if (x0, y0) == (x1, y1):
                return True
            if self.teren[y0][x0] == SKALA:
                return False
            if self.teren[y0][x0] == LAS:
                lasy += 1
                if lasy >= 2:
                    return False
        return True

    # ------------------------------------------------------------------ rules
    def _swoi(self, s):
        return self.oddzialy[:N] if s == 0 else self.oddzialy[N:]

    def _mozna_strzelac(self, a, b):
        return (a.zyje and b.zyje and a.zasieg > 0 and not a.zwiazany
                and math.hypot(a.x - b.x, a.y - b.y) <= a.zasieg and self._widzi(a, b))

    def _droga_szarzy(self, a, b):
        if not (a.zyje and b.zyje) or abs(a.x - b.x) + abs(a.y - b.y) > 5:
            return None
        d = self._sciezka((a.x, a.y), (b.x, b.y))
        return d if d and len(d) - 2 <= 4 else None

    def _ogien(self, a, b):
        rany = 0
        for _ in range(a.ogien):
            szansa = 0.6 - (0.2 if self.teren[b.y][b.x] == LAS else 0)
            if self.los.random() < szansa and self.los.random() > b.pancerz:
                rany += 1
        b.hp = max(0, b.hp - rany)
        return rany

    def _starcie(self, a, b, droga):
        if len(droga) > 2:
            a.x, a.y = droga[-2]
        rany = [0, 0]
        for k, (p, q) in enumerate(((a, b), (b, a))):
            bonus = 2 if k == 0 and len(droga) > 2 else 0
            for _ in range(p.wrecz + bonus):
                if p.zyje and self.los.random() < 0.5 and self.los.random() > q.pancerz:
                    rany[k] += 1
            q.hp = max(0, q.hp - rany[k])
        a.zwiazany = b.zwiazany = True
        return rany[0]

    def _trzyma(self, c):
        """who holds the banner: 0, 1 or None"""
        sila = [0, 0]
        for o in self.oddzialy:
            if o.zyje and abs(o.x - c[0]) + abs(o.y - c[1]) <= 1:
                sila[o.strona] += o.hp
        if sila[0] == sila[1]:
            return None
        return 0 if sila[0] > sila[1] else 1

    # ------------------------------------------------------------------ gym
    @mierz("env.reset")
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if seed is not None:
            self.los.seed(seed)
        self._mapa()
        self.oddzialy = []
        for s in (0, 1):
            rzedy = self.los.sample(range(1, H - 1), N)
            for (nazwa, w), y in zip(WZORY, rzedy):
                x = self.los.randrange(2) if s == 0 else W - 1 - self.los.randrange(2)
                self.teren[y][x] = POLE
                self.oddzialy.append(Oddzial(nazwa, s, x, y, **w))
        self.tura, self.faza, self.kto = 1, RUCH, 0
        self.punkty = [0, 0]
        self.rany_zadane = self.rany_wziete = self.strzaly = self.szarze = self.ruchy = self.pasy = 0
        self.koniec = False
        self._stan = self._potencjal()
        return self._obs(), self._info()

    @mierz("env.step")
    def step(self, action):
        action = int(action)
        o = self.oddzialy[self.kto]
        if action == A_PAS:
            self.pasy += 1
        elif self.faza == RUCH and action < W * H:
            cel = (action % W, action // W)
            if cel in self._osiagalne(o):          # check it again, you never know
                o.x, o.y = cel
                self.ruchy += 1
        elif self.faza == STRZAL:
            b = self.oddzialy[N + action - A_CEL]
            if self._mozna_strzelac(o, b):
                self.rany_zadane += self._ogien(o, b)
                self.strzaly += 1
        elif self.faza == SZARZA:
            b = self.oddzialy[N + action - A_CEL]
            d = self._droga_szarzy(o, b)
            if d:
                self.rany_zadane += self._starcie(o, b, d)
                self.szarze += 1
        self._nastepny()
        r = self._nagroda()
        return self._obs(), r, self.koniec, False, self._info()

    def _nastepny(self):
        while True:
            self.kto += 1
            if self.kto >= N:
                self.kto = 0
                self.faza += 1
                if self.faza > SZARZA:
                    self._koniec_tury()
                    if self.koniec:
                        return
            if not any(o.zyje for o in self._swoi(0)) or not any(o.zyje for o in self._swoi(1)):
                self.koniec = True
                self.kto = 0
                return
            if self.oddzialy[self.kto].zyje:
                return

    def _koniec_tury(self):
        przed = sum(o.hp for o in self._swoi(0))
        self._tura_wroga()
        self.rany_wziete += przed - sum(o.hp for o in self._swoi(0))
        for c in CHORAGWIE:
            k = self._trzyma(c)
            if k is not None:
                self.punkty[k] += 1
        for o in self.oddzialy:
            o.zwiazany = False
        self.faza, self.kto = RUCH, 0
        self.tura += 1
        if self.tura > TUR:
            self.koniec = True

    @mierz("env.opponent")
    def _tura_wroga(self):
        moi, jego = self._swoi(1), self._swoi(0)
        for o in moi:
            if not o.zyje or not any(j.zyje for j in jego):
                continue
            if self.los.random() > self.trudnosc:
                cel = self.los.choice(list(self._osiagalne(o)))
            else:
                cel = self._najlepsze_pole(o, jego)
            o.x, o.y = cel
        for o in moi:
            cele = [j for j in jego if self._mozna_strzelac(o, j)]
            if cele:
                self._ogien(o, min(cele, key=lambda j: j.hp))
        for o in moi:
            if not o.zyje or o.wrecz < 3:
                continue
            for j in sorted(jego, key=lambda j: j.hp):
                d = self._droga_szarzy(o, j)
                if d:
                    self._starcie(o, j, d)
                    break

    def _najlepsze_pole(self, o, jego):
        naj, ocena_naj = (o.x, o.y), -1e9
        for (x, y) in self._osiagalne(o):
            oc = -0.4 * min(abs(x - c[0]) + abs(y - c[1]) for c in CHORAGWIE)
            d = min(abs(x - j.x) + abs(y - j.y) for j in jego if j.zyje)
            oc -= 0.3 * d if o.zasieg == 0 else 0.2 * abs(d - o.zasieg + 1)
            if self.teren[y][x] == LAS:
                oc += 0.3
            if oc > ocena_naj:
                naj, ocena_naj = (x, y), oc
        return naj

    # ------------------------------------------------------------------ reward
    def _potencjal(self):
        p = 0.0
        for o in self.oddzialy:
            z = 1 if o.strona == 0 else -1
            p += z * o.hp / o.hp_max
            if o.zyje:
                p -= z * 0.02 * min(abs(o.x - c[0]) + abs(o.y - c[1]) for c in CHORAGWIE)
        for c in CHORAGWIE:
            k = self._trzyma(c)
            if k is not None:
                p += 0.15 if k == 0 else -0.15
        return p + 0.2 * (self.punkty[0] - self.punkty[1])

    def _wygrana(self):
        a = self.punkty[0] + sum(o.hp for o in self._swoi(0)) / 4
        b = self.punkty[1] + sum(o.hp for o in self._swoi(1)) / 4
        return a > b

    @mierz("env.reward")
    def _nagroda(self):
        nowy = self._potencjal()
        r = nowy - self._stan
        self._stan = nowy
        if self.koniec:
            r += 2.0 if self._wygrana() else -2.0
        return float(r)

    # ------------------------------------------------------------------ observation
    @mierz("env.observe")
    def _obs(self):
        p = np.zeros((9, H, W), np.float32)
        for y in range(H):
            for x in range(W):
                if self.teren[y][x] == LAS:
                    p[0, y, x] = 1
                elif self.teren[y][x] == SKALA:
                    p[1, y, x] = 1
        for x, y in CHORAGWIE:
            k = self._trzyma((x, y))
            p[2, y, x] = 0.5 if k is None else 1.0 - k * 2.0
        for i, o in enumerate(self.oddzialy):
            if not o.zyje:
                continue
            b = 3 if o.strona == 0 else 6
            p[b, o.y, o.x] = o.hp / o.hp_max
            p[b + 1, o.y, o.x] = o.ogien / 5
            p[b + 2, o.y, o.x] = 2.0 if i == self.kto else o.wrecz / 8
        s = np.zeros(12, np.float32)
        s[min(self.faza, 2)] = 1
        s[3 + self.kto] = 1
        s[7] = self.tura / TUR
        s[8], s[9] = self.punkty[0] / 36, self.punkty[1] / 36
        s[10] = sum(o.hp for o in self._swoi(0)) / 40
        s[11] = sum(o.hp for o in self._swoi(1)) / 40
        return np.concatenate([p.ravel(), s])

    @mierz("env.mask")
    def action_masks(self):
        m = np.zeros(ILE_AKCJI, bool)
        m[A_PAS] = True
        o = self.oddzialy[self.kto]
        if self.koniec or not o.zyje:
            return m
        if self.faza == RUCH:
            if not o.zwiazany:
                for x, y in self._osiagalne(o):
                    m[y * W + x] = True
        else:
            for k, b in enumerate(self._swoi(1)):
                if self.faza == STRZAL:
                    m[A_CEL + k] = self._mozna_strzelac(o, b)
                else:
                    m[A_CEL + k] = self._droga_szarzy(o, b) is not None
        return m

    def _info(self):
        info = {"tura": self.tura, "faza": FAZY[min(self.faza, 2)], "kto": self.oddzialy[self.kto].nazwa,
                "punkty_moje": self.punkty[0], "punkty_wroga": self.punkty[1],
                "rany_zadane": self.rany_zadane, "rany_wziete": self.rany_wziete,
                "strzaly": self.strzaly, "szarze": self.szarze, "ruchy": self.ruchy, "pasy": self.pasy,
                "zyje_moich": sum(o.zyje for o in self._swoi(0)),
                "zyje_wrogow": sum(o.zyje for o in self._swoi(1)),
                "pozycje": [(o.x, o.y) for o in self.oddzialy],
                "hp": [o.hp for o in self.oddzialy],
                "choragwie": {c: self._trzyma(c) for c in CHORAGWIE}}
        if self.koniec:
            info["wygrana"] = self._wygrana()
        return info

    @mierz("env.render")
    def rysuj(self):
        out = []
        for y in range(H):
            w = ""
            for x in range(W):
                z = ".^#"[self.teren[y][x]]
                if (x, y) in CHORAGWIE:
                    z = "!"
                for o in self.oddzialy:
                    if o.zyje and (o.x, o.y) == (x, y):
                        z = "PLHJ"[[n for n, _ in WZORY].index(o.nazwa)]
                        z = z if o.strona == 0 else z.lower()
                w += z + " "
            out.append(w)
        print("\n".join(out), f"\ntura {self.tura}  punkty {self.punkty}", flush=True)
