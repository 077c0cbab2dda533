import math
import random

from shouhin import KATALOG, Tana

SLOTS = 6
CHIISAI, OOKII = 6, 18
N_ACTIONS = 1 + 3 * SLOTS      # wait, small order, big order, toggle discount
JIKAN = ("asa", "hiru", "yoru")


class Level:
    def __init__(self, namae, shurui, kyaku, yure, lead, rival):
        self.namae, self.shurui, self.kyaku = namae, shurui, kyaku
        self.yure, self.lead, self.rival = yure, lead, rival


LEVELS = [
    Level("inaka", 2, 9, 0.1, 1, 0.0),
    Level("machi", 4, 14, 0.25, 2, 0.5),
    Level("ekimae", 6, 20, 0.4, 3, 1.0),
]


class Kyaku:
    """a customer"""

    def __init__(self, rng, jikan, katalog):
        self.saifu = rng.uniform(150, 900)
        self.kechi = rng.uniform(0.5, 2.5)
        self.hoshii = []
        omosa = [s.ninki[jikan] * rng.uniform(0.4, 1.6) for s in katalog]
        for _ in range(1 + (rng.random() < 0.35)):
            self.hoshii.append(rng.choices(range(len(katalog)), omosa)[0])

    def erabu(self, k, mise_nedan, rival_nedan, aru_mise, aru_rival):
        """0 our shop, 1 rival, None goes home"""
        u = []
        for nedan, aru in ((mise_nedan, aru_mise), (rival_nedan, aru_rival)):
            if not aru or nedan > self.saifu:
                u.append(-9.0)
            else:
                u.append(1.0 - self.kechi * nedan / 400)
        if max(u) < -3:
            return None
        return 0 if u[0] >= u[1] else 1


class Rival:
    """the shop across the street; keeps an eye on our prices and fills by a (s, S) rule"""

    def __init__(self, tsuyosa, katalog):
        self.tsuyosa = tsuyosa
        self.zaiko = [8] * len(katalog)
        self.nedan = [s.nedan * 1.05 for s in katalog]
        self.rekishi = [[] for _ in katalog]

    def kangaeru(self, mise, rng):
        for k, s in enumerate(mise.katalog):
            self.rekishi[k].append(self.zaiko[k])
            self.rekishi[k] = self.rekishi[k][-12:]
            # tries a few prices against a rough guess of the demand
            ii, ii_n = -1e9, self.nedan[k]
            for f in (0.75, 0.85, 0.95, 1.0, 1.1):
                n = s.nedan * f
                katsu = 1 / (1 + math.exp((n - mise.tana[k].nedan) / 25))
                heikin = sum(self.rekishi[k]) / len(self.rekishi[k])
                rieki = (n - s.shiire) * katsu * min(10, heikin + 1)
                if rieki > ii:
                    ii, ii_n = rieki, n
            self.nedan[k] = ii_n
            if self.zaiko[k] < 4 and rng.random() < 0.4 + 0.5 * self.tsuyosa:
                self.zaiko[k] += 8


