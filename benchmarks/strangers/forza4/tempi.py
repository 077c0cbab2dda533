"""Cronometri. Uso: t0 = T.via(); ...; T.stop("nome", t0).
I tempi interni vengono tolti da quello esterno (T.dentro), cosi' la somma torna."""
from time import perf_counter


class Tempi:
    def __init__(self):
        self.somme = {}
        self.dentro = [0.0]

    def via(self):
        self.dentro.append(0.0)
        return perf_counter()

    def stop(self, nome, t0):
        d = perf_counter() - t0
        figli = self.dentro.pop()
        self.dentro[-1] += d
        self.somme[nome] = self.somme.get(nome, 0.0) + d - figli
        return d

    def stop_tutto(self, nome, t0, prima):
        """per l'arena: butta via quello che hanno misurato dentro e mette tutto in `nome`"""
        d = perf_counter() - t0
        self.dentro.pop()
        self.dentro[-1] += d
        self.somme = prima
        self.somme[nome] = self.somme.get(nome, 0.0) + d


T = Tempi()
