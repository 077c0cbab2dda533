# Igra "Rudnik": robot sobiraet rudu i neset na bazu, sopernik delaet to zhe, kamni padayut, gaz rastekaetsya
import heapq
import random
from dataclasses import dataclass

import numpy as np

from dvizhok import Sistema, Sushchnost

SHIR, VYS = 16, 12
NAPR = [(0, -1), (1, 0), (0, 1), (-1, 0)]
PREDEL = 180


@dataclass
class Mesto:
    x: int
    y: int


@dataclass
class Gruz:
    ruda: int = 0
    schyot: int = 0


@dataclass
class Telo:
    zdorovye: int = 5
    oglushyon: int = 0


@dataclass
class Igrok:
    zhelanie: int = 4


@dataclass
class Sopernik:
    put: list = None


@dataclass
class Ruda:
    kolichestvo: int = 1


@dataclass
class Kamen:
    skorost: int = 0


class SistemaKarty(Sistema):
    poryadok = 0

    def __init__(self, zerno):
        self.sluch = random.Random(zerno)

    def sbros(self):
        r = self.sluch
        k = [[1 if x in (0, SHIR - 1) or y in (0, VYS - 1) else 0 for x in range(SHIR)] for y in range(VYS)]
        for _ in range(26):
            x, y = r.randrange(2, SHIR - 2), r.randrange(2, VYS - 2)
            k[y][x] = 1
        for x in (1, 2, SHIR - 3, SHIR - 2):
            for y in (1, 2):
                k[y][x] = 0
        self.mir.karta = k
        self.mir.baza = {Igrok: (1, 1), Sopernik: (SHIR - 2, 1)}
        self.mir.igrok = self.mir.dobavit(Sushchnost(Mesto(1, 1), Gruz(), Telo(), Igrok()))
        self.mir.sopernik = self.mir.dobavit(Sushchnost(Mesto(SHIR - 2, 1), Gruz(), Telo(), Sopernik([])))
        for _ in range(10):
            self.polozhit(Ruda(r.randint(1, 3)))
        for _ in range(6):
            self.polozhit(Kamen())

    def polozhit(self, chto):
        while True:
            x, y = self.sluch.randrange(1, SHIR - 1), self.sluch.randrange(1, VYS - 1)
            if not self.mir.karta[y][x] and (x, y) not in self.mir.baza.values():
                return self.mir.dobavit(Sushchnost(Mesto(x, y), chto))

    def takt(self):
        if self.mir.vremya % 12 == 0 and len(self.mir.vse(Ruda)) < 10:
            self.polozhit(Ruda(self.sluch.randint(1, 3)))


class SistemaDvizheniya(Sistema):
    poryadok = 10

    def podklyuchit(self, mir):
        super().podklyuchit(mir)
        self.shina.podpisat("khod", self.khod)

    def khod(self, kto, kuda):
        telo = kto[Telo]
        if telo.oglushyon > 0:
            telo.oglushyon -= 1
            return
        if kuda == 4:
            return
        m = kto[Mesto]
        x, y = m.x + NAPR[kuda][0], m.y + NAPR[kuda][1]
        if self.mir.karta[y][x]:
            self.shina.otpravit("udar_o_stenu", kto=kto)
            return
        for s in self.mir.vse(Mesto, Telo):
            if s is not kto and s[Mesto].x == x and s[Mesto].y == y:
                self.shina.otpravit("stolknovenie", kto=kto, s_kem=s)
                return
        m.x, m.y = x, y
        self.shina.otpravit("shagnul", kto=kto, x=x, y=y)

    def takt(self):
        i = self.mir.igrok
        self.shina.otpravit("khod", kto=i, kuda=i[Igrok].zhelanie)


