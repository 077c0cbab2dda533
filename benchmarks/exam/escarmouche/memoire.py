import random
from collections import deque, namedtuple
import numpy as np
import torch

Souvenir = namedtuple("Souvenir", "etat action recompense suivant fini masque")

class Memoire:
    def __init__(self, taille):
        self.souvenirs = deque(maxlen=taille)
    def ajouter(self, *morceaux):
        # copie, sinon gare aux surprises
        etat, action, recompense, suivant, fini, masque = morceaux
        self.souvenirs.append(Souvenir(etat.copy(), action, recompense, suivant.copy(), fini, masque.copy()))
    def piocher(self, n):
        lot = random.sample(self.souvenirs, n)
        etats = torch.tensor(np.array([s.etat for s in lot]))
        actions = torch.tensor([s.action for s in lot])
        recompenses = torch.tensor([s.recompense for s in lot], dtype=torch.float32)
        suivants = torch.tensor(np.array([s.suivant for s in lot]))
        finis = torch.tensor([s.fini for s in lot], dtype=torch.float32)
        masques = torch.tensor(np.array([s.masque for s in lot]))
        return etats, actions, recompenses, suivants, finis, masques
    def __len__(self):
        return len(self.souvenirs)
