import copy
import csv
import json
import os
import random
from collections import deque

import numpy as np
import torch

from cerveau import Cerveau
from chrono import Chrono
from memoire import Memoire
from plateau import Plateau
from regard import voir, masque
from tournoi import match

DUREE = float(os.environ.get("WILD_SECONDS", "20"))
PAS_N = 3
GAMMA = 0.98
LOT = 64
DEBUT = 600
TOUS_LES = 4
TOURNOI = 2500

torch.set_num_threads(1)
random.seed(12)
np.random.seed(12)
torch.manual_seed(12)

partie = Plateau()
cerveau = Cerveau()
ancien = copy.deepcopy(cerveau.net)
memoire = Memoire()
recents = deque()            # (etat, coup, gain) pas encore rangés
journal = open("journal.csv", "w", newline="")
ecrivain = csv.writer(journal)
ecrivain.writerow(["coups", "parties", "perte", "eps", "score_ancien"])
coups = parties = 0
perte, scoreAncien = 0.0, 0.5
longueurs = deque(maxlen=50)


def plier(suite, m2, fini):
    """Sort le plus vieux coup ; le gain de l'autre joueur compte en négatif."""
    g, f = 0.0, 1.0
    for _, _, r in recents:
        g += f * r
        f *= -GAMMA
    e, c, _ = recents.popleft()
    memoire.ranger((e, c, g, suite, m2, 0.0 if fini else f))


chrono = Chrono()
etat = voir(partie)
chrono.tour("env.observe")
m = masque(partie)
chrono.tour("env.mask")

while chrono.ecoule() < DUREE:
    eps = max(0.05, 1.0 - coups / 6000)
    c = cerveau.choisir(etat, m, eps)
    chrono.tour("act")

    moi = partie.trait
    gain = partie.jouer(c) / 10.0
    if partie.fini and partie.gagnant is not None:
        gain += 1.0 if partie.gagnant == moi else -1.0
    coups += 1
    chrono.tour("env.step")
    suite = voir(partie)
    chrono.tour("env.observe")
    m2 = masque(partie)
    chrono.tour("env.mask")

    recents.append((etat, c, gain))
    if partie.fini:
        while recents:
            plier(suite, m2, True)
    elif len(recents) == PAS_N:
        plier(suite, m2, False)
    chrono.tour("replay.add")

    if partie.fini:
        parties += 1
        longueurs.append(partie.nbCoups)
        partie.raz()
        chrono.tour("env.reset")
        etat = voir(partie)
        chrono.tour("env.observe")
        m = masque(partie)
        chrono.tour("env.mask")
    else:
        etat, m = suite, m2

    if memoire.nb > DEBUT and coups % TOUS_LES == 0:
        beta = min(1.0, 0.4 + coups / 50000)
        chrono.tour("other")
        idx, poids, lot = memoire.tirer(LOT, beta)
        chrono.tour("replay.sample")
        perte, erreurs = cerveau.apprendre(poids, lot)
        chrono.tour("learn.update")
        memoire.corriger(idx, erreurs)
        chrono.tour("replay.update")

    if coups % 1000 == 0:
        chrono.tour("other")
        print(f"{coups:6d} coups  {parties:4d} parties  long. {np.mean(longueurs or [0]):5.1f}  "
              f"perte {perte:.4f}  eps {eps:.2f}  contre ancien {scoreAncien:.2f}", flush=True)
        ecrivain.writerow([coups, parties, round(perte, 5), round(eps, 3), scoreAncien])
        journal.flush()
        chrono.tour("log")

    if coups % TOURNOI == 0:
        chrono.tour("other")
        scoreAncien = match(cerveau.net, ancien)
        chrono.tour("eval")
        print(f"  ** match contre l'ancienne copie : {scoreAncien:.0%}", flush=True)
        chrono.tour("log")
        if scoreAncien >= 0.55:
            ancien.load_state_dict(cerveau.net.state_dict())
            torch.save(ancien.state_dict(), "champion.pt")
            chrono.tour("checkpoint")
    chrono.tour("other")

duree = chrono.ecoule()
journal.close()
print(partie)
print(f"Fini : {coups} coups en {duree:.1f} s")
for quoi, t in sorted(chrono.cumul.items(), key=lambda x: -x[1]):
    print(f"   {quoi:<14}{t:8.3f} s")
sortie = os.environ.get("WILD_TRUTH")
if sortie:
    with open(sortie, "w") as f:
        json.dump({"wall_seconds": duree, "stages": chrono.cumul, "env_steps": coups,
                   "episodes": parties, "updates": cerveau.nbMaj}, f, indent=2)