class Konbini:
    TSUGI = 60           # ticks per game
    TANA_MAX = 110

    def __init__(self, tokei, seed=None):
        self.tokei = tokei
        self.rng = random.Random(seed)
        self.level = LEVELS[0]

    def kaiten(self, level):
        """open the shop = reset"""
        self.level = level
        self.katalog = KATALOG[:level.shurui]
        self.tana = [Tana(s) for s in self.katalog]
        for t in self.tana:
            t.ireru(8)
        self.okane = 4000.0
        self.tick_no = 0
        self.kuru = []            # deliveries [ticks left, k, n]
        self.rival = Rival(level.rival, self.katalog)
        self.hayari = [1.0] * level.shurui
        self.kinou = [[0] * level.shurui for _ in range(6)]
        self.uriage = self.nogashi = self.haiki = self.shiharai = 0.0
        self.owari = False

    @property
    def jikan(self):
        return self.tick_no % 3

    def basho(self):
        return sum(t.zaiko * t.shouhin.basho for t in self.tana) + sum(n * self.katalog[k].basho for _, k, n in self.kuru)

    def advance(self, action):
        self.uriage = self.nogashi = self.haiki = self.shiharai = 0.0
        self._tencho(action)
        self._todoku()
        if self.level.rival > 0:
            mae = self.tokei.to("env.opponent")
            self.rival.kangaeru(self, self.rng)
            self.tokei.to(mae)
        self._kyaku_kuru()
        for t in self.tana:
            self.haiki += t.furuku_naru() * t.shouhin.shiire
        self.tick_no += 1
        if self.tick_no >= self.TSUGI or self.okane < -500:
            self.owari = True

    def _tencho(self, a):
        if a == 0:
            return
        nani, k = divmod(a - 1, SLOTS)
        if k >= len(self.katalog):
            return
        if nani == 2:
            self.tana[k].nebiki = not self.tana[k].nebiki
            return
        n = CHIISAI if nani == 0 else OOKII
        okane = n * self.katalog[k].shiire * (1.0 if nani == 0 else 0.92) + 40
        if okane <= self.okane:
            self.okane -= okane
            self.shiharai += okane
            self.kuru.append([self.level.lead + (self.rng.random() < self.level.yure), k, n])

    def _todoku(self):
        for d in self.kuru:
            d[0] -= 1
        for d in [d for d in self.kuru if d[0] <= 0]:
            self.tana[d[1]].ireru(d[2])
        self.kuru = [d for d in self.kuru if d[0] > 0]

    def _kyaku_kuru(self):
        rng = self.rng
        n = max(1, int(rng.gauss(self.level.kyaku, self.level.kyaku * self.level.yure)))
        if rng.random() < 0.1:
            self.hayari[rng.randrange(len(self.hayari))] = rng.uniform(0.5, 2.0)
        kyou = [0] * len(self.katalog)
        for _ in range(n):
            kyaku = Kyaku(rng, self.jikan, self.katalog)
            for k in kyaku.hoshii:
                if rng.random() > self.hayari[k]:
                    continue
                t = self.tana[k]
                doko = kyaku.erabu(k, t.nedan, self.rival.nedan[k], t.zaiko > 0,
                                   self.level.rival > 0 and self.rival.zaiko[k] > 0)
                if doko == 0:
                    t.toru()
                    self.okane += t.nedan
                    self.uriage += t.nedan
                    kyou[k] += 1
                elif doko == 1:
                    self.rival.zaiko[k] -= 1
                else:
                    self.nogashi += t.shouhin.nedan - t.shouhin.shiire
        self.kinou = self.kinou[1:] + [kyou]

    def dekiru(self):
        """which actions are possible"""
        m = [False] * N_ACTIONS
        m[0] = True
        aki = self.TANA_MAX - self.basho()
        for k, s in enumerate(self.katalog):
            m[1 + k] = CHIISAI * s.basho <= aki and CHIISAI * s.shiire + 40 <= self.okane
            m[1 + SLOTS + k] = OOKII * s.basho <= aki and OOKII * s.shiire * 0.92 + 40 <= self.okane
            m[1 + 2 * SLOTS + k] = self.tana[k].zaiko > 0
        return m

    def e(self):
        """picture of the shop"""
        gyou = ["+" + "-" * 44 + "+"]
        for t in self.tana:
            bar = "#" * min(26, t.zaiko)
            gyou.append("| %-9s%-27s%4d%s  |" % (t.shouhin.namae, bar, t.nedan, "%" if t.nebiki else " "))
        gyou.append("| %-5s tick %2d   okane %7.0f yen          |" % (JIKAN[self.jikan], self.tick_no, self.okane))
        gyou.append(gyou[0])
        return "\n".join(gyou)
