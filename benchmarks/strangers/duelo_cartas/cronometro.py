# -*- coding: utf-8 -*-
"""Cronometro casero: al entrar en un tramo se para el de fuera, asi nada cuenta dos veces."""
from time import perf_counter


class _Tramo:
    __slots__ = ("dueno", "clave")

    def __init__(self, dueno, clave):
        self.dueno = dueno
        self.clave = clave

    def __enter__(self):
        d = self.dueno
        if d.cerrado:          # dentro de la evaluacion todo es evaluacion
            d.hondo += 1
            return
        t = perf_counter()
        if d.pila:
            d.total[d.pila[-1]] += t - d.desde
        d.pila.append(self.clave)
        d.total.setdefault(self.clave, 0.0)
        d.desde = t
        if self.clave == "eval":
            d.cerrado = True
            d.hondo = 0

    def __exit__(self, *a):
        d = self.dueno
        if d.cerrado and d.hondo > 0:
            d.hondo -= 1
            return
        d.cerrado = False
        t = perf_counter()
        d.total[d.pila.pop()] += t - d.desde
        d.desde = t


class Cronometro:
    def __init__(self):
        self.total = {}
        self.pila = []
        self.desde = 0.0
        self.cerrado = False
        self.hondo = 0
        self._tramos = {}

    def __call__(self, clave):
        t = self._tramos.get(clave)
        if t is None:
            t = self._tramos[clave] = _Tramo(self, clave)
        return t

    def a_cero(self):
        self.total = {}
        self.pila = []


reloj = Cronometro()
