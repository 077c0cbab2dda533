# -*- coding: utf-8 -*-
# Entrena al agente del duelo de cartas.   python train.py
import json
import os
import random
from time import perf_counter
import numpy as np
import torch
from agente import Agente
from duelo import Duel
from cronometro import reloj

SEGUNDOS = float(os.environ.get("WILD_SECONDS", "20"))
CADA_CUANTO_ENTRENAR = 16
CADA_CUANTO_PROBAR = 60

random.seed(7)
np.random.seed(7)
torch.manual_seed(7)
torch.set_num_threads(1)


def probar(agente, duelos=5):
    mesa = Duel()
    ganados = 0
    for _ in range(duelos):
        obs, legales = mesa.empezar()
        fin = False
        while not fin:
            obs, legales, premio, fin = mesa.jugar(agente.elegir(obs, legales, explorar=False))
        ganados += mesa.rival.vida <= 0 < mesa.yo.vida
    return ganados / duelos


def main():
    agente = Agente()
    duelo = Duel()
    pasos = partidas = 0
    historial = []
    perdida = None
    reloj.a_cero()
    inicio = perf_counter()
    while perf_counter() - inicio < SEGUNDOS:
        obs, legales = duelo.empezar()
        fin, suma = False, 0.0
        while not fin:
            accion = agente.elegir(obs, legales)
            obs2, legales2, premio, fin = duelo.jugar(accion)
            agente.recordar(obs, accion, premio, obs2, legales2, fin)
            obs, legales = obs2, legales2
            suma += premio
            pasos += 1
            if pasos % CADA_CUANTO_ENTRENAR == 0:
                p = agente.entrenar()
                perdida = p if p is not None else perdida
        partidas += 1
        historial.append(suma)
        agente.epsilon = max(0.05, agente.epsilon * 0.995)
        if partidas % 25 == 0:
            with reloj("log"):
                media = sum(historial[-25:]) / 25
                print(f"partida {partidas:5d} | pasos {pasos:7d} | premio {media:+.3f} | eps {agente.epsilon:.2f} | perdida {perdida}", flush=True)
                with open("diario.csv", "a") as fh:
                    fh.write(f"{partidas};{pasos};{media:.4f};{agente.epsilon:.3f}\n")
        if partidas % CADA_CUANTO_PROBAR == 0:
            with reloj("eval"):
                g = probar(agente)
            with reloj("log"):
                print(f"   --> prueba: gana {g:.0%}", flush=True)
    total = perf_counter() - inicio

    tramos = dict(reloj.total)
    tramos["other"] = max(0.0, total - sum(tramos.values()))
    ruta = os.environ.get("WILD_TRUTH")
    if ruta:
        with open(ruta, "w") as fh:
            json.dump({"wall_seconds": total, "stages": tramos, "env_steps": pasos,
                       "episodes": partidas, "updates": agente.entrenos}, fh, indent=1)


if __name__ == "__main__":
    main()
