# -*- coding: utf-8 -*-
# treino da pelada. uso: python train.py
import json
import os
import random
import time

import numpy as np
import torch

from campo import Pelada, POR_TIME
from escriba import Escriba, Locutor
from tecnico import Album, Tecnico

N_CAMPOS = 6
N_PASSOS = 8
FIGURINHA_CADA = 60
TESTE_CADA = 50
SALVA_CADA = 40


class Parcial:
    """cronometro de voltas: volta('x') poe em x o tempo desde a ultima volta"""

    def __init__(self):
        self.soma = {}
        self.t = time.perf_counter()

    def volta(self, nome):
        agora = time.perf_counter()
        self.soma[nome] = self.soma.get(nome, 0.0) + agora - self.t
        self.t = agora


def teste(tecnico, album, jogos=2):
    """joga sem acaso contra a figurinha mais velha"""
    campo = Pelada(random.random())
    saldo = 0
    for _ in range(jogos):
        campo.comeca()
        fim = False
        while not fim:
            a = tecnico.escolhe(campo.visao(0), eps=0.0)
            b = tecnico.escolhe(campo.visao(1), rede=album.figurinhas[0], eps=0.0)
            _, fim = campo.passo(list(a) + list(b))
        saldo += campo.placar[0] - campo.placar[1]
    return saldo / jogos


def treinar(segundos):
    tecnico, album = Tecnico(), Album()
    album.cola(tecnico.rede)
    escriba = Escriba("pelada.csv")
    locutor = Locutor(escriba)
    escriba.start()
    locutor.start()
    campos = [Pelada(70 + k) for k in range(N_CAMPOS)]
    adversarios = [album.sorteia() for _ in campos]
    jogadas = jogos = vitorias = derrotas = 0
    erro, saldo = 0.0, 0.0

    p = Parcial()
    inicio = p.t
    for c in campos:
        c.comeca()
    p.volta("env.reset")
    obs = np.stack([c.visao(0) for c in campos])
    p.volta("env.observe")
    while time.perf_counter() - inicio < segundos:
        lo, la, lp, lf = [], [], [], []
        for _ in range(N_PASSOS):
            p.volta("other")
            acoes = tecnico.escolhe(obs)
            p.volta("act")
            visoes = [c.visao(1) for c in campos]
            p.volta("env.observe")
            deles = [tecnico.escolhe(v, rede=r, eps=0.05) for v, r in zip(visoes, adversarios)]
            p.volta("env.opponent")
            resultados = [c.passo(list(a) + list(b)) for c, a, b in zip(campos, acoes, deles)]
            p.volta("env.step")
            jogadas += N_CAMPOS
            lo.append(obs)
            la.append(acoes)
            lp.append([r[0] for r in resultados])
            lf.append([r[1] for r in resultados])
            for k, (_, fim) in enumerate(resultados):
                if fim:
                    jogos += 1
                    vitorias += campos[k].placar[0]
                    derrotas += campos[k].placar[1]
                    p.volta("other")
                    campos[k].comeca()
                    p.volta("env.reset")
                    adversarios[k] = album.sorteia()
            p.volta("other")
            obs = np.stack([c.visao(0) for c in campos])
            p.volta("env.observe")
        metas = tecnico.metas(obs, lp, lf)
        p.volta("learn.returns")
        erro = tecnico.treina(lo, la, metas)
        p.volta("learn.*")
        n = tecnico.atualizacoes
        tecnico.eps = max(0.08, tecnico.eps * 0.998)
        if n % 5 == 0:
            p.volta("other")
            escriba.anota(n=n, jogadas=jogadas, jogos=jogos, gols=vitorias, sofridos=derrotas, erro=round(erro, 4),
                          eps=round(tecnico.eps, 3), saldo=saldo, album=len(album.figurinhas))
            p.volta("log")
        if n % FIGURINHA_CADA == 0:
            album.cola(tecnico.rede)
        if n % SALVA_CADA == 0:
            p.volta("other")
            torch.save(tecnico.rede.state_dict(), "pelada.pt")
            p.volta("checkpoint")
        if n % TESTE_CADA == 0:
            p.volta("other")
            saldo = teste(tecnico, album)
            p.volta("eval")
    p.volta("other")
    total = p.t - inicio
    locutor.fecha()
    escriba.fecha()
    return {"wall_seconds": total, "stages": p.soma, "env_steps": jogadas, "episodes": jogos, "updates": tecnico.atualizacoes}


if __name__ == "__main__":
    random.seed(11)
    np.random.seed(11)
    torch.manual_seed(11)
    torch.set_num_threads(1)
    resultado = treinar(float(os.environ.get("WILD_SECONDS", 20)))
    for nome, s in sorted(resultado["stages"].items(), key=lambda x: -x[1]):
        print(f"{nome:15s} {s:7.2f}s {100 * s / resultado['wall_seconds']:5.1f}%")
    if "WILD_TRUTH" in os.environ:
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump(resultado, f)