class SistemaSopernika(Sistema):
    """Sopernik ishchet put A* k blizhayshey rude ili domoy"""
    poryadok = 20
    etap = "env.opponent"

    def put(self, otkuda, kuda):
        karta = self.mir.karta
        kucha = [(0, 0, otkuda, None)]
        otkuda_prishli = {}
        tsena = {otkuda: 0}
        n = 0
        while kucha:
            _, _, tut, pred = heapq.heappop(kucha)
            if tut in otkuda_prishli:
                continue
            otkuda_prishli[tut] = pred
            if tut == kuda:
                break
            for dx, dy in NAPR:
                t = (tut[0] + dx, tut[1] + dy)
                if karta[t[1]][t[0]] or t in otkuda_prishli:
                    continue
                ts = tsena[tut] + 1 + 3 * self.mir.gaz[t[1]][t[0]]
                if ts < tsena.get(t, 1e9):
                    tsena[t] = ts
                    n += 1
                    heapq.heappush(kucha, (ts + abs(t[0] - kuda[0]) + abs(t[1] - kuda[1]), n, t, tut))
        if kuda not in otkuda_prishli:
            return []
        p = []
        while kuda != otkuda:
            p.append(kuda)
            kuda = otkuda_prishli[kuda]
        return p[::-1]

    def takt(self):
        s = self.mir.sopernik
        m, g = s[Mesto], s[Gruz]
        if g.ruda >= 3:
            tsel = self.mir.baza[Sopernik]
        else:
            rudy = self.mir.vse(Mesto, Ruda)
            if not rudy:
                return
            r = min(rudy, key=lambda q: abs(q[Mesto].x - m.x) + abs(q[Mesto].y - m.y) - q[Ruda].kolichestvo)
            tsel = (r[Mesto].x, r[Mesto].y)
        p = self.put((m.x, m.y), tsel)
        if p and self.mir.vremya % 4:       # chut medlennee igroka
            self.shina.otpravit("khod", kto=s, kuda=NAPR.index((p[0][0] - m.x, p[0][1] - m.y)))


class SistemaKamney(Sistema):
    poryadok = 30

    def takt(self):
        zanyato = {(s[Mesto].x, s[Mesto].y): s for s in self.mir.vse(Mesto)}
        for s in self.mir.vse(Mesto, Kamen):
            m, k = s[Mesto], s[Kamen]
            niz = (m.x, m.y + 1)
            if self.mir.karta[niz[1]][niz[0]]:
                if k.skorost > 0:
                    self.shina.otpravit("grokhot", x=m.x, y=m.y)
                k.skorost = 0
                if random.random() < 0.02:      # kamen obnovlyaetsya naverkhu
                    m.y = 1
                continue
            kto = zanyato.get(niz)
            if kto is not None and kto.est(Telo):
                if k.skorost > 0:
                    self.shina.otpravit("pridavilo", kto=kto)
                    k.skorost = 0
                continue
            m.y += 1
            k.skorost = 1


class SistemaGaza(Sistema):
    """Gaz rastekaetsya po kletkam (kletochnyy avtomat)"""
    poryadok = 40

    def sbros(self):
        self.mir.gaz = [[0.0] * SHIR for _ in range(VYS)]
        self.istochniki = [(random.randrange(3, SHIR - 3), random.randrange(4, VYS - 2)) for _ in range(2)]

    def takt(self):
        if self.mir.vremya % 2:
            return
        g, karta = self.mir.gaz, self.mir.karta
        novyy = [[0.0] * SHIR for _ in range(VYS)]
        for y in range(1, VYS - 1):
            for x in range(1, SHIR - 1):
                if karta[y][x]:
                    continue
                summa, chislo = 0.0, 0
                for dx, dy in NAPR:
                    if not karta[y + dy][x + dx]:
                        summa += g[y + dy][x + dx]
                        chislo += 1
                novyy[y][x] = 0.97 * (0.6 * g[y][x] + (0.4 * summa / chislo if chislo else 0.0))
        for x, y in self.istochniki:
            novyy[y][x] = min(1.0, novyy[y][x] + 0.5)
        self.mir.gaz = novyy


class SistemaDobychi(Sistema):
    poryadok = 45

    def podklyuchit(self, mir):
        super().podklyuchit(mir)
        self.shina.podpisat("shagnul", self.shagnul)
        self.shina.podpisat("pridavilo", self.pridavilo)

    def shagnul(self, kto, x, y):
        g = kto[Gruz]
        for s in self.mir.vse(Mesto, Ruda):
            if s[Mesto].x == x and s[Mesto].y == y and g.ruda < 5:
                g.ruda += s[Ruda].kolichestvo
                self.mir.ubrat(s)
                self.shina.otpravit("vzyal", kto=kto, skolko=s[Ruda].kolichestvo)
        baza = self.mir.baza[Igrok if kto.est(Igrok) else Sopernik]
        if (x, y) == baza and g.ruda:
            g.schyot += g.ruda
            self.shina.otpravit("sdal", kto=kto, skolko=g.ruda)
            g.ruda = 0

    def pridavilo(self, kto):
        kto[Telo].oglushyon = 4
        kto[Telo].zdorovye -= 1

    def takt(self):
        for s in self.mir.vse(Telo, Mesto):
            if self.mir.gaz[s[Mesto].y][s[Mesto].x] > 0.5 and random.random() < 0.2:
                s[Telo].zdorovye -= 1
                self.shina.otpravit("otravlen", kto=s)


