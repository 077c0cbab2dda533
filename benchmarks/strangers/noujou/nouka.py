# nouka.py : SARSA(lambda) no nouka
import pickle
import random
from hatake import *
from tokei import hakaru


def _dankai(v, sakai):
    for i, s in enumerate(sakai):
        if v < s:
            return i
    return len(sakai)


@hakaru("env.observe")
def tokuchou(n):
    """Noujou kara joutai no kagi (tuple) wo tsukuru"""
    m = n.masu[n.y][n.x]
    minoru = kawaku = kara = 0
    chikai, houkou = 99, 4
    for y, gyou in enumerate(n.masu):
        for x, c in enumerate(gyou):
            if c.shurui is None:
                kara += 1
                yuusen = 3
            elif c.sodachi >= 1.0:
                minoru += 1
                yuusen = 0
            else:
                if c.mizu < 0.3:
                    kawaku += 1
                    yuusen = 2
                else:
                    yuusen = 9
            if yuusen < 9:
                k = abs(x - n.x) + abs(y - n.y) + 2 * yuusen
                if k < chikai:
                    chikai = k
                    dx, dy = x - n.x, y - n.y
                    if dx == 0 and dy == 0:
                        houkou = 4
                    elif abs(dx) > abs(dy):
                        houkou = 0 if dx < 0 else 1
                    else:
                        houkou = 2 if dy < 0 else 3
    if m.shurui is None:
        koko = 0
    elif m.sodachi >= 1.0:
        koko = 2
    else:
        koko = 1
    return (koko, _dankai(m.mizu, (0.15, 0.35)), 1 if m.kusa + m.mushi > 0.5 else 0, houkou,
            _dankai(minoru, (1, 4)), _dankai(kawaku, (3, 12)), _dankai(kara, (1, 12)),
            _dankai(n.okane, (4, 9, 15)), 1 if NISSUU - n.hi < 10 else 0)


@hakaru("env.reward")
def houshuu(n, mae_shisan):
    """okane no fue-kata + hatake no kachi"""
    ima = shisan(n)
    h = 0.1 * (ima - mae_shisan)
    for nani, ryou in n.dekigoto:
        if nani == "muda":
            h -= 0.2
        elif nani == "kusatori":
            h += 0.1 * ryou
    return h, ima


def shisan(n):
    s = n.okane
    for gyou in n.masu:
        for c in gyou:
            if c.shurui:
                s += 0.5 * n.nedan[c.shurui] * min(1.0, c.sodachi) * (1 - 0.5 * c.mushi) + 0.3 * SAKUMOTSU[c.shurui][3]
    return s


class Nouka:
    def __init__(self, alfa=0.1, ganma=0.98, ramuda=0.8, ipushiron=0.3):
        self.q = {}
        self.ato = {}
        self.alfa, self.ganma, self.ramuda, self.ipushiron = alfa, ganma, ramuda, ipushiron
        self.ran = random.Random(7)

    def atai(self, j):
        g = self.q.get(j)
        if g is None:
            g = self.q[j] = [0.0] * KOUDOU_SUU
        return g

    @hakaru("act")
    def erabu(self, j, ipushiron=None):
        e = self.ipushiron if ipushiron is None else ipushiron
        if self.ran.random() < e:
            return self.ran.randrange(KOUDOU_SUU)
        g = self.atai(j)
        saidai = max(g)
        kouho = [i for i, v in enumerate(g) if v == saidai]
        return self.ran.choice(kouho)

    @hakaru("learn.*")
    def manabu(self, j, k, h, j2, k2, owari):
        tsugi = 0.0 if owari else self.atai(j2)[k2]
        delta = h + self.ganma * tsugi - self.atai(j)[k]
        self.ato[j, k] = 1.0
        gl = self.ganma * self.ramuda
        kesu = []
        for (s, a), e in self.ato.items():
            self.q[s][a] += self.alfa * delta * e
            e *= gl
            if e < 0.02:
                kesu.append((s, a))
            else:
                self.ato[s, a] = e
        for sa in kesu:
            del self.ato[sa]
        if owari:
            self.ato.clear()

    @hakaru("checkpoint")
    def hozon(self, michi):
        with open(michi, "wb") as f:
            pickle.dump(self.q, f)
