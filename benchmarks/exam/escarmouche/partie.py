import random
from contextlib import nullcontext
import numpy as np
from reglages import *
from hexa import *

class Unite:
    def __init__(self, nom, camp, case):
        self.nom, self.camp, self.case = nom, camp, case
        self.pv_max, self.degats, self.portee = TYPES[nom]
        self.pv = self.pv_max

    @property
    def vivante(self):
        return self.pv > 0

class Partie:
    """Escarmouche 3 contre 3. Le joueur (camp 0) commande ses unités l'une après l'autre,
    puis l'ordinateur (camp 1) joue tout son tour."""

    def __init__(self, chrono=None):
        self.chrono = chrono or nullcontext     # muet pendant les évaluations

    def nouvelle_partie(self):
        while True:
            self.terrain = {}
            for c in CASES:
                x = random.random()
                self.terrain[c] = "rocher" if x < PART_ROCHER else "foret" if x < PART_ROCHER + PART_FORET else "plaine"
            departs = [[vers_axial(1, l) for l in (2, 4, 6)], [vers_axial(LARGEUR - 2, l) for l in (2, 4, 6)]]
            for c in departs[0] + departs[1]:
                self.terrain[c] = "plaine"
            atteintes = parcours(departs[0][0], lambda v: self.terrain[v] == "rocher")
            if all(c in atteintes for c in departs[0] + departs[1]):
                break
        self.unites = [[Unite(n, camp, c) for n, c in zip(TYPES, departs[camp])] for camp in (0, 1)]
        self.tour = 0
        self.indice = 0
        self.points = POINTS_ACTION
        self.finie = False
        self.gagnee = False
        self.valeur = self.evaluer()
        return self.observer()
    # ------------------------------------------------------------ règles
    def unite_en(self, case):
        for camp in self.unites:
            for u in camp:
                if u.vivante and u.case == case:
                    return u
        return None
    def libre(self, case):
        return case in ENSEMBLE_CASES and self.terrain[case] != "rocher" and self.unite_en(case) is None
    def voit(self, a, b):
        for c in ligne(a, b)[1:-1]:
            if self.terrain.get(c) == "rocher" or (self.terrain.get(c) == "foret" and distance(a, b) > 2):
                return False
        return True
    def peut_attaquer(self, u, cible, depuis=None):
        depuis = depuis or u.case
        return cible.vivante and distance(depuis, cible.case) <= u.portee and self.voit(depuis, cible.case)
    def attaquer(self, u, cible):
        degats = u.degats
        if self.terrain[cible.case] == "foret" and random.random() < 0.5:
            degats -= 1
        cible.pv -= degats

    @property
    def active(self):
        return self.unites[0][self.indice]

    def actions_possibles(self):
        masque = np.zeros(NB_ACTIONS, dtype=bool)
        u = self.active
        for i, (dq, dr) in enumerate(DIRECTIONS):
            masque[i] = self.libre((u.case[0] + dq, u.case[1] + dr))
        for i, cible in enumerate(self.unites[1]):
            masque[6 + i] = self.peut_attaquer(u, cible)
        masque[-1] = True
        return masque

    def jouer(self, action):
        u = self.active
        if action < 6:
            dq, dr = DIRECTIONS[action]
            case = (u.case[0] + dq, u.case[1] + dr)
            self.points -= 2 if self.terrain[case] == "foret" else 1
            u.case = case
        elif action < 6 + NB_UNITES:
            self.attaquer(u, self.unites[1][action - 6])
            self.points = 0
        else:
            self.points = 0
        self.verifier_fin()
        if not self.finie and self.points <= 0:
            self.unite_suivante()
        with self.chrono("env.reward"):
            recompense = self.calculer_recompense()
        return recompense, self.finie
    def unite_suivante(self):
        self.points = POINTS_ACTION
        while True:
            self.indice += 1
            if self.indice >= NB_UNITES:
                with self.chrono("env.opponent"):
                    self.tour_ordinateur()
                self.indice = -1
                self.tour += 1
                self.verifier_fin()
                if self.finie:
                    self.indice = 0
                    return
            elif self.active.vivante:
                return
    def verifier_fin(self):
        vivants = [any(u.vivante for u in camp) for camp in self.unites]
        if not all(vivants) or self.tour >= TOURS_MAX:
            self.finie = True
            self.gagnee = vivants[0] and not vivants[1]
    # ------------------------------------------------------------ ordinateur
    def tour_ordinateur(self):
        for u in self.unites[1]:
            if not u.vivante:
                continue
            # toutes les cases atteignables en deux pas, on note chacune
            dist = parcours(u.case, lambda v: not self.libre(v))
            choix, note_max = u.case, -1e9
            proies = [j for j in self.unites[0] if j.vivante]
            if not proies:
                return
            chemins = [parcours(j.case, lambda v: self.terrain[v] == "rocher") for j in proies]
            for case, d in dist.items():
                if d > POINTS_ACTION:
                    continue
                note = -min(ch.get(case, 50) for ch in chemins)
                note += 4 * any(self.peut_attaquer(u, j, case) for j in proies)
                note -= sum(j.degats * 0.3 for j in proies if distance(j.case, case) <= j.portee + 1 and self.voit(j.case, case))
                note += 0.8 * (self.terrain[case] == "foret") + random.random() * 0.1
                if note > note_max:
                    choix, note_max = case, note
            u.case = choix
            cibles = [j for j in proies if self.peut_attaquer(u, j)]
            if cibles:
                self.attaquer(u, min(cibles, key=lambda j: j.pv))
    # ------------------------------------------------------------ récompense et observation
    def evaluer(self):
        v = sum(max(0, u.pv) / u.pv_max for u in self.unites[0]) - 1.2 * sum(max(0, u.pv) / u.pv_max for u in self.unites[1])
        ennemis = [e for e in self.unites[1] if e.vivante]
        for u in self.unites[0]:
            if u.vivante and ennemis:
                dist = parcours(u.case, lambda c: self.terrain[c] == "rocher")
                v -= 0.02 * min(dist.get(e.case, 20) for e in ennemis)
        return v
    def calculer_recompense(self):
        nouvelle = self.evaluer()
        r = nouvelle - self.valeur - 0.01
        self.valeur = nouvelle
        if self.finie:
            r += 2.0 if self.gagnee else -1.0
        return r

    def menace(self, camp):
        """Carte des dégâts que le camp peut infliger à chaque case."""
        carte = np.zeros((HAUTEUR, LARGEUR), dtype=np.float32)
        for case in CASES:
            c, l = vers_grille(*case)
            for u in self.unites[camp]:
                if u.vivante and distance(u.case, case) <= u.portee + 1 and self.voit(u.case, case):
                    carte[l, c] += u.degats / 6
        return carte

    def observer(self):
        plans = np.zeros((NB_PLANS, HAUTEUR, LARGEUR), dtype=np.float32)
        for case in CASES:
            c, l = vers_grille(*case)
            plans[0, l, c] = self.terrain[case] == "foret"
            plans[1, l, c] = self.terrain[case] == "rocher"
            u = self.unite_en(case)
            if u is not None:
                plans[2 + u.camp, l, c] = u.pv / 9
                plans[4 + u.camp, l, c] = u.portee / 3
        c, l = vers_grille(*self.active.case)
        plans[6, l, c] = self.points / POINTS_ACTION
        plans[7] = self.menace(0)
        plans[8] = self.menace(1)
        dist = parcours(self.active.case, lambda v: not self.libre(v))
        for case, d in dist.items():
            c, l = vers_grille(*case)
            plans[9, l, c] = 1 / (1 + d)
        return plans
