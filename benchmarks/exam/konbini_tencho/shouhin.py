from dataclasses import dataclass, field


@dataclass
class Shouhin:
    """goods"""
    namae: str
    shiire: float        # purchase price
    nedan: float         # selling price
    kigen: int           # shelf life in ticks
    ninki: tuple         # popularity morning / noon / night
    basho: int = 1       # shelf units per piece


KATALOG = [
    Shouhin("onigiri", 60, 130, 9, (1.0, 1.6, 0.7)),
    Shouhin("bento", 250, 480, 6, (0.3, 1.8, 1.0), 2),
    Shouhin("ocha", 50, 120, 60, (0.9, 1.2, 0.8)),
    Shouhin("melonpan", 70, 150, 12, (1.3, 0.6, 0.4)),
    Shouhin("biiru", 140, 230, 90, (0.0, 0.2, 1.7)),
    Shouhin("oden", 40, 110, 4, (0.2, 0.7, 1.6)),
]


@dataclass
class Batch:
    kosuu: int
    nokori: int          # ticks before it goes bad


class Tana:
    """shelf of one product, oldest first"""

    def __init__(self, shouhin):
        self.shouhin = shouhin
        self.batches: list[Batch] = []
        self.nebiki = False

    @property
    def zaiko(self):
        return sum(b.kosuu for b in self.batches)

    @property
    def nedan(self):
        return self.shouhin.nedan * (0.7 if self.nebiki else 1.0)

    def ireru(self, n):
        self.batches.append(Batch(n, self.shouhin.kigen))

    def toru(self):
        for b in self.batches:
            if b.kosuu > 0:
                b.kosuu -= 1
                return b.nokori
        return None

    def furuku_naru(self):
        for b in self.batches:
            b.nokori -= 1
        dame = sum(b.kosuu for b in self.batches if b.nokori <= 0)
        self.batches = [b for b in self.batches if b.nokori > 0 and b.kosuu > 0]
        return dame
