# -*- coding: utf-8 -*-
"""O campo da pelada: 3 contra 3, bola, traves. Tudo em float."""
import math
import random
import numpy as np

LARGURA, ALTURA = 30.0, 20.0
GOL = 3.0               # meia-abertura
POR_TIME = 3
RAIO = 0.6
VEL = 0.45
CHUTE = 1.5
PASSOS_MAX = 250
# acoes: 0 parado, 1-8 direcoes, 9 chuta pro gol, 10 passa
N_ACOES = 11
DIRECOES = [(0.0, 0.0)] + [(math.cos(k * math.pi / 4), math.sin(k * math.pi / 4)) for k in range(8)]
TAM_OBS = 4 + 2 + 4 * (2 * POR_TIME - 1) + 2


class Boneco:
    __slots__ = ("x", "y", "vx", "vy", "time", "cansaco")

    def __init__(self, x, y, time):
        self.x, self.y, self.time = x, y, time
        self.vx = self.vy = 0.0
        self.cansaco = 0.0


class Pelada:
    def __init__(self, semente):
        self.sorte = random.Random(semente)
        self.placar = [0, 0]

    def comeca(self):
        s = self.sorte
        self.bonecos = []
        for time in (0, 1):
            for k in range(POR_TIME):
                x = s.uniform(3, LARGURA / 2 - 2)
                y = (k + 0.5) * ALTURA / POR_TIME + s.uniform(-1, 1)
                self.bonecos.append(Boneco(x if time == 0 else LARGURA - x, y, time))
        self.bola = [LARGURA / 2, ALTURA / 2 + s.uniform(-3, 3), 0.0, 0.0]
        self.dono = None
        self.passos = 0
        self.placar = [0, 0]

    def lado(self, time):
        return 1.0 if time == 0 else -1.0

    def passo(self, acoes):
        """acoes: 6 inteiros (time 0 e depois time 1), ja' do ponto de vista de cada time. -> (premio do time 0, fim)"""
        bx = self.bola[0]
        for b, a in zip(self.bonecos, acoes):
            self._mexe(b, a)
        for _ in range(2):
            self._empurra()
        self._disputa()
        gol = self._rola_bola()
        self.passos += 1
        premio = 0.01 * (self.bola[0] - bx)
        if self.dono is not None:
            premio += 0.002 * self.lado(self.dono.time)
        if gol is not None:
            self.placar[gol] += 1
            premio += 1.0 if gol == 0 else -1.0
        fim = gol is not None or self.passos >= PASSOS_MAX
        return premio, fim

    def _mexe(self, b, a):
        lado = self.lado(b.time)
        if a >= 9:
            if self.dono is b:
                self._chuta(b, a)
            return
        dx, dy = DIRECOES[a]
        forca = VEL * (1.0 - 0.3 * b.cansaco) * (0.85 if self.dono is b else 1.0)
        b.vx = 0.5 * b.vx + 0.5 * dx * lado * forca
        b.vy = 0.5 * b.vy + 0.5 * dy * forca
        b.x = min(LARGURA, max(0.0, b.x + b.vx))
        b.y = min(ALTURA, max(0.0, b.y + b.vy))
        b.cansaco = min(1.0, b.cansaco + 0.01) if a else max(0.0, b.cansaco - 0.03)

    def _chuta(self, b, a):
        if a == 9:
            tx = LARGURA if b.time == 0 else 0.0
            ty = ALTURA / 2 + self.sorte.gauss(0, 1.8)
        else:
            melhor, nota = None, -1e9
            for c in self.bonecos:
                if c.time != b.time or c is b:
                    continue
                n = (c.x - b.x) * self.lado(b.time)
                for d in self.bonecos:
                    if d.time != b.time:
                        n -= 4.0 / (0.5 + self._dist_reta(b, c, d))
                if n > nota:
                    melhor, nota = c, n
            tx, ty = melhor.x + self.sorte.gauss(0, 0.5), melhor.y + self.sorte.gauss(0, 0.5)
        d = math.hypot(tx - b.x, ty - b.y) + 1e-6
        self.bola[2] = CHUTE * (tx - b.x) / d
        self.bola[3] = CHUTE * (ty - b.y) / d
        self.bola[0] = b.x + self.bola[2] * 0.8
        self.bola[1] = b.y + self.bola[3] * 0.8
        self.dono = None

    @staticmethod
    def _dist_reta(a, b, p):
        vx, vy = b.x - a.x, b.y - a.y
        t = ((p.x - a.x) * vx + (p.y - a.y) * vy) / (vx * vx + vy * vy + 1e-6)
        t = min(1.0, max(0.0, t))
        return math.hypot(a.x + t * vx - p.x, a.y + t * vy - p.y)

    def _empurra(self):
        bs = self.bonecos
        for i in range(len(bs)):
            for j in range(i + 1, len(bs)):
                a, b = bs[i], bs[j]
                dx, dy = b.x - a.x, b.y - a.y
                d = math.sqrt(dx * dx + dy * dy)
                if d < 2 * RAIO:
                    d = max(d, 1e-3)
                    f = (2 * RAIO - d) / d * 0.5
                    a.x -= dx * f
                    a.y -= dy * f
                    b.x += dx * f
                    b.y += dy * f

    def _disputa(self):
        perto = []
        for b in self.bonecos:
            d = math.hypot(b.x - self.bola[0], b.y - self.bola[1])
            if d < 1.1:
                perto.append((d + self.sorte.random() * 0.4 - (0.15 if self.dono is b else 0.0), id(b), b))
        if not perto:
            return
        rapido = math.hypot(self.bola[2], self.bola[3])
        quem = min(perto)[2]
        if self.dono is None and rapido > 1.2 and self.sorte.random() < 0.5:
            return
        self.dono = quem

    def _rola_bola(self):
        """devolve o time que fez gol, ou None"""
        bola = self.bola
        if self.dono is not None:
            d = self.dono
            bola[0] = d.x + 0.5 * self.lado(d.time)
            bola[1] = d.y
            bola[2] = bola[3] = 0.0
        for _ in range(3):
            bola[0] += bola[2] / 3
            bola[1] += bola[3] / 3
            if bola[1] < 0 or bola[1] > ALTURA:
                bola[1] = min(ALTURA, max(0.0, bola[1]))
                bola[3] = -0.7 * bola[3]
            if bola[0] >= LARGURA or bola[0] <= 0:
                if abs(bola[1] - ALTURA / 2) < GOL:
                    return 0 if bola[0] >= LARGURA else 1
                bola[0] = min(LARGURA, max(0.0, bola[0]))
                bola[2] = -0.7 * bola[2]
        bola[2] *= 0.95
        bola[3] *= 0.95
        return None

    def visao(self, time):
        """o que cada boneco do time ve (POR_TIME, TAM_OBS), sempre atacando para a direita"""
        lado = self.lado(time)
        saida = np.zeros((POR_TIME, TAM_OBS), dtype=np.float32)
        meus = [b for b in self.bonecos if b.time == time]
        deles = [b for b in self.bonecos if b.time != time]
        gx = LARGURA if time == 0 else 0.0
        for k, b in enumerate(meus):
            v = [(b.x - gx) * lado / LARGURA, (b.y - ALTURA / 2) / ALTURA,
                 (self.bola[0] - b.x) * lado / LARGURA, (self.bola[1] - b.y) / ALTURA,
                 self.bola[2] * lado, self.bola[3]]
            outros = sorted((c for c in meus if c is not b), key=lambda c: (c.x - b.x) ** 2 + (c.y - b.y) ** 2)
            outros += sorted(deles, key=lambda c: (c.x - b.x) ** 2 + (c.y - b.y) ** 2)
            for c in outros:
                v += [(c.x - b.x) * lado / LARGURA, (c.y - b.y) / ALTURA, c.vx * lado, c.vy]
            v += [1.0 if self.dono is b else 0.0, 1.0 if self.dono is not None and self.dono.time == time else 0.0]
            saida[k] = v
        return saida
