# escarmouche.py -- les règles. Quatre figurines par camp, 8 tours, trois objectifs au milieu.
# Le joueur (bleu) est l'agent : il active ses figurines l'une après l'autre, puis le rouge joue tout son tour.
import random

import numpy as np

from plateau import (ABRI, BOIS, COLLINE, COUT, HAUT, LARG, LETTRE, RUINE, Plateau, distance, ligne,
                     vers_axial, vers_offset)

#            nom          pv pm tir portée mêlée
PROFILS = [("fusilier",   4, 4, 3, 7, 1),
           ("grenadier",  6, 4, 1, 4, 4),
           ("tirailleur", 3, 6, 2, 6, 1),
           ("chef",       5, 5, 2, 5, 3)]

FINIR = 0
MARCHE = 1       # 1..6
TIR = 7          # 7..10
CHARGE = 11      # 11..14
ABRITER = 15
N_ACTIONS = 16
N_PLANS = 12
N_VEC = 30
TOURS = 8
FLOU = 4.0        # 0 = rouge impitoyable, trop dur pour débuter


class Figurine:
    __slots__ = ("nom", "camp", "num", "pv", "pvmax", "pm", "tir", "portee", "melee", "pos", "reste", "abrite", "fait",
                 "riposte", "secoue")

    def __init__(self, profil, camp, num, pos):
        self.nom, self.pvmax, self.pm, self.tir, self.portee, self.melee = profil
        self.pv = self.pvmax = self.pvmax - camp      # le rouge part avec un pv de moins
        self.camp, self.num, self.pos = camp, num, pos
        self.reste = self.pm
        self.abrite = False
        self.fait = False
        self.riposte = True       # un tir de réaction par tour
        self.secoue = False       # secouée : ne charge plus, touche moins bien

    @property
    def vivante(self):
        return self.pv > 0


