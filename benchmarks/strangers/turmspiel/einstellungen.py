from dataclasses import dataclass


@dataclass
class Einstellungen:
    breite: int = 10
    hoehe: int = 8
    startGold: int = 60
    leben: int = 12
    wellenProSpiel: int = 12
    ticksProZug: int = 15

    rollLaenge: int = 256
    epochen: int = 3
    miniBatch: int = 64
    gamma: float = 0.99
    lam: float = 0.95
    clipBereich: float = 0.2
    lernRate: float = 4e-4
    entropieGewicht: float = 0.01
    wertGewicht: float = 0.5
