# -*- coding: utf-8 -*-
import random
import numpy as np
from cartas import Carta, mazo_nuevo, COLECCION
from cronometro import reloj

MANO_MAX = 6
MESA_MAX = 5
VIDA_INICIAL = 20
MANA_MAX = 8
# acciones: 0..5 jugar carta, 6..35 atacar (criatura*6 + objetivo; objetivo 5 = heroe), 36 pasar
N_ACCIONES = MANO_MAX + MESA_MAX * (MESA_MAX + 1) + 1
PASAR = N_ACCIONES - 1
LARGO_OBS = 6 + MANO_MAX * 6 + 2 * MESA_MAX * 5


class Criatura:
    def __init__(self, carta: Carta):
        self.carta = carta
        self.ataque = carta.ataque
        self.vida = carta.vida
        self.lista = carta.carga
        self.muro = carta.muro


class Jugador:
    def __init__(self):
        self.vida = VIDA_INICIAL
        self.mazo = mazo_nuevo()
        self.mano = []
        self.mesa = []
        self.mana = 0
        self.mana_tope = 0
        self.fatiga = 0

    def robar(self, n=1):
        for _ in range(n):
            if not self.mazo:
                self.fatiga += 1
                self.vida -= self.fatiga
                continue
            c = self.mazo.pop()
            if len(self.mano) < MANO_MAX:
                self.mano.append(c)

    def empezar_turno(self):
        self.mana_tope = min(MANA_MAX, self.mana_tope + 1)
        self.mana = self.mana_tope
        for b in self.mesa:
            b.lista = True
        self.robar()