class Partie:
    def __init__(self, graine, chrono):
        self.rng = random.Random(graine)
        self.chrono = chrono
        self.plateau = Plateau(graine)
        self.bleus, self.rouges = [], []

    # ------------------------------------------------------------------ mise en place
    def nouvelle(self):
        self.plateau.regenerer()
        lignes = self.rng.sample(range(HAUT), 4)
        self.bleus = [Figurine(p, 0, i, vers_axial(self.rng.randint(0, 1), lignes[i])) for i, p in enumerate(PROFILS)]
        lignes = self.rng.sample(range(HAUT), 4)
        self.rouges = [Figurine(p, 1, i, vers_axial(LARG - 1 - self.rng.randint(0, 1), lignes[i]))
                       for i, p in enumerate(PROFILS)]
        self.tour = 1
        self.points = [0, 0]
        self.finie = False
        self.gagnant = None
        self.active = self.bleus[0]
        self.potentiel = self._situation()

    def occupes(self, sauf=None):
        return {f.pos for f in self.bleus + self.rouges if f.pv > 0 and f is not sauf}

    # ------------------------------------------------------------------ dés
    def _jet(self, n, seuil):
        return sum(1 for _ in range(n) if self.rng.randint(1, 6) >= seuil)

    def seuil_tir(self, tireur, cible, depuis=None):
        pos = depuis or tireur.pos
        s = 4 + ABRI[self.plateau.terrain[cible.pos]] + (1 if cible.abrite else 0)
        d = distance(pos, cible.pos)
        if d > tireur.portee - 2:
            s += 1
        if d <= 2:
            s -= 1
        if self.plateau.terrain[pos] == COLLINE:
            s -= 1
        if tireur.secoue:
            s += 1
        return max(2, min(6, s))

    def peut_tirer(self, tireur, cible, depuis=None):
        pos = depuis or tireur.pos
        return distance(pos, cible.pos) <= tireur.portee and self.plateau.voit(pos, cible.pos)

    def _tirer(self, tireur, cible):
        cible.pv -= self._jet(tireur.tir, self.seuil_tir(tireur, cible))

    def case_charge(self, f, cible, couts):
        """La case la moins chère au contact de la cible, ou None."""
        mieux, ou = 99, None
        for v in self.plateau.voisins[cible.pos]:
            if v is not None and v in couts and couts[v] < mieux:
                mieux, ou = couts[v], v
        return ou

    def _charger(self, f, cible, case):
        elan = 1 if distance(f.pos, case) >= 2 else 0
        f.pos = case
        for manche in range(3):
            a = self._jet(f.melee + (elan if manche == 0 else 0), 4)
            b = self._jet(cible.melee, 5 if cible.abrite else 4)
            cible.pv -= a
            f.pv -= b
            if cible.pv <= 0 or f.pv <= 0:
                break
            if a > b:       # le perdant recule d'un hex s'il peut
                occ = self.occupes()
                libres = [v for v in self.plateau.voisins[cible.pos]
                          if v is not None and v not in occ and self.plateau.terrain[v] != RUINE]
                if libres:
                    cible.pos = max(libres, key=lambda v: distance(v, f.pos))
                break

    def _reactions(self, f):
        """Tir de réaction : un rouge qui voit bouger une figurine à découvert peut tirer une fois par tour."""
        if self.plateau.terrain[f.pos] in (BOIS, COLLINE):
            return
        for e in self.rouges:
            if e.pv > 0 and e.riposte and f.pv > 0 and self.peut_tirer(e, f):
                if distance(e.pos, f.pos) > e.portee - 1:
                    continue
                e.riposte = False
                f.pv -= self._jet(1, min(6, self.seuil_tir(e, f) + 1))

    def _moral(self, camp, adverse):
        """Une figurine blessée, loin du chef et sous le feu de plusieurs tireurs est secouée."""
        chef = camp[3]
        occ = self.occupes()
        for f in camp:
            if f.pv <= 0:
                continue
            feu = 0
            for e in adverse:
                if e.pv > 0 and self.peut_tirer(e, f):
                    feu += e.tir
            soutien = sum(1 for g in camp if g is not f and g.pv > 0 and distance(f.pos, g.pos) <= 2)
            if chef.pv > 0 and distance(f.pos, chef.pos) <= 3:
                soutien += 2
            retraite = len(self.plateau.couts_depuis(f.pos, f.pm - 1, occ)) - 1
            f.secoue = f.pv * 2 <= f.pvmax and feu > 2 + 2 * soutien or (retraite < 3 and feu > 0)

    def _tir_ami(self, f, e):
        """Pas de tir dans la mêlée ni par-dessus l'épaule d'un copain."""
        chemin = ligne(f.pos, e.pos)
        for g in self.bleus:
            if g is f or g.pv <= 0:
                continue
            if g.pos in chemin and distance(g.pos, f.pos) > 1:
                return True
            if distance(g.pos, e.pos) == 1 and distance(f.pos, e.pos) > 1 and g.melee >= 3:
                return True
        return False

    def _zone(self, f, case):
        """Zone de contrôle : on ne passe pas d'un contact à un autre contact du même ennemi, sauf à couvert des autres."""
        for e in self.rouges:
            if e.pv <= 0:
                continue
            if distance(f.pos, e.pos) == 1 and distance(case, e.pos) == 1:
                return True
        vus = sum(1 for e in self.rouges if e.pv > 0 and distance(case, e.pos) <= 3 and self.plateau.voit(e.pos, case))
        return vus >= 3 and f.secoue

    # ------------------------------------------------------------------ actions du joueur
    def permises(self):
        m = np.zeros(N_ACTIONS, dtype=bool)
        f = self.active
        m[FINIR] = True
        occ = self.occupes(f)
        for i, v in enumerate(self.plateau.voisins[f.pos]):
            if v is not None and v not in occ and COUT[self.plateau.terrain[v]] <= f.reste and not self._zone(f, v):
                m[MARCHE + i] = True
        couts = self.plateau.couts_depuis(f.pos, f.reste + 1, occ)
        for e in self.rouges:
            if e.pv <= 0:
                continue
            if self.peut_tirer(f, e) and not self._tir_ami(f, e):
                m[TIR + e.num] = True
            if not f.secoue and self.case_charge(f, e, couts) is not None and self.plateau.voit(f.pos, e.pos):
                m[CHARGE + e.num] = True
        m[ABRITER] = f.reste > 0
        return m

    def jouer(self, action):
        f = self.active
        if action == FINIR:
            f.fait = True
        elif action < TIR:
            v = self.plateau.voisins[f.pos][action - MARCHE]
            f.pos = v
            f.reste -= COUT[self.plateau.terrain[v]]
            self._reactions(f)
        elif action < CHARGE:
            self._tirer(f, self.rouges[action - TIR])
            f.fait = True
        elif action < ABRITER:
            e = self.rouges[action - CHARGE]
            couts = self.plateau.couts_depuis(f.pos, f.reste + 1, self.occupes(f))
            self._charger(f, e, self.case_charge(f, e, couts))
            f.fait = True
        else:
            f.abrite = True
            f.fait = True
        self._moral(self.bleus, self.rouges)
        self._moral(self.rouges, self.bleus)
        self._suivante()
        self.chrono.entre("env.reward")
        apres = self._situation()
        recompense = apres - self.potentiel
        self.potentiel = apres
        self.chrono.sort()
        if self.finie:
            recompense += {0: 1.0, 1: -1.0, None: 0.0}[self.gagnant]
        return recompense, self.finie

    def _suivante(self):
        if self._extermines():
            return
        if self.active.vivante and not self.active.fait:
            return
        for f in self.bleus:
            if f.vivante and not f.fait:
                self.active = f
                return
        # tout le monde a joué : au rouge
        for e in self.rouges:
            e.abrite = False
            e.riposte = True
        self.chrono.entre("env.opponent")
        self.tour_rouge()
        self.chrono.sort()
        if self._extermines():
            return
        self._fin_de_tour()

    def _extermines(self):
        b = any(f.vivante for f in self.bleus)
        r = any(f.vivante for f in self.rouges)
        if b and r:
            return False
        self.finie = True
        self.gagnant = 0 if b else (1 if r else None)
        return True

    def _fin_de_tour(self):
        for o in self.plateau.objectifs:
            pb = sum(f.pv for f in self.bleus if f.vivante and distance(f.pos, o) <= 1)
            pr = sum(f.pv for f in self.rouges if f.vivante and distance(f.pos, o) <= 1)
            if pb > pr:
                self.points[0] += 1
            elif pr > pb:
                self.points[1] += 1
        self.tour += 1
        if self.tour > TOURS:
            self.finie = True
            d = self.points[0] - self.points[1]
            self.gagnant = 0 if d > 0 else (1 if d < 0 else None)
            return
        for f in self.bleus:
            f.reste, f.fait, f.abrite = f.pm, False, False
        self.active = next(f for f in self.bleus if f.vivante)

    # ------------------------------------------------------------------ le rouge (scripté)
    def tour_rouge(self):
        for f in self.rouges:
            if not f.vivante:
                continue
            cibles = [c for c in self.bleus if c.vivante]
            if not cibles:
                return
            if f.secoue and self.rng.random() < 0.5:
                continue             # il se terre
            couts = self.plateau.couts_depuis(f.pos, f.pm, self.occupes(f))
            mieux, plan = -1e9, None
            for case in couts:
                base = 0.8 * ABRI[self.plateau.terrain[case]]
                base -= 0.35 * min(distance(case, o) + 2 * self._tenu(o) for o in self.plateau.objectifs)
                danger = 0.0
                tir, qui = 0.0, None
                for c in cibles:
                    if distance(case, c.pos) > max(f.portee, c.portee):
                        continue
                    if not self.plateau.voit(case, c.pos):
                        continue
                    if distance(case, c.pos) <= f.portee:
                        esp = f.tir * (7 - self.seuil_tir(f, c, case)) / 6
                        esp += 1.0 if esp >= c.pv else 0.0
                        if esp > tir:
                            tir, qui = esp, c
                    if distance(case, c.pos) <= c.portee:
                        danger += c.tir / 3
                s = base + 1.5 * tir - 0.5 * danger * (2 if f.pv <= 2 else 1) + self.rng.gauss(0, FLOU)
                if s > mieux:
                    mieux, plan = s, (case, "tir", qui)
            for c in cibles:
                case = self.case_charge(f, c, couts)
                if case is None or not self.plateau.voit(f.pos, c.pos):
                    continue
                s = 1.2 * (f.melee - c.melee) + (1.5 if c.pv <= f.melee / 2 else 0) \
                    - 0.35 * min(distance(case, o) for o in self.plateau.objectifs)
                if s > mieux:
                    mieux, plan = s, (case, "charge", c)
            case, quoi, c = plan
            if quoi == "charge":
                self._charger(f, c, case)
            else:
                f.pos = case
                if c is not None:
                    self._tirer(f, c)

    def _tenu(self, o):
        return any(f.vivante and distance(f.pos, o) <= 1 for f in self.rouges)

    # ------------------------------------------------------------------ récompense
    def _situation(self):
        """Potentiel : santé, influence sur les objectifs, menaces de tir dans les deux sens."""
        v = 0.0
        v += 0.06 * (sum(max(f.pv, 0) for f in self.bleus) - sum(max(f.pv, 0) for f in self.rouges))
        occ = self.occupes()
        for f in self.bleus + self.rouges:
            if not f.vivante:
                continue
            # la vraie marche, pas le vol d'oiseau : un marais ou un mur change tout
            marche = self.plateau.couts_depuis(f.pos, 6, occ)
            signe = 1 if f.camp == 0 else -1
            for o in self.plateau.objectifs:
                d = marche.get(o)
                if d is None:
                    d = 2 * distance(f.pos, o)
                v += 0.03 * signe * f.pv / (1 + d)
        for f in self.bleus:
            if not f.vivante:
                continue
            for e in self.rouges:
                if e.vivante and distance(f.pos, e.pos) <= 6 and self.plateau.voit(f.pos, e.pos):
                    d = distance(f.pos, e.pos)
                    v += 0.004 * (f.tir * (d <= f.portee) - e.tir * (d <= e.portee))
        v += 0.08 * (self.points[0] - self.points[1])
        return v

    # ------------------------------------------------------------------ observation
    def regard(self):
        p = np.zeros((N_PLANS, HAUT, LARG), dtype=np.float32)
        f = self.active
        pl = self.plateau
        for h in pl.cases:
            c, l = vers_offset(h)
            s = pl.terrain[h]
            p[0, l, c] = COUT[s] / 3 if s != RUINE else 0
            p[1, l, c] = ABRI[s]
            p[2, l, c] = s == RUINE
            if distance(h, f.pos) <= f.portee and pl.voit(f.pos, h):
                p[9, l, c] = 1
        for o in pl.objectifs:
            c, l = vers_offset(o)
            p[3, l, c] = 1
        for g in self.bleus + self.rouges:
            if g.pv <= 0:
                continue
            c, l = vers_offset(g.pos)
            p[4 + g.camp, l, c] = g.pv / 6
            p[7 + g.camp, l, c] = g.tir / 3
        c, l = vers_offset(f.pos)
        p[6, l, c] = 1
        couts = pl.couts_depuis(f.pos, f.reste, self.occupes(f))
        vivants = [e for e in self.rouges if e.vivante]
        for h, k in couts.items():
            c, l = vers_offset(h)
            p[10, l, c] = 1 - k / 6
            p[11, l, c] = 0.25 * sum(1 for e in vivants if distance(h, e.pos) <= e.portee and pl.voit(e.pos, h))
        v = np.zeros(N_VEC, dtype=np.float32)
        v[f.num] = 1
        v[4] = f.reste / 5
        v[5] = self.tour / TOURS
        v[6] = self.points[0] / 10
        v[7] = self.points[1] / 10
        for i, g in enumerate(self.bleus + self.rouges):
            v[8 + 2 * i] = max(g.pv, 0) / g.pvmax
            v[9 + 2 * i] = distance(f.pos, g.pos) / 16
        return p, v

    def dessin(self):      # pour regarder une partie à la main
        lignes = []
        for l in range(HAUT):
            s = " " * (l & 1)
            for c in range(LARG):
                h = vers_axial(c, l)
                ch = "o" if h in self.plateau.objectifs else LETTRE[self.plateau.terrain[h]]
                for g in self.bleus + self.rouges:
                    if g.vivante and g.pos == h:
                        ch = g.nom[0].upper() if g.camp == 0 else g.nom[0]
                s += ch + " "
            lignes.append(s)
        return "\n".join(lignes)
