import random

from plateau import Plateau
from regard import voir, masque
from cerveau import meilleurCoup


def match(netA, netB, nbParties=10):
    """Part des points de A contre B, chacun commence une fois sur deux."""
    points = 0.0
    for n in range(nbParties):
        p = Plateau()
        for _ in range(2):                       # ouverture au hasard
            p.jouer(random.choice(p.coupsPermis()))
        joueurs = (netA, netB) if n % 2 == 0 else (netB, netA)
        while not p.fini:
            p.jouer(meilleurCoup(joueurs[p.trait], voir(p), masque(p)))
        if p.gagnant is None:
            points += 0.5
        elif joueurs[p.gagnant] is netA:
            points += 1.0
    return points / nbParties
