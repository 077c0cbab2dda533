import copy

import numpy as np
import torch
from torch import nn


def tsunagu(iri, de):
    return nn.Sequential(nn.Linear(iri, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, de))


class Atama:
    def __init__(self, kansatsu, ugoki):
        self.te = tsunagu(kansatsu, 2 * ugoki)
        self.mekiki = [tsunagu(kansatsu + ugoki, 1) for _ in range(2)]
        self.mato = copy.deepcopy(self.mekiki)
        self.log_ondo = torch.zeros(1, requires_grad=True)
        self.te_naoshi = torch.optim.Adam(self.te.parameters(), 5e-4)
        self.mekiki_naoshi = [torch.optim.Adam(m.parameters(), 5e-4) for m in self.mekiki]
        self.ondo_naoshi = torch.optim.Adam([self.log_ondo], 5e-4)
        self.nozomi = -float(ugoki)
        self.manabi = self.kousin = 0

    def furu(self, k):
        naka, haba = self.te(k).chunk(2, -1)
        haba = haba.clamp(-5, 2)
        bure = torch.randn_like(naka)
        u = naka + haba.exp() * bure
        a = torch.tanh(u)
        tashika = (-.5 * bure ** 2 - haba - .919 - torch.log(1 - a ** 2 + 1e-6)).sum(-1)
        return a, tashika

    @torch.no_grad()
    def erabu(self, kansatsu, mayowazu=False):
        k = torch.from_numpy(kansatsu)
        if mayowazu:
            return torch.tanh(self.te(k).chunk(2, -1)[0]).numpy()
        return self.furu(k)[0].numpy()

    def manabu(self, k, u, h, tsugi, owari):
        ondo = self.log_ondo.exp().detach()
        with torch.no_grad():
            u2, tashika2 = self.furu(tsugi)
            iri2 = torch.cat([tsugi, u2], 1)
            y = h + .98 * (1 - owari) * (torch.min(*(m(iri2)[:, 0] for m in self.mato)) - ondo * tashika2)
        iri = torch.cat([k, u], 1)
        for m, naoshi in zip(self.mekiki, self.mekiki_naoshi):
            son = ((m(iri)[:, 0] - y) ** 2).mean()
            naoshi.zero_grad()
            son.backward()
            naoshi.step()
        u1, tashika = self.furu(k)
        iri1 = torch.cat([k, u1], 1)
        te_son = (ondo * tashika - torch.min(*(m(iri1)[:, 0] for m in self.mekiki))).mean()
        self.te_naoshi.zero_grad()
        te_son.backward()
        self.te_naoshi.step()
        ondo_son = -(self.log_ondo * (tashika.detach() + self.nozomi)).mean()
        self.ondo_naoshi.zero_grad()
        ondo_son.backward()
        self.ondo_naoshi.step()
        with torch.no_grad():
            for m, t in zip(self.mekiki, self.mato):
                for a, b in zip(m.parameters(), t.parameters()):
                    b.mul_(.995).add_(a, alpha=.005)
        self.manabi += 1
        self.kousin += 4
        return son.item()


class Omoide:
    def __init__(self, oosa, kansatsu, ugoki):
        self.k, self.tsugi = np.zeros((oosa, kansatsu), np.float32), np.zeros((oosa, kansatsu), np.float32)
        self.u, self.h, self.owari = np.zeros((oosa, ugoki), np.float32), np.zeros(oosa, np.float32), np.zeros(oosa, np.float32)
        self.oosa, self.kazu = oosa, 0

    def oboeru(self, k, u, h, tsugi, owari):
        i = self.kazu % self.oosa
        self.k[i], self.u[i], self.h[i], self.tsugi[i], self.owari[i] = k, u, h, tsugi, owari
        self.kazu += 1

    def omoidasu(self, n):
        i = np.random.randint(0, min(self.kazu, self.oosa), n)
        return [torch.from_numpy(x[i]) for x in (self.k, self.u, self.h, self.tsugi, self.owari)]
