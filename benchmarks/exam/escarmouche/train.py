"""Entraîne l'ordinateur de mon jeu de tactique. Lancer: python train.py"""
import json
import os
import torch
from collections import deque
from reglages import *
from partie import Partie
from memoire import Memoire
from cerveau import Cerveau
from chrono import Chrono

torch.set_num_threads(1)
DUREE = float(os.environ.get("WILD_SECONDS", 20))

def evaluer_cerveau(cerveau, nb):
    victoires = 0
    for _ in range(nb):
        p = Partie()
        etat = p.nouvelle_partie()
        while not p.finie:
            p.jouer(cerveau.choisir(etat, p.actions_possibles(), 0.0))
            etat = p.observer()
        victoires += p.gagnee
    return victoires / nb

def main():
    cerveau = Cerveau()
    memoire = Memoire(TAILLE_MEMOIRE)
    chrono = Chrono()
    partie = Partie(chrono)
    pas = parties = 0
    gains = deque(maxlen=50)
    journal = open("journal.csv", "w")

    while chrono.ecoule() < DUREE:
        with chrono("env.reset"):
            etat = partie.nouvelle_partie()
        with chrono("env.mask"):
            masque = partie.actions_possibles()
        total, perte = 0.0, 0.0
        while not partie.finie and chrono.ecoule() < DUREE:
            epsilon = max(EPSILON_FIN, EPSILON_DEBUT - (EPSILON_DEBUT - EPSILON_FIN) * pas / EPSILON_PAS)
            with chrono("act"):
                action = cerveau.choisir(etat, masque, epsilon)
            with chrono("env.step"):
                recompense, finie = partie.jouer(action)
            with chrono("env.observe"):
                suivant = partie.observer()
            with chrono("env.mask"):
                masque_suivant = partie.actions_possibles()
            with chrono("replay.add"):
                memoire.ajouter(etat, action, recompense, suivant, finie, masque_suivant)
            etat, masque = suivant, masque_suivant
            total += recompense
            pas += 1
            if len(memoire) >= DEBUT_APPRENTISSAGE and pas % PERIODE_APPRENTISSAGE == 0:
                with chrono("replay.sample"):
                    lot = memoire.piocher(TAILLE_LOT)
                with chrono("learn.update"):
                    perte = cerveau.apprendre(*lot)
        if not partie.finie:
            break
        parties += 1
        gains.append(total)
        with chrono("log"):
            journal.write(f"{parties};{pas};{total:.3f};{perte:.4f};{int(partie.gagnee)}\n")
            journal.flush()
            if parties % 10 == 0:
                print(f"partie {parties:5d}  pas {pas:7d}  gain moyen {sum(gains) / len(gains):+.2f}  epsilon {epsilon:.2f}")
        if parties % PERIODE_EVAL == 0:
            with chrono("eval"):
                taux = evaluer_cerveau(cerveau, PARTIES_EVAL)
            with chrono("log"):
                print(f"   --> victoires: {taux:.0%}")
            with chrono("checkpoint"):
                cerveau.sauver("cerveau.pt")

    duree, temps = chrono.bilan()
    for nom, s in sorted(temps.items(), key=lambda x: -x[1]):
        print(f"{nom:15s} {s:8.2f} s  {s / duree:6.1%}")
    if os.environ.get("WILD_TRUTH"):
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump({"wall_seconds": duree, "stages": temps, "env_steps": pas, "episodes": parties,
                       "updates": cerveau.mises_a_jour}, f, indent=1)

if __name__ == "__main__":
    main()
