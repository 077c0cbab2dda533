# hatake.py : chiisana noujou geemu
# 6x6 no hatake, 1 nen = 60 nichi, mainichi 4 kai ugokeru
import random
from tokei import hakaru

OOKISA = 6
NISSUU = 60
TAIRYOKU = 4

SAKUMOTSU = {            # seichou nissuu, mizu, nedan, tane-dai
    "daikon": (5, 0.25, 14, 4),
    "nasu": (8, 0.35, 30, 9),
    "kabocha": (13, 0.20, 60, 15),
}
NAMAE = list(SAKUMOTSU)

# koudou
UE, SHITA, HIDARI, MIGI, MIZUYARI, SHUUKAKU, KUSATORI, NEMURU = range(8)
UERU = 8                 # 8,9,10 : daikon, nasu, kabocha
KOUDOU_SUU = UERU + len(NAMAE)

TENKI = ["hare", "kumori", "ame", "arashi"]
TENKI_KAKURITSU = {
    "hare": (0.6, 0.25, 0.13, 0.02),
    "kumori": (0.3, 0.35, 0.3, 0.05),
    "ame": (0.3, 0.35, 0.27, 0.08),
    "arashi": (0.5, 0.3, 0.2, 0.0),
}


class Masu:
    __slots__ = ("mizu", "shurui", "sodachi", "kusa", "mushi", "eiyou")

    def __init__(self):
        self.mizu = 0.4
        self.shurui = None
        self.sodachi = 0.0
        self.kusa = 0.0
        self.mushi = 0.0
        self.eiyou = 1.0


class Noujou:
    def __init__(self, tane=None):
        self.ran = random.Random(tane)

    @hakaru("env.reset")
    def hajimeru(self):
        self.masu = [[Masu() for _ in range(OOKISA)] for _ in range(OOKISA)]
        for gyou in self.masu:
            for m in gyou:
                m.mizu = self.ran.uniform(0.2, 0.6)
                m.eiyou = self.ran.uniform(0.7, 1.0)
        self.x = self.y = OOKISA // 2
        self.hi = 0
        self.nokori = TAIRYOKU
        self.okane = 40
        self.tenki = "hare"
        self.nedan = {n: float(SAKUMOTSU[n][2]) for n in NAMAE}
        self.owatta = False
        self.dekigoto = []

    @hakaru("env.step")
    def susumu(self, koudou):
        self.dekigoto = []
        m = self.masu[self.y][self.x]
        if koudou == UE:
            self.y = max(0, self.y - 1)
        elif koudou == SHITA:
            self.y = min(OOKISA - 1, self.y + 1)
        elif koudou == HIDARI:
            self.x = max(0, self.x - 1)
        elif koudou == MIGI:
            self.x = min(OOKISA - 1, self.x + 1)
        elif koudou == MIZUYARI:
            # mawari nimo sukoshi kakaru
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    xx, yy = self.x + dx, self.y + dy
                    if 0 <= xx < OOKISA and 0 <= yy < OOKISA:
                        mm = self.masu[yy][xx]
                        mm.mizu = min(1.0, mm.mizu + (0.5 if dx == dy == 0 else 0.2))
        elif koudou == SHUUKAKU:
            if m.shurui and m.sodachi >= 1.0:
                uriage = self.nedan[m.shurui] * (1 - 0.5 * m.mushi)
                self.okane += uriage
                self.nedan[m.shurui] *= 0.93
                self.dekigoto.append(("shuukaku", uriage))
                m.shurui, m.sodachi, m.mushi = None, 0.0, 0.0
                m.eiyou = max(0.2, m.eiyou - 0.15)
            else:
                self.dekigoto.append(("muda", 0))
        elif koudou == KUSATORI:
            if m.kusa > 0.3 or m.mushi > 0.3:
                self.dekigoto.append(("kusatori", m.kusa + m.mushi))
            m.kusa = 0.0
            m.mushi *= 0.3
        elif koudou >= UERU:
            n = NAMAE[koudou - UERU]
            dai = SAKUMOTSU[n][3]
            if m.shurui is None and self.okane >= dai:
                m.shurui, m.sodachi = n, 0.0
                self.okane -= dai
                self.dekigoto.append(("ueta", dai))
            else:
                self.dekigoto.append(("muda", 0))
        self.nokori -= 1
        if koudou == NEMURU or self.nokori <= 0:
            self.asa_ni_naru()
        return self.owatta

    def asa_ni_naru(self):
        """yoru ga sugite, hatake ga kawaru"""
        r = self.ran
        self.hi += 1
        self.nokori = TAIRYOKU
        self.tenki = r.choices(TENKI, TENKI_KAKURITSU[self.tenki])[0]
        ame = {"hare": -0.12, "kumori": -0.05, "ame": 0.35, "arashi": 0.5}[self.tenki]
        furui = [[m.mizu for m in gyou] for gyou in self.masu]
        mushi = [[m.mushi for m in gyou] for gyou in self.masu]
        for y in range(OOKISA):
            for x in range(OOKISA):
                m = self.masu[y][x]
                # mizu no nagare
                wa, kazu, mu = 0.0, 0, 0.0
                for yy, xx in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                    if 0 <= yy < OOKISA and 0 <= xx < OOKISA:
                        wa += furui[yy][xx]
                        mu += mushi[yy][xx]
                        kazu += 1
                m.mizu = min(1.0, max(0.0, 0.85 * furui[y][x] + 0.15 * wa / kazu + ame))
                m.kusa = min(1.0, m.kusa + r.uniform(0, 0.06) * (0.5 + m.mizu))
                if m.shurui:
                    nissuu, hoshii, _, _ = SAKUMOTSU[m.shurui]
                    kawaki = max(0.0, hoshii - m.mizu)
                    chikara = m.eiyou * (1 - 0.6 * m.kusa) * (1 - 0.7 * m.mushi) * max(0.0, 1 - 2.5 * kawaki)
                    m.sodachi = min(1.3, m.sodachi + 1.5 * chikara / nissuu)
                    m.mushi = min(1.0, m.mushi + 0.08 * mu / kazu + (0.15 if r.random() < 0.04 else 0.0))
                    if self.tenki == "arashi" and r.random() < 0.15:
                        m.sodachi *= 0.5
                        self.dekigoto.append(("arashi", 1))
                else:
                    m.eiyou = min(1.0, m.eiyou + 0.02)
                    m.mushi *= 0.8
        for n in NAMAE:
            moto = SAKUMOTSU[n][2]
            self.nedan[n] += 0.1 * (moto - self.nedan[n]) + r.gauss(0, 0.5)
        if self.hi >= NISSUU:
            self.owatta = True
