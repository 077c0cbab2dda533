import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

ACTIES = 32 * 32
INVOER = 32 * 4 + 2


class Brein(nn.Module):
    def __init__(self, breed=160):
        super().__init__()
        self.laag1 = nn.Linear(INVOER, breed)
        self.laag2 = nn.Linear(breed, breed)
        self.uit = nn.Linear(breed, ACTIES)

    def forward(self, x):
        x = F.relu(self.laag1(x))
        x = F.relu(self.laag2(x))
        return self.uit(x)


class Geheugen:
    def __init__(self, plaats=12000):
        self.plaats = plaats
        self.kijk = np.zeros((plaats, INVOER), np.float32)
        self.straks = np.zeros((plaats, INVOER), np.float32)
        self.mag = np.zeros((plaats, ACTIES), bool)
        self.actie = np.zeros(plaats, np.int64)
        self.loon = np.zeros(plaats, np.float32)
        self.uit = np.zeros(plaats, np.float32)
        self.n = self.wijzer = 0

    def onthoud(self, kijk, actie, loon, straks, mag, uit):
        w = self.wijzer
        self.kijk[w] = kijk
        self.actie[w] = actie
        self.loon[w] = loon
        self.uit[w] = uit
        if not uit:
            self.straks[w] = straks
            self.mag[w] = mag
        self.wijzer = (w + 1) % self.plaats
        self.n = min(self.n + 1, self.plaats)

    def greep(self, hoeveel):
        i = np.random.randint(0, self.n, hoeveel)
        return [torch.from_numpy(x[i]) for x in
                (self.kijk, self.actie, self.loon, self.straks, self.mag, self.uit)]


class Leerling:
    def __init__(self):
        self.brein = Brein()
        self.doel = Brein()
        self.doel.load_state_dict(self.brein.state_dict())
        self.opt = torch.optim.Adam(self.brein.parameters(), lr=5e-4)
        self.nieuwsgierig = 1.0
        self.lessen = 0

    def kies_actie(self, kijk, masker, nieuwsgierig):
        if random.random() < nieuwsgierig:
            return int(random.choice(np.flatnonzero(masker)))
        with torch.no_grad():
            q = self.brein(torch.from_numpy(kijk)[None])[0].numpy()
        return int(np.where(masker, q, -1e9).argmax())

    def les(self, greep, gamma=0.97):
        kijk, actie, loon, straks, mag, uit = greep
        with torch.no_grad():
            q2 = self.brein(straks).masked_fill(~mag, -1e9)
            keus = q2.argmax(1, keepdim=True)
            doel = loon + gamma * (1 - uit) * self.doel(straks).gather(1, keus)[:, 0]
        q = self.brein(kijk).gather(1, actie[:, None])[:, 0]
        fout = F.smooth_l1_loss(q, doel)
        self.opt.zero_grad()
        fout.backward()
        nn.utils.clip_grad_norm_(self.brein.parameters(), 5.0)
        self.opt.step()
        self.lessen += 1
        if self.lessen % 150 == 0:
            self.doel.load_state_dict(self.brein.state_dict())
        return float(fout.detach())
