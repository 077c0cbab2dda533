# Entraîne le camp bleu contre le rouge scripté.
import collections
import csv
import json
import os
import random
import time

import numpy as np
import torch

from cerveau import Cerveau, Memoire
from escarmouche import N_ACTIONS, N_PLANS, N_VEC, Partie

DUREE = float(os.environ.get("WILD_SECONDS", "20"))
VERITE = os.environ.get("WILD_TRUTH", "verite.json")
ICI = os.path.dirname(os.path.abspath(__file__))
GAMMA, N_PAS, LOT, CHAQUE = 0.97, 3, 40, 5
DEPART = 150              # pas avant d'apprendre


class Chrono:
    """Chronomètre à pile : chaque tranche de temps va à l'étage du dessus, donc tout est exclusif."""

    def __init__(self):
        self.t = collections.defaultdict(float)
        self.pile = ["other"]
        self.marque = time.perf_counter()
        self.gele = False

    def zero(self):
        self.t.clear()
        self.debut = self.marque = time.perf_counter()

    def entre(self, nom):
        if self.gele:
            return
        m = time.perf_counter()
        self.t[self.pile[-1]] += m - self.marque
        self.marque = m
        self.pile.append(nom)

    def sort(self):
        if self.gele:
            return
        m = time.perf_counter()
        self.t[self.pile.pop()] += m - self.marque
        self.marque = m

    def fini(self):
        m = time.perf_counter()
        self.t[self.pile[-1]] += m - self.marque
        self.marque = m
        return m - self.debut


def examen(cerveau, partie, n=1):
    """n parties sans hasard dans les choix. Le chrono est gelé : tout compte comme eval."""
    bilan = 0
    for _ in range(n):
        partie.nouvelle()
        for _ in range(400):
            a = cerveau.choisir(partie.regard(), partie.permises(), 0.02)
            _, fin = partie.jouer(a)
            if fin:
                break
        bilan += {0: 1, 1: -1, None: 0}[partie.gagnant]
    return bilan / n


def main():
    torch.set_num_threads(1)
    torch.manual_seed(3)
    random.seed(3)
    np.random.seed(3)
    ch = Chrono()
    partie = Partie(11, ch)
    partie_examen = Partie(5000, ch)
    cerveau = Cerveau(N_PLANS, N_VEC, N_ACTIONS)
    memoire = Memoire(8000, N_PLANS, N_VEC, N_ACTIONS)
    fichier = open(os.path.join(ICI, "journal.csv"), "w", newline="")
    journal = csv.writer(fichier)
    journal.writerow(["pas", "partie", "retour", "gagnant", "tours", "eps", "perte"])

    partie.nouvelle()
    obs, masque = partie.regard(), partie.permises()
    attente = collections.deque()      # transitions en attente des N_PAS récompenses
    pas = parties = 0
    retour, perte = 0.0, 0.0
    dernier_examen = 0
    victoires = collections.deque(maxlen=30)

    ch.zero()
    while True:
        eps = max(0.05, 1.0 - pas / 1500)
        ch.entre("act")
        a = cerveau.choisir(obs, masque, eps)
        ch.sort()

        ch.entre("env.step")
        r, fin = partie.jouer(a)       # le tour du rouge et la récompense s'enlèvent tout seuls
        ch.sort()
        pas += 1
        retour += r
        ch.entre("env.observe")
        obs2 = partie.regard()
        ch.sort()
        ch.entre("env.mask")
        masque2 = partie.permises()
        ch.sort()

        ch.entre("replay.add")
        attente.append([obs, a, 0.0, 1.0])
        for tr in attente:
            tr[2] += tr[3] * r
            tr[3] *= GAMMA
        if fin:
            while attente:
                o, aa, rr, _ = attente.popleft()
                memoire.ranger(o, aa, rr, obs2, masque2, 0.0)
        elif len(attente) == N_PAS:
            o, aa, rr, g = attente.popleft()
            memoire.ranger(o, aa, rr, obs2, masque2, g)
        ch.sort()
        obs, masque = obs2, masque2

        if pas >= DEPART and pas % CHAQUE == 0:
            ch.entre("replay.sample")
            idx, lot = memoire.piocher(LOT, min(1.0, 0.4 + pas / 8000))
            ch.sort()
            ch.entre("learn.update")
            erreurs, perte = cerveau.apprendre(lot)
            ch.sort()
            ch.entre("replay.update")
            memoire.corriger(idx, erreurs)
            ch.sort()
            if time.perf_counter() - ch.debut >= DUREE:
                if fin:
                    parties += 1       # la partie vient de se finir, elle compte
                break

        if fin:
            parties += 1
            victoires.append(partie.gagnant == 0)
            ch.entre("log")
            journal.writerow([pas, parties, round(retour, 3), partie.gagnant, partie.tour, round(eps, 3), round(perte, 5)])
            fichier.flush()
            if parties % 5 == 0:
                print(f"{pas:6d} pas  {parties:4d} parties  retour {retour:+.2f}  victoires {np.mean(victoires):.0%}"
                      f"  eps {eps:.2f}  perte {perte:.4f}", flush=True)
            ch.sort()
            retour = 0.0
            if pas - dernier_examen > 700:
                dernier_examen = pas
                ch.entre("eval")
                ch.gele = True
                note = examen(cerveau, partie_examen)
                ch.gele = False
                ch.sort()
                print("   examen :", note)
                ch.entre("checkpoint")
                torch.save({"net": cerveau.net.state_dict(), "opt": cerveau.opt.state_dict(), "pas": pas},
                           os.path.join(ICI, "dernier.pt"))
                ch.sort()
            ch.entre("env.reset")
            partie.nouvelle()
            ch.sort()
            ch.entre("env.observe")
            obs = partie.regard()
            ch.sort()
            ch.entre("env.mask")
            masque = partie.permises()
            ch.sort()
    mur = ch.fini()
    fichier.close()
    with open(VERITE, "w") as f:
        json.dump({"wall_seconds": mur, "stages": dict(ch.t), "env_steps": pas, "episodes": parties,
                   "updates": cerveau.majs}, f, indent=1)
    for k, s in sorted(ch.t.items(), key=lambda x: -x[1]):
        print(f"{k:15s} {s:7.3f} s  {100 * s / mur:5.1f} %")
    print(partie.dessin())


if __name__ == "__main__":
    main()
