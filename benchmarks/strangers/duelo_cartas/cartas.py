# -*- coding: utf-8 -*-
"""Las cartas del juego. Inventadas por mi hermano y por mi."""
import random


class Carta:
    __slots__ = ("nombre", "coste", "ataque", "vida", "muro", "carga", "grito")

    def __init__(self, nombre, coste, ataque, vida, muro=False, carga=False, grito=None):
        self.nombre = nombre
        self.coste = coste
        self.ataque = ataque
        self.vida = vida
        self.muro = muro        # hay que atacarla primero
        self.carga = carga      # puede atacar el mismo turno
        self.grito = grito      # efecto al entrar: ("dano", n), ("cura", n), ("robar", n), ("fuerza", n)

    def __repr__(self):
        return f"{self.nombre}({self.coste}:{self.ataque}/{self.vida})"


COLECCION = [
    Carta("Rata", 1, 1, 1, carga=True),
    Carta("Escudero", 1, 1, 2),
    Carta("Brujo novato", 1, 1, 1, grito=("dano", 1)),
    Carta("Perro guardian", 2, 2, 2, muro=True),
    Carta("Lancero", 2, 3, 2),
    Carta("Curandera", 2, 1, 3, grito=("cura", 3)),
    Carta("Mensajero", 2, 1, 2, grito=("robar", 1)),
    Carta("Jabali", 3, 3, 1, carga=True),
    Carta("Muro de piedra", 3, 0, 6, muro=True),
    Carta("Capitan", 3, 2, 3, grito=("fuerza", 1)),
    Carta("Ogro", 4, 5, 4),
    Carta("Bibliotecaria", 4, 2, 4, grito=("robar", 2)),
    Carta("Piromante", 4, 3, 3, grito=("dano", 3)),
    Carta("Golem", 5, 4, 7, muro=True),
    Carta("Caballeria", 5, 5, 3, carga=True),
    Carta("Dragon", 6, 7, 6, grito=("dano", 2)),
]


def mazo_nuevo(n=24):
    mazo = [random.choice(COLECCION) for _ in range(n)]
    random.shuffle(mazo)
    return mazo
