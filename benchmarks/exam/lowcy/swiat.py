"""Świat: siatka z drzewami, łowcy (jeden to agent, dwóch skryptowych) i ofiary."""
import random
from collections import deque

import numpy as np

ROZMIAR = 18
ILE_OFIAR = 4
ILE_POMOCNIKOW = 2
MAKS_TUR = 120
KIERUNKI = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)]      # stój, góra, dół, lewo, prawo


class Ofiara:
    def __init__(self, poz):
        self.poz = poz
        self.zyje = True
        self.zmeczenie = 0


class Swiat:
    def __init__(self, ziarno=None):
        self.los = random.Random(ziarno)
        self.nowa_gra()

    # ---------- początek ----------
    def nowa_gra(self):
        while True:
            self.sciany = [[self.los.random() < 0.18 for _ in range(ROZMIAR)] for _ in range(ROZMIAR)]
            wolne = [(y, x) for y in range(ROZMIAR) for x in range(ROZMIAR) if not self.sciany[y][x]]
            if not wolne:
                continue
            odl = self.odleglosci(wolne[len(wolne) // 2])
            dostepne = [p for p in wolne if p in odl]
            if len(dostepne) > 0.9 * len(wolne):
                break
        miejsca = self.los.sample(dostepne, 1 + ILE_POMOCNIKOW + ILE_OFIAR)
        self.agent = miejsca[0]
        self.pomocnicy = miejsca[1:1 + ILE_POMOCNIKOW]
        self.ofiary = [Ofiara(p) for p in miejsca[1 + ILE_POMOCNIKOW:]]
        self.tura = 0
        self.zlapane_przez_agenta = 0
        self.zlapane_przez_innych = 0
        self.poprzednia_odl = None

    # ---------- pomocnicze ----------
    def wolne_pole(self, y, x):
        return 0 <= y < ROZMIAR and 0 <= x < ROZMIAR and not self.sciany[y][x]

    def odleglosci(self, skad):
        odl = {skad: 0}
        kolejka = deque([skad])
        while kolejka:
            y, x = kolejka.popleft()
            for dy, dx in KIERUNKI[1:]:
                n = (y + dy, x + dx)
                if n not in odl and self.wolne_pole(*n):
                    odl[n] = odl[(y, x)] + 1
                    kolejka.append(n)
        return odl

    def zywe(self):
        return [o for o in self.ofiary if o.zyje]

    def sprawdz_zlapanie(self, poz):
        ile = 0
        for o in self.zywe():
            if o.poz == poz:
                o.zyje = False
                ile += 1
        return ile

    # ---------- ruch agenta ----------
    def mozliwe_ruchy(self):
        y, x = self.agent
        return np.array([self.wolne_pole(y + dy, x + dx) and (y + dy, x + dx) not in self.pomocnicy
                         for dy, dx in KIERUNKI])

    def ruch_agenta(self, a):
        dy, dx = KIERUNKI[a]
        cel = (self.agent[0] + dy, self.agent[1] + dx)
        if self.wolne_pole(*cel) and cel not in self.pomocnicy:
            self.agent = cel
        self.tura += 1
        self.ostatnio_zlapal = self.sprawdz_zlapanie(self.agent)
        self.zlapane_przez_agenta += self.ostatnio_zlapal

    # ---------- reszta świata ----------
    def ruch_swiata(self):
        for o in self.zywe():
            self.rusz_ofiare(o)
        for i in range(len(self.pomocnicy)):
            self.rusz_pomocnika(i)

    def rusz_ofiare(self, o):
        o.zmeczenie += 1
        if o.zmeczenie % 3 == 0:        # co trzecią turę odpoczywa
            return
        mapy = [self.odleglosci(l) for l in [self.agent] + self.pomocnicy]   # liczone dla każdej ofiary od nowa
        zajete = {z.poz for z in self.zywe() if z is not o}
        najlepsze, gdzie = -1, o.poz
        for dy, dx in KIERUNKI:
            n = (o.poz[0] + dy, o.poz[1] + dx)
            if not self.wolne_pole(*n) or n in zajete:
                continue
            ocena = min(m.get(n, 99) for m in mapy) + self.los.random() * 0.5
            if ocena > najlepsze:
                najlepsze, gdzie = ocena, n
        o.poz = gdzie

    def rusz_pomocnika(self, i):
        zywe = self.zywe()
        if not zywe or self.los.random() < 0.5:
            return
        ja = self.pomocnicy[i]
        odl = self.odleglosci(ja)
        cel = min(zywe, key=lambda o: odl.get(o.poz, 999))
        mapa = self.odleglosci(cel.poz)
        opcje = []
        for dy, dx in KIERUNKI:
            n = (ja[0] + dy, ja[1] + dx)
            if self.wolne_pole(*n) and n != self.agent and n not in self.pomocnicy:
                opcje.append((mapa.get(n, 999), n))
        if opcje:
            self.pomocnicy[i] = min(opcje)[1]
            self.zlapane_przez_innych += self.sprawdz_zlapanie(self.pomocnicy[i])

    # ---------- co widzi agent, co dostaje ----------
    def koniec(self):
        return not self.zywe() or self.tura >= MAKS_TUR

    def nagroda(self):
        n = -0.01 + 1.0 * self.ostatnio_zlapal
        zywe = self.zywe()
        if zywe:
            odl = self.odleglosci(self.agent)
            d = min(odl.get(o.poz, 40) for o in zywe)
            if self.poprzednia_odl is not None and not self.ostatnio_zlapal:
                n += 0.05 * (self.poprzednia_odl - d)
            self.poprzednia_odl = d
        return n

    def obserwacja(self, promien=5):
        """okno 11x11 wokół agenta, 4 warstwy, plus kierunek do najbliższej ofiary"""
        bok = 2 * promien + 1
        okno = np.zeros((4, bok, bok), dtype=np.float32)
        ay, ax = self.agent
        for i in range(bok):
            for j in range(bok):
                y, x = ay - promien + i, ax - promien + j
                if not self.wolne_pole(y, x):
                    okno[0, i, j] = 1
                if any(o.poz == (y, x) for o in self.ofiary if o.zyje):
                    okno[1, i, j] = 1
                if (y, x) in self.pomocnicy:
                    okno[2, i, j] = 1
        okno[3] = self.tura / MAKS_TUR
        dodatki = np.zeros(4, dtype=np.float32)
        zywe = self.zywe()
        if zywe:
            o = min(zywe, key=lambda o: abs(o.poz[0] - ay) + abs(o.poz[1] - ax))
            dodatki[:] = [(o.poz[0] - ay) / ROZMIAR, (o.poz[1] - ax) / ROZMIAR, len(zywe) / ILE_OFIAR, 1]
        return np.concatenate([okno.ravel(), dodatki])