class Duel:
    """Un duelo yo contra el rival (el rival juega con reglas fijas)."""

    def __init__(self):
        self.yo = None
        self.rival = None
        self.turnos = 0

    # ------------------------------------------------------------------
    def empezar(self):
        with reloj("env.reset"):
            self.yo = Jugador()
            self.rival = Jugador()
            self.turnos = 0
            self.yo.robar(3)
            self.rival.robar(4)
            self.yo.empezar_turno()
        return self.mirar(), self.legales()

    # ------------------------------------------------------------------
    def jugar(self, accion):
        """Devuelve (observacion, legales, premio, fin)"""
        with reloj("env.step"):
            vida_antes = self.yo.vida - self.rival.vida
            fuerza_antes = self._fuerza(self.yo) - self._fuerza(self.rival)
            if accion == PASAR:
                with reloj("env.opponent"):
                    self.turno_rival()
                self.turnos += 1
                if not self.terminado():
                    self.yo.empezar_turno()
            elif accion < MANO_MAX:
                self.bajar_carta(self.yo, self.rival, accion)
            else:
                k = accion - MANO_MAX
                self.atacar(self.yo, self.rival, k // (MESA_MAX + 1), k % (MESA_MAX + 1))
            fin = self.terminado()
            premio = 0.02 * (self.yo.vida - self.rival.vida - vida_antes)
            premio += 0.01 * (self._fuerza(self.yo) - self._fuerza(self.rival) - fuerza_antes)
            if fin:
                if self.rival.vida <= 0 and self.yo.vida > 0:
                    premio += 1.0
                elif self.yo.vida <= 0:
                    premio -= 1.0
        return self.mirar(), self.legales(), premio, fin

    def terminado(self):
        return self.yo.vida <= 0 or self.rival.vida <= 0 or self.turnos >= 40

    @staticmethod
    def _fuerza(j):
        return sum(b.ataque + b.vida for b in j.mesa)

    # ------------------------------------------------------------------
    def bajar_carta(self, quien, otro, i):
        c = quien.mano.pop(i)
        quien.mana -= c.coste
        quien.mesa.append(Criatura(c))
        if c.grito is not None:
            self.grito(quien, otro, *c.grito)

    def grito(self, quien, otro, tipo, n):
        if tipo == "dano":
            if otro.mesa:
                blanco = min(otro.mesa, key=lambda b: (abs(b.vida - n), -b.ataque))
                blanco.vida -= n
                self.limpiar(otro)
            else:
                otro.vida -= n
        elif tipo == "cura":
            quien.vida = min(VIDA_INICIAL, quien.vida + n)
        elif tipo == "robar":
            quien.robar(n)
        elif tipo == "fuerza":
            for b in quien.mesa[:-1]:
                b.ataque += n

    def atacar(self, quien, otro, i, j):
        a = quien.mesa[i]
        a.lista = False
        if j == MESA_MAX:
            otro.vida -= a.ataque
            return
        d = otro.mesa[j]
        d.vida -= a.ataque
        a.vida -= d.ataque
        self.limpiar(quien)
        self.limpiar(otro)

    def limpiar(self, j):
        j.mesa = [b for b in j.mesa if b.vida > 0]

    def objetivos(self, otro):
        muros = [k for k, b in enumerate(otro.mesa) if b.muro]
        if muros:
            return muros
        return list(range(len(otro.mesa))) + [MESA_MAX]

    # ------------------------------------------------------------------
    def turno_rival(self):
        """El rival: prueba combinaciones de cartas para gastar el mana y despues pega con cabeza."""
        r, y = self.rival, self.yo
        r.empezar_turno()
        if r.vida <= 0:
            return
        # 1. que cartas bajar: la combinacion que mas mana gasta (fuerza bruta, la mano es chica)
        mejor, mejor_valor = [], -1.0
        n = len(r.mano)
        hueco = MESA_MAX - len(r.mesa)
        for bits in range(1 << n):
            ids = [k for k in range(n) if bits >> k & 1]
            if len(ids) > hueco:
                continue
            coste = 0
            valor = 0.0
            for k in ids:
                c = r.mano[k]
                coste += c.coste
                valor += c.ataque + 0.7 * c.vida + (0.8 if c.grito else 0.0)
            if coste <= r.mana and valor > mejor_valor:
                mejor, mejor_valor = ids, valor
        for k in sorted(mejor, reverse=True):
            self.bajar_carta(r, y, k)
            if y.vida <= 0:
                return
        # 2. ataques: mira unos cuantos planes enteros y ejecuta el mejor
        yo_mesa = tuple((b.ataque, b.vida, b.muro) for b in y.mesa)
        su_mesa = tuple((b.ataque, b.vida, b.lista and b.ataque > 0) for b in r.mesa)
        self._nodos = 0
        _, plan = self.mejor_plan(su_mesa, yo_mesa, y.vida, r.vida)
        for i, j in plan:
            a = r.mesa[i]
            if j == MESA_MAX:
                y.vida -= a.ataque
            else:
                d = y.mesa[j]
                d.vida -= a.ataque
                a.vida -= d.ataque
            a.lista = False
        self.limpiar(r)
        self.limpiar(y)

    def nota_mesa(self, suyas, mias, mi_vida, su_vida):
        if mi_vida <= 0:
            return 1000.0
        n = 0.5 * (su_vida - mi_vida) + random.random() * 0.1
        pega = 0
        for at, vi, _ in suyas:
            if vi > 0:
                n += 1.2 * at + vi
        for at, vi, mu in mias:
            if vi > 0:
                n -= 1.3 * at + vi + (0.5 if mu else 0.0)
                pega += at
        if pega >= su_vida:
            n -= 8.0
        return n

    def mejor_plan(self, suyas, mias, mi_vida, su_vida):
        """Busca en profundidad; los indices no cambian porque los muertos se quedan con vida <= 0."""
        self._nodos += 1
        mejor, plan = self.nota_mesa(suyas, mias, mi_vida, su_vida), []
        if mi_vida <= 0 or self._nodos > 250:
            return mejor, plan
        vivos = [k for k, b in enumerate(mias) if b[1] > 0]
        muros = [k for k in vivos if mias[k][2]]
        blancos = muros if muros else [MESA_MAX] + vivos
        for i, (at, vi, lista) in enumerate(suyas):
            if not lista or vi <= 0:
                continue
            for j in blancos:
                if j == MESA_MAX:
                    s2 = suyas[:i] + ((at, vi, False),) + suyas[i + 1:]
                    n, p = self.mejor_plan(s2, mias, mi_vida - at, su_vida)
                else:
                    dat, dvi, dmu = mias[j]
                    s2 = suyas[:i] + ((at, vi - dat, False),) + suyas[i + 1:]
                    m2 = mias[:j] + ((dat, dvi - at, dmu),) + mias[j + 1:]
                    n, p = self.mejor_plan(s2, m2, mi_vida, su_vida)
                if n > mejor:
                    mejor, plan = n, [(i, j)] + p
                if self._nodos > 250:
                    return mejor, plan
        return mejor, plan

    # ------------------------------------------------------------------
    def mirar(self):
        with reloj("env.observe"):
            y, r = self.yo, self.rival
            v = [y.vida / 20, r.vida / 20, y.mana / 8, y.mana_tope / 8, len(r.mano) / 6, len(y.mazo) / 24]
            for k in range(MANO_MAX):
                if k < len(y.mano):
                    c = y.mano[k]
                    v += [1.0, c.coste / 6, c.ataque / 6, c.vida / 6, float(c.muro), float(c.grito is not None)]
                else:
                    v += [0.0] * 6
            for j in (y, r):
                for k in range(MESA_MAX):
                    if k < len(j.mesa):
                        b = j.mesa[k]
                        v += [1.0, b.ataque / 6, b.vida / 6, float(b.muro), float(b.lista)]
                    else:
                        v += [0.0] * 5
            return np.array(v, dtype=np.float32)

    def legales(self):
        with reloj("env.mask"):
            m = np.zeros(N_ACCIONES, dtype=bool)
            y = self.yo
            if len(y.mesa) < MESA_MAX:
                for k, c in enumerate(y.mano):
                    if c.coste <= y.mana:
                        m[k] = True
            objetivos = None
            for k, b in enumerate(y.mesa):
                if b.lista and b.ataque > 0:
                    if objetivos is None:
                        objetivos = self.objetivos(self.rival)
                    for j in objetivos:
                        m[MANO_MAX + k * (MESA_MAX + 1) + j] = True
            m[PASAR] = True
            return m
