# DQN s prioritetnoy pamyatyu
import copy
import random

import numpy as np
import torch
import torch.nn as nn

DEYSTVIY = 5


class Pamyat:
    """derevo summ"""

    def __init__(self, yomkost, razmer):
        self.n = yomkost
        self.derevo = np.zeros(2 * yomkost)
        self.s = np.zeros((yomkost, razmer), np.float32)
        self.s2 = np.zeros((yomkost, razmer), np.float32)
        self.a = np.zeros(yomkost, np.int64)
        self.r = np.zeros(yomkost, np.float32)
        self.k = np.zeros(yomkost, np.float32)
        self.gde = self.vsego = 0
        self.maks = 1.0

    def postavit(self, i, p):
        i += self.n
        raznitsa = p - self.derevo[i]
        while i >= 1:
            self.derevo[i] += raznitsa
            i //= 2

    def zapomnit(self, s, a, r, s2, konets):
        i = self.gde
        self.s[i], self.a[i], self.r[i], self.s2[i], self.k[i] = s, a, r, s2, konets
        self.postavit(i, self.maks)
        self.gde = (i + 1) % self.n
        self.vsego = min(self.n, self.vsego + 1)

    def vybrat(self, skolko):
        nomera = []
        shag = self.derevo[1] / skolko
        for j in range(skolko):
            x = (j + random.random()) * shag
            i = 1
            while i < self.n:
                i *= 2
                if x > self.derevo[i]:
                    x -= self.derevo[i]
                    i += 1
            nomera.append(min(i - self.n, self.vsego - 1))
        nomera = np.array(nomera)
        p = self.derevo[nomera + self.n] / self.derevo[1]
        w = (self.vsego * p + 1e-9) ** -0.4
        w /= w.max()
        t = torch.from_numpy
        return nomera, (t(self.s[nomera]), t(self.a[nomera]), t(self.r[nomera]), t(self.s2[nomera]), t(self.k[nomera]),
                        t(w.astype(np.float32)))

    def popravit(self, nomera, oshibki):
        for i, o in zip(nomera, oshibki):
            p = (abs(float(o)) + 0.01) ** 0.6
            self.maks = max(self.maks, p)
            self.postavit(int(i), p)


class Uchenik:
    def __init__(self, razmer, gamma=0.97):
        self.set = nn.Sequential(nn.Linear(razmer, 96), nn.ReLU(), nn.Linear(96, 64), nn.ReLU(), nn.Linear(64, DEYSTVIY))
        self.tsel = copy.deepcopy(self.set)
        self.opt = torch.optim.Adam(self.set.parameters(), lr=5e-4)
        self.gamma = gamma
        self.eps = 1.0
        self.urokov = 0

    def reshit(self, vid, eps=None):
        if random.random() < (self.eps if eps is None else eps):
            return random.randrange(DEYSTVIY)
        with torch.no_grad():
            return int(self.set(torch.from_numpy(vid)).argmax())

    def urok(self, pachka):
        s, a, r, s2, k, w = pachka
        with torch.no_grad():
            a2 = self.set(s2).argmax(1, keepdim=True)
            y = r + self.gamma * (1 - k) * self.tsel(s2).gather(1, a2)[:, 0]
        q = self.set(s).gather(1, a[:, None])[:, 0]
        oshibka = y - q
        poterya = (w * nn.functional.smooth_l1_loss(q, y, reduction="none")).mean()
        self.opt.zero_grad()
        poterya.backward()
        self.opt.step()
        self.urokov += 1
        if self.urokov % 200 == 0:
            self.tsel.load_state_dict(self.set.state_dict())
        return oshibka.detach().numpy()
