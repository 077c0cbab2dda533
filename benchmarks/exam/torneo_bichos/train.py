"""Torneo de bichos: DQN doble contra el rival del estadio.
   python train.py      (WILD_SECONDS=20 WILD_TRUTH=verdad.json)
"""
import json
import os
import random
import time
from collections import defaultdict, deque
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn

from sala import DIM, Estadio, Sala

torch.set_num_threads(1)
SEGUNDOS = float(os.environ.get("WILD_SECONDS", 20))
N_SALAS = 12
LOTE = 128
GAMMA = 0.97
REPASOS = 1            # pasos de optimizador por ronda
SEM = 7
random.seed(SEM), np.random.seed(SEM), torch.manual_seed(SEM)
reloj = time.perf_counter
seg = defaultdict(float)


class Cerebro(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Sequential(nn.Linear(DIM, 256), nn.ReLU(), nn.Linear(256, 192), nn.ReLU())
        self.v = nn.Linear(192, 1)
        self.a = nn.Linear(192, 8)

    def forward(self, x):
        h = self.base(x)
        a = self.a(h)
        return self.v(h) + a - a.mean(1, keepdim=True)


class Mochila:
    """memoria con prioridades, a lo bruto (sin arbol, numpy aguanta)"""

    def __init__(self, cap=20000):
        self.o = np.zeros((cap, DIM), np.float32)
        self.o2 = np.zeros((cap, DIM), np.float32)
        self.m2 = np.zeros((cap, 8), bool)
        self.a = np.zeros(cap, np.int64)
        self.r = np.zeros(cap, np.float32)
        self.f = np.zeros(cap, np.float32)
        self.p = np.zeros(cap, np.float64)
        self.cap, self.n, self.i, self.pmax = cap, 0, 0, 1.0

    def mete(self, o, a, r, o2, m2, f):
        i = self.i
        self.o[i], self.a[i], self.r[i], self.o2[i], self.m2[i], self.f[i] = o, a, r, o2, m2, f
        self.p[i] = self.pmax
        self.i = (i + 1) % self.cap
        self.n = min(self.n + 1, self.cap)

    def saca(self, k, beta):
        c = np.cumsum(self.p[:self.n])
        idx = np.searchsorted(c, np.random.rand(k) * c[-1])
        idx = np.minimum(idx, self.n - 1)
        w = (self.n * self.p[idx] / c[-1]) ** -beta
        w = (w / w.max()).astype(np.float32)
        t = torch.from_numpy
        return idx, t(w), t(self.o[idx]), t(self.a[idx]), t(self.r[idx]), t(self.o2[idx]), t(self.m2[idx]), t(self.f[idx])

    def corrige(self, idx, err):
        self.p[idx] = (np.abs(err) + 0.02) ** 0.6
        self.pmax = max(self.pmax, self.p[idx].max())


def elige(red, obs, mask, eps):
    with torch.no_grad():
        q = red(torch.from_numpy(obs))
        q[~torch.from_numpy(mask)] = -1e9
        a = q.argmax(1).numpy()
    for i in range(len(a)):
        if random.random() < eps:
            a[i] = random.choice(np.flatnonzero(mask[i]))
    return a


def examen(red, salas, pool, partidas):
    """combates sin explorar en salas aparte; no cuentan como entrenamiento"""
    vivos = dict(enumerate(pool.map(lambda s: s.empieza(), salas)))
    gan = jug = 0
    while jug < partidas:
        ids = list(vivos)
        a = elige(red, np.stack([vivos[i][0] for i in ids]), np.stack([vivos[i][1] for i in ids]), 0.0)
        for i, res in zip(ids, pool.map(lambda p: salas[p[0]].turno(p[1]), zip(ids, a))):
            vivos[i] = res[5]
            if res[1]:
                jug += 1
                gan += res[2] == 0
    return gan / jug


def reparte(ventanas):
    """Esperas del hilo principal -> etapas. Manda la sala que acaba mas tarde; lo que esa no
    cubra lo cubre la siguiente; lo que no cubra nadie es vec.wait. Se hace al final."""
    for ini, fin, porsala in ventanas:
        libres = [(ini, fin)]
        for marcas in sorted(porsala, key=lambda ms: -ms[-1][2]):
            for que, a, b in marcas:
                nuevos = []
                for x, y in libres:
                    u, v = max(a, x), min(b, y)
                    if u >= v:
                        nuevos.append((x, y))
                        continue
                    seg[que] += v - u
                    if x < u:
                        nuevos.append((x, u))
                    if v < y:
                        nuevos.append((v, y))
                libres = nuevos
        seg["vec.wait"] += sum(y - x for x, y in libres)


def main():
    estadio = Estadio()
    pool = ThreadPoolExecutor(N_SALAS, thread_name_prefix="sala")
    salas = [Sala(estadio, i, 1000 * i) for i in range(N_SALAS)]
    de_examen = [Sala(estadio, 100 + i, 500000 + 1000 * i) for i in range(6)]
    red, fija = Cerebro(), Cerebro()
    fija.load_state_dict(red.state_dict())
    opt = torch.optim.Adam(red.parameters(), lr=7e-4)
    moch = Mochila()
    ventanas = []
    ult, premios = deque(maxlen=100), np.zeros(N_SALAS)
    pasos = partidas = updates = ronda = 0
    mejor = -1.0
    diario = open(Path(__file__).parent / "diario.csv", "w")
    diario.write("ronda,pasos,partidas,eps,victorias,perdida\n")
    ini = list(pool.map(lambda s: s.empieza(), salas))
    obs, mask = np.stack([x[0] for x in ini]), np.stack([x[1] for x in ini])
    perdida = torch.zeros(())

    inicio = reloj()
    while True:
        ronda += 1
        # ---- elegir
        t = reloj()
        eps = max(0.05, 1.0 - pasos / 2500)
        acc = elige(red, obs, mask, eps)
        t1 = reloj()
        seg["act"] += t1 - t
        # ---- todos los combates un turno
        futs = [pool.submit(s.turno, a) for s, a in zip(salas, acc)]
        t2 = reloj()
        seg["vec.send"] += t2 - t1
        res = [f.result() for f in futs]
        t3 = reloj()
        ventanas.append((t2, t3, [r[6] for r in res]))
        # ---- guardar
        sig_o, sig_m = np.empty_like(obs), np.empty_like(mask)
        for i, (r, fin, gana, o2, m2, sig, _) in enumerate(res):
            moch.mete(obs[i], acc[i], r, o2, m2, float(fin))
            sig_o[i], sig_m[i] = sig
            premios[i] += r
            if fin:
                partidas += 1
                ult.append(gana == 0)
                premios[i] = 0
        obs, mask = sig_o, sig_m
        pasos += N_SALAS
        seg["replay.add"] += reloj() - t3
        # ---- aprender
        if pasos >= 300:
            for _ in range(REPASOS):
                t = reloj()
                idx, w, bo, ba, br, bo2, bm2, bf = moch.saca(LOTE, 0.5)
                t1 = reloj()
                seg["replay.sample"] += t1 - t
                with torch.no_grad():
                    q2 = red(bo2)
                    q2[~bm2] = -1e9
                    mejor_a = q2.argmax(1, keepdim=True)
                    y = br + GAMMA * (1 - bf) * fija(bo2).gather(1, mejor_a).squeeze(1)
                q = red(bo).gather(1, ba[:, None]).squeeze(1)
                dif = q - y
                perdida = (w * nn.functional.smooth_l1_loss(q, y, reduction="none")).mean()
                opt.zero_grad()
                perdida.backward()
                nn.utils.clip_grad_norm_(red.parameters(), 5.0)
                opt.step()
                updates += 1
                if updates % 150 == 0:
                    fija.load_state_dict(red.state_dict())
                err = dif.detach().numpy()
                t2 = reloj()
                seg["learn.update"] += t2 - t1
                moch.corrige(idx, err)
                seg["replay.update"] += reloj() - t2
            if reloj() - inicio >= SEGUNDOS:
                break
        # ---- papeleo
        if ronda % 25 == 0:
            t = reloj()
            diario.write("%d,%d,%d,%.3f,%.3f,%.4f\n" % (ronda, pasos, partidas, eps, np.mean(ult or [0]), float(perdida.detach())))
            diario.flush()
            if ronda % 100 == 0:
                print("ronda %d pasos %d partidas %d eps %.2f victorias %.2f" % (ronda, pasos, partidas, eps, np.mean(ult or [0])), flush=True)
            seg["log"] += reloj() - t
        if ronda % 250 == 0:
            t = reloj()
            v = examen(red, de_examen, pool, 6)
            t1 = reloj()
            seg["eval"] += t1 - t
            print("   examen: %.2f" % v, flush=True)
            if v >= mejor:
                mejor = v
                torch.save(red.state_dict(), Path(__file__).parent / "campeon.pt")
            seg["checkpoint"] += reloj() - t1
    pared = reloj() - inicio

    reparte(ventanas)
    seg["other"] = pared - sum(seg.values())
    estadio.cierra()
    pool.shutdown()
    diario.close()
    verdad = {"wall_seconds": pared, "stages": dict(seg), "env_steps": pasos, "episodes": partidas, "updates": updates}
    if os.environ.get("WILD_TRUTH"):
        Path(os.environ["WILD_TRUTH"]).write_text(json.dumps(verdad, indent=1))
    print("fin: %d pasos, %d partidas, %d updates, victorias (ult. 100) %.2f" % (pasos, partidas, updates, np.mean(ult or [0])))
    for k, s in sorted(seg.items(), key=lambda x: -x[1]):
        print("  %-14s %5.1f%%" % (k, 100 * s / pared))


if __name__ == "__main__":
    main()
