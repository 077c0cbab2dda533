import copy
import random

import numpy as np
import torch
from torch import nn

from regard import TAILLE


class Reseau(nn.Module):
    def __init__(self, h=128):
        super().__init__()
        self.tronc = nn.Sequential(nn.Linear(TAILLE, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU())
        self.valeur = nn.Linear(h, 1)
        self.avantage = nn.Linear(h, 6)

    def forward(self, x):
        t = self.tronc(x)
        a = self.avantage(t)
        return self.valeur(t) + a - a.mean(dim=1, keepdim=True)


class Cerveau:
    def __init__(self, lr=5e-4):
        self.net = Reseau()
        self.cible = copy.deepcopy(self.net)
        self.optim = torch.optim.Adam(self.net.parameters(), lr=lr)
        self.nbMaj = 0

    def choisir(self, etat, masque, eps):
        if random.random() < eps:
            return int(random.choice(np.flatnonzero(masque)))
        return meilleurCoup(self.net, etat, masque)

    def apprendre(self, poids, lot):
        etats, coups, gains, suites, masques, facteurs = [torch.from_numpy(a) for a in lot]
        with torch.no_grad():
            q2 = self.net(suites).masked_fill(~masques, -1e9)
            a2 = q2.argmax(1, keepdim=True)
            v2 = self.cible(suites).gather(1, a2).squeeze(1)
            but = gains + facteurs * v2        # facteur 0 si la partie est finie
        q = self.net(etats).gather(1, coups.view(-1, 1)).squeeze(1)
        err = but - q
        perte = (torch.from_numpy(poids) * nn.functional.smooth_l1_loss(q, but, reduction="none")).mean()
        self.optim.zero_grad()
        perte.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        self.optim.step()
        self.nbMaj += 1
        if self.nbMaj % 250 == 0:
            self.cible.load_state_dict(self.net.state_dict())
        return perte.item(), err.detach().numpy()


def meilleurCoup(net, etat, masque):
    with torch.no_grad():
        q = net(torch.from_numpy(etat).unsqueeze(0))[0].numpy()
    return int(np.where(masque, q, -np.inf).argmax())
