# HASHIRE NEKO - run, cat!
import random
import numpy as np
from gamen import Gamen, MASU, HABA
from tokei import tokei

# nani mo shinai, migi, migi+jump, hidari, jump, migi+dash
SOUSA = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (-1, 0, 0), (0, 1, 0), (1, 0, 1)]


class Teki:
    def __init__(self, x, y):
        self.x, self.y, self.vx, self.vy = float(x), float(y), -0.6, 0.0
        self.ikiteru = True


class HashireNeko:
    JIKAN = 900
    NAGASA = 120

    def __init__(self, tane=0):
        self.ransuu = random.Random(tane)
        self.gamen = Gamen()

    # ---- stage
    def stage_tsukuru(self):
        R = self.ransuu
        m = np.zeros((9, self.NAGASA + 12), np.int64)
        self.coins, self.tekitachi = [], []
        yuka, c = 7, 0
        while c < m.shape[1]:
            n = R.randint(3, 8)
            ana = c > 10 and R.random() < 0.3
            for k in range(c, min(c + n, m.shape[1])):
                m[yuka, k] = 2
                m[yuka + 1:, k] = 1
                if c > 6 and R.random() < 0.12:
                    m[yuka - 3, k] = 3
                if R.random() < 0.2:
                    self.coins.append((k * MASU + 4, (yuka - R.randint(1, 2)) * MASU + 4))
                if c > 8 and R.random() < 0.1:
                    self.tekitachi.append(Teki(k * MASU, (yuka - 1) * MASU))
            c += n + (R.randint(1, 2) if ana else 0)
            yuka = max(5, min(7, yuka + R.choice([-1, 0, 0, 1])))
        self.chizu = m

    def reset(self):
        tokei.osu("env.reset")
        self.stage_tsukuru()
        self.x, self.y, self.vx, self.vy = 24.0, 60.0, 0.0, 0.0
        self.muki, self.jimen, self.cam = 1, False, 0.0
        self.nokori, self.coin_kazu, self.owari, self.goal = self.JIKAN, 0, False, False
        self.saikou = self.x
        e = self.gamen.kaku(self).copy()
        tokei.hanasu()
        return e

    def kabe(self, px, py):
        c, r = int(px) // MASU, int(py) // MASU
        if c < 0:
            return True
        if r < 0 or r > 8 or c >= self.chizu.shape[1]:
            return False
        return self.chizu[r, c] != 0

    def ugokasu(self, b, w, h):
        """move a body one pixel at a time until a wall"""
        yuka = False
        for _ in range(int(abs(b.vx)) + 1):
            dx = b.vx / (int(abs(b.vx)) + 1)
            nx = b.x + dx
            mae = nx + w if dx > 0 else nx
            if self.kabe(mae, b.y + 1) or self.kabe(mae, b.y + h - 1):
                b.vx = 0.0
                break
            b.x = nx
        for _ in range(int(abs(b.vy)) + 1):
            dy = b.vy / (int(abs(b.vy)) + 1)
            ny = b.y + dy
            saki = ny + h if dy > 0 else ny
            if self.kabe(b.x + 1, saki) or self.kabe(b.x + w - 1, saki):
                yuka = dy > 0
                b.vy = 0.0
                break
            b.y = ny
        return yuka

    def itten(self, a):
        """one frame of the game"""
        lr, jump, dash = SOUSA[a]
        hayasa = 3.2 if dash else 2.2
        self.vx += 0.35 * lr
        if lr == 0:
            self.vx *= 0.8
        else:
            self.muki = lr
        self.vx = max(-hayasa, min(hayasa, self.vx))
        if jump and self.jimen:
            self.vy = -6.4
        self.vy = min(self.vy + 0.42, 6.0)
        self.jimen = self.ugokasu(self, 12, 14)
        for t in self.tekitachi:
            if not t.ikiteru or abs(t.x - self.x) > HABA * 1.5:
                continue
            t.vy = min(t.vy + 0.4, 5)
            mae_v = t.vx
            self.ugokasu(t, 12, 12)
            if t.vx == 0:
                t.vx = -mae_v
            if t.y > 150:
                t.ikiteru = False
            elif abs(t.x - self.x) < 11 and abs(t.y - self.y) < 12:
                if self.vy > 0 and self.y + 8 < t.y + 4:
                    t.ikiteru, self.vy = False, -4.0
                    self.fumi += 1
                else:
                    self.owari = True
        totta = [c for c in self.coins if abs(c[0] - self.x) < 12 and abs(c[1] - self.y) < 13]
        for c in totta:
            self.coins.remove(c)
        self.coin_kazu += len(totta)
        self.totta += len(totta)
        self.cam = max(0.0, min(self.x - 60, (self.NAGASA + 1) * MASU - HABA))
        self.nokori -= 1
        if self.y > 150 or self.nokori <= 0:
            self.owari = True
        if self.x > self.NAGASA * MASU:
            self.owari = self.goal = True

    def step(self, a):
        tokei.osu("env.step")
        self.fumi = self.totta = 0
        e = None
        for _ in range(3):          # frame skip, max of frames because of flicker (atari no mane)
            self.itten(a)
            tokei.osu("env.render")
            e2 = self.gamen.kaku(self)
            e = e2.copy() if e is None else np.maximum(e, e2)
            tokei.hanasu()
            if self.owari:
                break
        houshu = -0.01 + 0.3 * self.totta + 0.5 * self.fumi
        if self.x > self.saikou:
            houshu += 0.05 * (self.x - self.saikou)
            self.saikou = self.x
        if self.goal:
            houshu += 10
        elif self.owari:
            houshu -= 3
        tokei.hanasu()
        return e, houshu, self.owari
