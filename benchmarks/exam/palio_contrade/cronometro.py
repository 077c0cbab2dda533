import time
from collections import defaultdict
from contextlib import contextmanager

class Cronometro:
    """cronometro a pila: il tempo va sempre alla voce piu' interna"""

    def __init__(self):
        self.tempi = defaultdict(float)
        self.pila = []
        self.ultimo = None

    def via(self):
        self.tempi.clear()
        self.pila = ["other"]
        self.inizio = self.ultimo = time.perf_counter()

    def trascorso(self):
        return time.perf_counter() - self.inizio

    def _taglia(self):
        adesso = time.perf_counter()
        self.tempi[self.pila[-1]] += adesso - self.ultimo
        self.ultimo = adesso

    @contextmanager
    def __call__(self, voce):
        if not self.pila or "eval" in self.pila:   # non partito, oppure dentro una partita di prova
            yield
            return
        self._taglia()
        self.pila.append(voce)
        try:
            yield
        finally:
            self._taglia()
            self.pila.pop()

    def ferma(self):
        self._taglia()
        return self.ultimo - self.inizio

crono = Cronometro()
