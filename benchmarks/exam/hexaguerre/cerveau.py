# cerveau.py -- DQN (double, duel) + mémoire à priorités (arbre de sommes fait maison)
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from plateau import HAUT, LARG


class Reseau(nn.Module):
    def __init__(self, plans, nvec, nact):
        super().__init__()
        self.c1 = nn.Conv2d(plans, 16, 3, stride=2, padding=1)
        self.c2 = nn.Conv2d(16, 32, 3, padding=1)
        h, l = (HAUT + 1) // 2, (LARG + 1) // 2
        self.tronc = nn.Linear(32 * h * l + nvec, 128)
        self.valeur = nn.Linear(128, 1)
        self.avantage = nn.Linear(128, nact)

    def forward(self, p, v):
        x = F.relu(self.c1(p))
        x = F.relu(self.c2(x))
        x = F.relu(self.tronc(torch.cat([x.flatten(1), v], 1)))
        a = self.avantage(x)
        return self.valeur(x) + a - a.mean(1, keepdim=True)


class Memoire:
    def __init__(self, taille, plans, nvec, nact, alpha=0.6):
        self.taille = taille
        self.alpha = alpha
        self.p = np.zeros((taille, plans, HAUT, LARG), dtype=np.float16)
        self.v = np.zeros((taille, nvec), dtype=np.float32)
        self.p2 = np.zeros_like(self.p)
        self.v2 = np.zeros_like(self.v)
        self.m2 = np.zeros((taille, nact), dtype=bool)
        self.a = np.zeros(taille, dtype=np.int64)
        self.r = np.zeros(taille, dtype=np.float32)
        self.g = np.zeros(taille, dtype=np.float32)     # gamma^n, 0 si fini
        self.feuilles = 1
        while self.feuilles < taille:
            self.feuilles *= 2
        self.arbre = np.zeros(2 * self.feuilles)
        self.pos = 0
        self.n = 0
        self.pmax = 1.0

    def _poser(self, i, prio):
        k = i + self.feuilles
        d = prio - self.arbre[k]
        while k >= 1:
            self.arbre[k] += d
            k //= 2

    def ranger(self, obs, a, r, obs2, m2, g):
        i = self.pos
        self.p[i], self.v[i] = obs
        self.p2[i], self.v2[i] = obs2
        self.m2[i] = m2
        self.a[i], self.r[i], self.g[i] = a, r, g
        self._poser(i, self.pmax ** self.alpha)
        self.pos = (i + 1) % self.taille
        self.n = min(self.n + 1, self.taille)

    def piocher(self, lot, beta):
        idx, pr = [], []
        total = self.arbre[1]
        for b in range(lot):
            x = (b + random.random()) * total / lot
            k = 1
            while k < self.feuilles:
                k *= 2
                if x > self.arbre[k]:
                    x -= self.arbre[k]
                    k += 1
            idx.append(min(k - self.feuilles, self.n - 1))
            pr.append(max(self.arbre[k], 1e-8) / total)
        idx = np.array(idx)
        w = (self.n * np.array(pr)) ** (-beta)
        w = (w / w.max()).astype(np.float32)
        T = torch.from_numpy
        lot_t = (T(self.p[idx].astype(np.float32)), T(self.v[idx]), T(self.a[idx]), T(self.r[idx]),
                 T(self.p2[idx].astype(np.float32)), T(self.v2[idx]), T(self.m2[idx]), T(self.g[idx]), T(w))
        return idx, lot_t

    def corriger(self, idx, erreurs):
        for i, e in zip(idx, erreurs):
            e = min(float(e) + 1e-3, 10.0)
            self._poser(int(i), e ** self.alpha)
        # le vrai maximum du moment, sinon une vieille erreur énorme reste pour toujours
        self.pmax = max(0.05, self.arbre[self.feuilles:self.feuilles + self.n].max() ** (1 / self.alpha))


class Cerveau:
    def __init__(self, plans, nvec, nact, lr=8e-4):
        self.net = Reseau(plans, nvec, nact)
        self.cible = Reseau(plans, nvec, nact)
        self.cible.load_state_dict(self.net.state_dict())
        self.opt = torch.optim.Adam(self.net.parameters(), lr=lr)
        self.majs = 0

    def choisir(self, obs, masque, eps):
        if random.random() < eps:
            return int(random.choice(np.flatnonzero(masque)))
        with torch.no_grad():
            q = self.net(torch.from_numpy(obs[0])[None], torch.from_numpy(obs[1])[None])[0].numpy()
        return int(np.where(masque, q, -1e9).argmax())

    def apprendre(self, lot):
        p, v, a, r, p2, v2, m2, g, w = lot
        with torch.no_grad():
            q2 = self.net(p2, v2).masked_fill(~m2, -1e9)
            a2 = q2.argmax(1, keepdim=True)
            but = r + g * self.cible(p2, v2).gather(1, a2).squeeze(1)
        q = self.net(p, v).gather(1, a[:, None]).squeeze(1)
        err = but - q
        perte = (w * F.smooth_l1_loss(q, but, reduction="none")).mean()
        self.opt.zero_grad()
        perte.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 10.0)
        self.opt.step()
        self.majs += 1
        if self.majs % 60 == 0:
            self.cible.load_state_dict(self.net.state_dict())
        return err.detach().abs().numpy(), float(perte.detach())
