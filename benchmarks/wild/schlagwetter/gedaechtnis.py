import random

import numpy as np
import torch


class Gedaechtnis:
    """Speicher mit Vorrang (Summenbaum)"""

    def __init__(self, platz, breite):
        self.platz, self.n, self.zeiger, self.gipfel = platz, 0, 0, 1.0
        self.baum = [0.0] * (2 * platz)
        self.o, self.o2 = (np.zeros((platz, breite), np.float32) for _ in range(2))
        self.a = np.zeros(platz, np.int64)
        self.r, self.e = (np.zeros(platz, np.float32) for _ in range(2))

    def merken(self, o, a, r, o2, e):
        i = self.zeiger
        self.o[i], self.a[i], self.r[i], self.o2[i], self.e[i] = o, a, r, o2, e
        self.setzen(i, self.gipfel)
        self.zeiger = (i + 1) % self.platz
        self.n = min(self.n + 1, self.platz)

    def setzen(self, i, wert):
        k = i + self.platz
        unterschied = wert - self.baum[k]
        while k:
            self.baum[k] += unterschied
            k //= 2

    def ziehen(self, anzahl):
        stueck = self.baum[1] / anzahl
        wo = []
        for j in range(anzahl):
            x = (j + random.random()) * stueck
            k = 1
            while k < self.platz:
                k *= 2
                if x > self.baum[k] and self.baum[k + 1] > 0:
                    x -= self.baum[k]
                    k += 1
            wo.append(min(k - self.platz, self.n - 1))
        p = np.array([self.baum[i + self.platz] for i in wo]) / self.baum[1]
        gewicht = (self.n * np.maximum(p, 1e-9)) ** -.5
        return wo, torch.tensor(gewicht / gewicht.max(), dtype=torch.float32), *(torch.from_numpy(f[wo]) for f in (self.o, self.a, self.r, self.o2, self.e))

    def neu_gewichten(self, wo, fehler):
        for i, f in zip(wo, fehler):
            w = (abs(f) + .01) ** .6
            self.gipfel = max(self.gipfel, w)
            self.setzen(i, w)
