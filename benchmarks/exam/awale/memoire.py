import random
import numpy as np


class ArbreSommes:
    """Arbre binaire de sommes, à la main, en liste Python."""

    def __init__(self, capacite):
        self.cap = 1
        while self.cap < capacite:
            self.cap *= 2
        self.noeuds = [0.0] * (2 * self.cap)

    def poser(self, i, valeur):
        i += self.cap
        ecart = valeur - self.noeuds[i]
        while i >= 1:
            self.noeuds[i] += ecart
            i //= 2

    def total(self):
        return self.noeuds[1]

    def feuille(self, i):
        return self.noeuds[i + self.cap]

    def trouver(self, s):
        i = 1
        while i < self.cap:
            g = 2 * i
            if s <= self.noeuds[g]:
                i = g
            else:
                s -= self.noeuds[g]
                i = g + 1
        return i - self.cap


class Memoire:
    def __init__(self, capacite=30000, alpha=0.6):
        self.capacite = capacite
        self.alpha = alpha
        self.arbre = ArbreSommes(capacite)
        self.souvenirs = [None] * capacite
        self.pos = 0
        self.nb = 0
        self.maxPrio = 1.0

    def ranger(self, souvenir):
        self.souvenirs[self.pos] = souvenir
        self.arbre.poser(self.pos, self.maxPrio ** self.alpha)
        self.pos = (self.pos + 1) % self.capacite
        self.nb = min(self.nb + 1, self.capacite)

    def tirer(self, n, beta):
        tranche = self.arbre.total() / n
        indices, poids = [], []
        for k in range(n):
            s = random.uniform(k * tranche, (k + 1) * tranche)
            i = min(self.arbre.trouver(s), self.nb - 1)
            indices.append(i)
            proba = max(self.arbre.feuille(i), 1e-8) / self.arbre.total()
            poids.append((self.nb * proba) ** -beta)
        poids = np.array(poids, dtype=np.float32)
        poids /= poids.max()
        lot = [self.souvenirs[i] for i in indices]
        etats = np.stack([s[0] for s in lot])
        coups = np.array([s[1] for s in lot])
        gains = np.array([s[2] for s in lot], dtype=np.float32)
        suites = np.stack([s[3] for s in lot])
        masques = np.stack([s[4] for s in lot])
        facteurs = np.array([s[5] for s in lot], dtype=np.float32)
        return indices, poids, (etats, coups, gains, suites, masques, facteurs)

    def corriger(self, indices, erreurs):
        for i, e in zip(indices, erreurs):
            prio = abs(float(e)) + 1e-3
            self.maxPrio = max(self.maxPrio, prio)
            self.arbre.poser(i, prio ** self.alpha)
