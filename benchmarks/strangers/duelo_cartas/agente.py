# -*- coding: utf-8 -*-
import random
from collections import deque
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from duelo import N_ACCIONES, LARGO_OBS
from cronometro import reloj


class Cerebro(nn.Module):
    def __init__(self, oculto=96):
        super().__init__()
        self.capas = nn.Sequential(
            nn.Linear(LARGO_OBS, oculto), nn.ReLU(),
            nn.Linear(oculto, oculto), nn.ReLU(),
        )
        self.valor = nn.Linear(oculto, 1)
        self.ventaja = nn.Linear(oculto, N_ACCIONES)

    def forward(self, x):
        h = self.capas(x)
        a = self.ventaja(h)
        return self.valor(h) + a - a.mean(1, keepdim=True)


class Agente:
    def __init__(self, gamma=0.98, lr=5e-4, tam_memoria=30000, lote=64):
        self.gamma = gamma
        self.lote = lote
        self.red = Cerebro()
        self.red_fija = Cerebro()
        self.red_fija.load_state_dict(self.red.state_dict())
        self.opt = torch.optim.Adam(self.red.parameters(), lr=lr)
        self.memoria = deque(maxlen=tam_memoria)
        self.epsilon = 1.0
        self.entrenos = 0

    def elegir(self, obs, legales, explorar=True):
        with reloj("act"):
            if explorar and random.random() < self.epsilon:
                return int(np.random.choice(np.flatnonzero(legales)))
            with torch.no_grad():
                q = self.red(torch.from_numpy(obs).unsqueeze(0))[0].numpy()
            return int(np.where(legales, q, -1e9).argmax())

    def recordar(self, *cosa):
        with reloj("replay.add"):
            self.memoria.append(cosa)

    def sacar_lote(self):
        with reloj("replay.sample"):
            muestra = random.sample(self.memoria, self.lote)
            o, a, p, o2, l2, f = zip(*muestra)
            return (torch.from_numpy(np.stack(o)), torch.tensor(a), torch.tensor(p, dtype=torch.float32),
                    torch.from_numpy(np.stack(o2)), torch.from_numpy(np.stack(l2)),
                    torch.tensor(f, dtype=torch.float32))

    def entrenar(self):
        if len(self.memoria) < 500:
            return None
        o, a, p, o2, l2, f = self.sacar_lote()
        with reloj("learn.*"):
            with torch.no_grad():
                q_sig = self.red(o2).masked_fill(~l2, -1e9)
                mejor = q_sig.argmax(1, keepdim=True)
                meta = p + self.gamma * (1 - f) * self.red_fija(o2).gather(1, mejor).squeeze(1)
            q = self.red(o).gather(1, a.unsqueeze(1)).squeeze(1)
            perdida = F.smooth_l1_loss(q, meta)
            self.opt.zero_grad()
            perdida.backward()
            nn.utils.clip_grad_norm_(self.red.parameters(), 5.0)
            self.opt.step()
            self.entrenos += 1
            if self.entrenos % 250 == 0:
                self.red_fija.load_state_dict(self.red.state_dict())
        return perdida.item()
