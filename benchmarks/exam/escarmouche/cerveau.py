import copy
import random
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from reglages import *

class Reseau(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(NB_PLANS, 24, 3, padding=1)
        self.conv2 = nn.Conv2d(24, 24, 3, padding=1)
        self.cache = nn.Linear(24 * LARGEUR * HAUTEUR, 96)
        self.sortie = nn.Linear(96, NB_ACTIONS)
    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = F.relu(self.cache(x.flatten(1)))
        return self.sortie(x)

class Cerveau:
    def __init__(self):
        self.reseau = Reseau()
        self.cible = copy.deepcopy(self.reseau)
        self.optimiseur = torch.optim.Adam(self.reseau.parameters(), lr=TAUX)
        self.mises_a_jour = 0
    def choisir(self, etat, masque, epsilon):
        if random.random() < epsilon:
            return int(np.random.choice(np.flatnonzero(masque)))
        with torch.no_grad():
            q = self.reseau(torch.from_numpy(etat).unsqueeze(0))[0].numpy()
        q[~masque] = -1e9
        return int(q.argmax())
    def apprendre(self, etats, actions, recompenses, suivants, finis, masques):
        q = self.reseau(etats).gather(1, actions.unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            meilleures = self.reseau(suivants).masked_fill(~masques, -1e9).argmax(1, keepdim=True)
            futur = self.cible(suivants).gather(1, meilleures).squeeze(1)
            but = recompenses + GAMMA * futur * (1 - finis)
        perte = F.smooth_l1_loss(q, but)
        self.optimiseur.zero_grad()
        perte.backward()
        nn.utils.clip_grad_norm_(self.reseau.parameters(), 5.0)
        self.optimiseur.step()
        self.mises_a_jour += 1
        if self.mises_a_jour % PERIODE_CIBLE == 0:
            self.cible.load_state_dict(self.reseau.state_dict())
        return perte.item()
    def sauver(self, chemin):
        torch.save(self.reseau.state_dict(), chemin)
