# -*- coding: utf-8 -*-
"""O tecnico: rede Q, album de figurinhas (copias congeladas), aprendizado de n passos."""
import copy
import random
import numpy as np
import torch
import torch.nn as nn
from campo import TAM_OBS, N_ACOES


def nova_rede():
    return nn.Sequential(nn.Linear(TAM_OBS, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, N_ACOES))


class Album:
    """copias antigas da rede, para serem o adversario"""

    def __init__(self, maximo=8):
        self.maximo = maximo
        self.figurinhas = []

    def cola(self, rede):
        c = copy.deepcopy(rede)
        for p in c.parameters():
            p.requires_grad_(False)
        self.figurinhas.append(c)
        if len(self.figurinhas) > self.maximo:
            del self.figurinhas[random.randrange(len(self.figurinhas) - 1)]

    def sorteia(self):
        return random.choice(self.figurinhas)


class Tecnico:
    def __init__(self, gamma=0.98, lr=7e-4):
        self.gamma = gamma
        self.rede = nova_rede()
        self.alvo = copy.deepcopy(self.rede)
        self.opt = torch.optim.Adam(self.rede.parameters(), lr=lr)
        self.eps = 0.6
        self.atualizacoes = 0

    def escolhe(self, obs, rede=None, eps=None):
        """obs (..., TAM_OBS) -> acoes (...)"""
        rede = rede or self.rede
        eps = self.eps if eps is None else eps
        with torch.no_grad():
            a = rede(torch.from_numpy(obs)).argmax(-1).numpy()
        acaso = np.random.rand(*a.shape) < eps
        return np.where(acaso, np.random.randint(N_ACOES, size=a.shape), a)

    def metas(self, ultima_obs, premios, fins):
        """retornos de n passos. premios, fins: (n, campos) -> (n, campos, bonecos)"""
        with torch.no_grad():
            melhor = self.rede(torch.from_numpy(ultima_obs)).argmax(-1, keepdim=True)
            r = self.alvo(torch.from_numpy(ultima_obs)).gather(-1, melhor).squeeze(-1).numpy()
        saida = []
        for p, f in zip(reversed(premios), reversed(fins)):
            r = np.array(p, dtype=np.float32)[:, None] + self.gamma * (1 - np.array(f, dtype=np.float32)[:, None]) * r
            saida.append(r)
        return np.stack(saida[::-1])

    def treina(self, obs, acoes, metas):
        x = torch.from_numpy(np.stack(obs)).flatten(0, 2)
        a = torch.from_numpy(np.stack(acoes)).flatten()
        y = torch.from_numpy(metas).flatten()
        q = self.rede(x).gather(1, a[:, None]).squeeze(1)
        erro = nn.functional.huber_loss(q, y)
        self.opt.zero_grad(set_to_none=True)
        erro.backward()
        nn.utils.clip_grad_norm_(self.rede.parameters(), 2.0)
        self.opt.step()
        self.atualizacoes += 1
        if self.atualizacoes % 100 == 0:
            self.alvo.load_state_dict(self.rede.state_dict())
        return erro.item()
