"""Zwei kleine Netze (Akteur und Kritiker) von Hand in numpy, mit Adam."""
import numpy as np


class Netz:
    def __init__(self, ein, versteckt, aus, lernrate, samen=0):
        z = np.random.default_rng(samen)
        self.g = {"W1": z.normal(0, 1 / np.sqrt(ein), (ein, versteckt)), "b1": np.zeros(versteckt),
                  "W2": z.normal(0, 1 / np.sqrt(versteckt), (versteckt, versteckt)), "b2": np.zeros(versteckt),
                  "W3": z.normal(0, 0.05, (versteckt, aus)), "b3": np.zeros(aus)}
        self.m = {k: np.zeros_like(v) for k, v in self.g.items()}
        self.v = {k: np.zeros_like(v) for k, v in self.g.items()}
        self.lernrate, self.t = lernrate, 0

    def vorwaerts(self, x):
        self.x = x
        self.h1 = np.tanh(x @ self.g["W1"] + self.g["b1"])
        self.h2 = np.tanh(self.h1 @ self.g["W2"] + self.g["b2"])
        return self.h2 @ self.g["W3"] + self.g["b3"]

    def rueckwaerts(self, daus):
        ab = {"W3": self.h2.T @ daus, "b3": daus.sum(0)}
        d2 = (daus @ self.g["W3"].T) * (1 - self.h2 ** 2)
        ab["W2"], ab["b2"] = self.h1.T @ d2, d2.sum(0)
        d1 = (d2 @ self.g["W2"].T) * (1 - self.h1 ** 2)
        ab["W1"], ab["b1"] = self.x.T @ d1, d1.sum(0)
        norm = np.sqrt(sum((a ** 2).sum() for a in ab.values()))
        faktor = min(1.0, 0.5 / (norm + 1e-8))
        self.t += 1
        for k in self.g:
            a = ab[k] * faktor
            self.m[k] = 0.9 * self.m[k] + 0.1 * a
            self.v[k] = 0.999 * self.v[k] + 0.001 * a * a
            mh, vh = self.m[k] / (1 - 0.9 ** self.t), self.v[k] / (1 - 0.999 ** self.t)
            self.g[k] -= self.lernrate * mh / (np.sqrt(vh) + 1e-8)


def weichmax(logits, maske):
    logits = np.where(maske, logits, -1e9)
    e = np.exp(logits - logits.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