class SistemaNagrady(Sistema):
    """Slushaet sobytiya, v kontse takta schitaet nagradu"""
    poryadok = 90
    etap = "env.reward"
    TSENA = {"vzyal": 0.3, "sdal": 1.0, "pridavilo": -0.5, "otravlen": -0.3, "udar_o_stenu": -0.03, "stolknovenie": -0.05}

    def podklyuchit(self, mir):
        super().podklyuchit(mir)
        self.zhurnal = []
        for tip in self.TSENA:
            self.shina.podpisat(tip, lambda tip=tip, **d: self.zhurnal.append((tip, d)))

    def sbros(self):
        self.zhurnal.clear()
        self.potentsial = None

    def blizost(self):
        i = self.mir.igrok
        m = i[Mesto]
        if i[Gruz].ruda >= 3:
            b = self.mir.baza[Igrok]
            return -0.05 * (abs(b[0] - m.x) + abs(b[1] - m.y))
        rudy = self.mir.vse(Mesto, Ruda)
        if not rudy:
            return 0.0
        return -0.05 * min(abs(s[Mesto].x - m.x) + abs(s[Mesto].y - m.y) for s in rudy) - 0.5

    def takt(self):
        n = -0.005
        for tip, d in self.zhurnal:
            if d["kto"] is self.mir.igrok:
                n += self.TSENA[tip] * d.get("skolko", 1)
            elif tip == "sdal":
                n -= 0.2 * d["skolko"]
        self.zhurnal.clear()
        p = self.blizost()
        if self.potentsial is not None:
            n += p - self.potentsial
        self.potentsial = p
        self.mir.nagrada = n
        self.mir.konets = self.mir.igrok[Telo].zdorovye <= 0 or self.mir.vremya >= PREDEL


class SistemaNablyudeniya(Sistema):
    """Plagin-glaza: vektor dlya neyroseti"""
    poryadok = 100
    etap = "env.observe"
    OKNO = 4
    RAZMER = 9 * 9 * 4 + 10

    def takt(self):
        self.mir.vid = self.sobrat()

    def sobrat(self):
        m = self.mir.igrok[Mesto]
        o, d = self.OKNO, 2 * self.OKNO + 1
        v = np.zeros((4, d, d), np.float32)
        for j in range(d):
            y = m.y + j - o
            for i in range(d):
                x = m.x + i - o
                if 0 <= x < SHIR and 0 <= y < VYS:
                    v[0, j, i] = self.mir.karta[y][x]
                    v[3, j, i] = self.mir.gaz[y][x]
                else:
                    v[0, j, i] = 1
        blizh = None
        for s in self.mir.vse(Mesto):
            q = s[Mesto]
            i, j = q.x - m.x + o, q.y - m.y + o
            if s.est(Ruda):
                r = abs(q.x - m.x) + abs(q.y - m.y)
                if blizh is None or r < blizh[0]:
                    blizh = (r, q.x - m.x, q.y - m.y)
            if 0 <= i < d and 0 <= j < d:
                if s.est(Ruda):
                    v[1, j, i] = s[Ruda].kolichestvo / 3
                elif s.est(Kamen) or s.est(Sopernik):
                    v[2, j, i] = 1
        i, s = self.mir.igrok, self.mir.sopernik
        b = self.mir.baza[Igrok]
        khvost = [i[Gruz].ruda / 5, i[Telo].zdorovye / 5, i[Telo].oglushyon / 4, s[Gruz].ruda / 5,
                  (b[0] - m.x) / SHIR, (b[1] - m.y) / VYS, self.mir.vremya / PREDEL,
                  (s[Gruz].schyot - i[Gruz].schyot) / 20]
        khvost += [blizh[1] / SHIR, blizh[2] / VYS] if blizh else [0, 0]
        return np.concatenate([v.ravel(), np.array(khvost, np.float32)])


def sobrat_mir(khron, zerno=0):
    from dvizhok import Mir
    mir = Mir(khron)
    for s in (SistemaKarty(zerno), SistemaDvizheniya(), SistemaSopernika(), SistemaKamney(), SistemaGaza(),
              SistemaDobychi(), SistemaNagrady()):
        mir.ustanovit(s)
    mir.glaza = mir.ustanovit(SistemaNablyudeniya())
    return mir
