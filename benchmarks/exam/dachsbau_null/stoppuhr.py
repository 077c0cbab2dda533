from time import perf_counter


class Stoppuhr:
    """Immer genau ein Posten laeuft. rein() unterbricht den aeusseren."""

    def __init__(self):
        self.posten = {}
        self.stapel = []
        self.seit = 0.0
        self.stumm = False

    def los(self):
        self.anfang = self.seit = perf_counter()
        self.stapel = ["other"]

    def rein(self, name):
        if self.stumm:
            return
        t = perf_counter()
        oben = self.stapel[-1]
        self.posten[oben] = self.posten.get(oben, 0.0) + t - self.seit
        self.stapel.append(name)
        self.seit = t

    def raus(self):
        if self.stumm:
            return
        t = perf_counter()
        oben = self.stapel.pop()
        self.posten[oben] = self.posten.get(oben, 0.0) + t - self.seit
        self.seit = t

    def schluss(self):
        t = perf_counter()
        oben = self.stapel.pop()
        self.posten[oben] = self.posten.get(oben, 0.0) + t - self.seit
        return t - self.anfang
