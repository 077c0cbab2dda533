"""Busqueda en arbol (PUCT) para varias partidas a la vez: en cada vuelta baja una hoja por partida
y la red las valora todas juntas."""
import time
from math import sqrt

import numpy as np
import torch

from juego import CAS, L, NACC, legales, mueve

C_PUCT = 1.6
reloj = time.perf_counter


class Nodo:
    __slots__ = ("t", "acc", "p", "n", "w", "hijos", "total", "perdido")

    def __init__(self, t, perdido=False):
        self.t, self.perdido = t, perdido     # perdido: el que tiene que mover aqui ya perdio
        self.acc = None
        self.hijos = {}
        self.total = 0

    def abre(self, logits):
        self.acc = legales(self.t)
        z = [logits[a] for a in self.acc]
        m = max(z)
        e = np.exp(np.array(z) - m)
        self.p = (e / e.sum()).tolist()
        self.n = [0] * len(z)
        self.w = [0.0] * len(z)

    def mejor(self):
        raiz = C_PUCT * sqrt(self.total + 1)
        bi, bu = 0, -1e9
        n, w, p = self.n, self.w, self.p
        for i in range(len(n)):
            k = n[i]
            u = (w[i] / k if k else -0.1) + raiz * p[i] / (1 + k)
            if u > bu:
                bi, bu = i, u
        return bi


def planos(tableros):
    """lo que ve la red: mios, suyos, filas que me quedan, amenazados"""
    x = np.zeros((len(tableros), 4, L, L), np.float32)
    b = np.array(tableros, np.int8).reshape(-1, L, L)
    x[:, 0] = b == 1
    x[:, 1] = b == -1
    x[:, 2] = (np.arange(L, dtype=np.float32) / (L - 1))[None, :, None]
    am = x[:, 3]
    am[:, :-1, 1:] += x[:, 1, 1:, :-1]
    am[:, :-1, :-1] += x[:, 1, 1:, 1:]
    return x


def valora(red, tableros, seg):
    t0 = reloj()
    x = planos(tableros)
    t1 = reloj()
    with torch.no_grad():
        pi, v = red(torch.from_numpy(x))
        pi, v = pi.tolist(), v.tolist()
    t2 = reloj()
    seg["env.observe"] += t1 - t0
    seg["act"] += t2 - t1
    return pi, v


def busca(red, tableros, sims, seg, ruido=0.25, rng=None):
    """devuelve una lista de politicas (vector de NACC) de visitas.
    En seg deja por separado ojos (env.observe), red (act) y el resto, que es arbol (act.search)."""
    ini = reloj()
    fuera = seg["env.observe"] + seg["act"]
    raices = [Nodo(t) for t in tableros]
    pi, _ = valora(red, tableros, seg)
    for r, l in zip(raices, pi):
        r.abre(l)
        if ruido:
            d = rng.dirichlet([0.5] * len(r.acc))
            r.p = [(1 - ruido) * a + ruido * b for a, b in zip(r.p, d)]
    for _ in range(sims):
        hojas, sendas = [], []
        for r in raices:
            nodo, senda = r, []
            while nodo.acc is not None:
                i = nodo.mejor()
                senda.append((nodo, i))
                h = nodo.hijos.get(i)
                if h is None:
                    t, gana = mueve(nodo.t, nodo.acc[i])
                    h = nodo.hijos[i] = Nodo(t, gana)
                nodo = h
                if h.perdido:
                    break
            if nodo.perdido:
                sube(senda, -1.0)
            else:
                hojas.append(nodo)
                sendas.append(senda)
        if hojas:
            pi, v = valora(red, [h.t for h in hojas], seg)
            for h, l, x, s in zip(hojas, pi, v, sendas):
                h.abre(l)
                sube(s, x)
    res = []
    for r in raices:
        z = np.zeros(NACC, np.float32)
        z[r.acc] = r.n
        res.append(z / z.sum())
    seg["act.search"] += reloj() - ini - (seg["env.observe"] + seg["act"] - fuera)
    return res


def sube(senda, v):
    """v: lo que vale la hoja para el que mueve en ella"""
    for nodo, i in reversed(senda):
        v = -v
        nodo.n[i] += 1
        nodo.w[i] += v
        nodo.total += 1


def escoge(pi, temp, rng):
    if temp <= 0:
        return int(pi.argmax())
    q = pi.astype(np.float64) ** (1 / temp)
    return int(rng.choice(NACC, p=q / q.sum()))
