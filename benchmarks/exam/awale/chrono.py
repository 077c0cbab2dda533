from time import perf_counter


class Chrono:
    """Chrono à tours : chaque tour() attribue le temps écoulé depuis le précédent."""

    def __init__(self):
        self.cumul = {}
        self.t0 = self.dernier = perf_counter()

    def tour(self, quoi):
        t = perf_counter()
        self.cumul[quoi] = self.cumul.get(quoi, 0.0) + t - self.dernier
        self.dernier = t

    def ecoule(self):
        return self.dernier - self.t0
