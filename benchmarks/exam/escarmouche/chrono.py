import time
from collections import defaultdict
from contextlib import contextmanager

class Chrono:
    """Chronomètre à pile: une seconde n'est comptée que dans la tranche la plus intérieure."""
    def __init__(self):
        self.temps = defaultdict(float)
        self.pile = ["other"]
        self.debut = self.dernier = time.perf_counter()
    def _verser(self):
        t = time.perf_counter()
        self.temps[self.pile[-1]] += t - self.dernier
        self.dernier = t
    @contextmanager
    def __call__(self, nom):
        self._verser()
        self.pile.append(nom)
        yield
        self._verser()
        self.pile.pop()
    def ecoule(self):
        return time.perf_counter() - self.debut
    def bilan(self):
        self._verser()
        return self.dernier - self.debut, dict(self.temps)
