"""L'Ost aux dés : bataille de cartes sur quatre fronts.

Chaque tour on lance 5 dés (l'adversaire 4) ; une carte se joue avec un dé au moins égal à son coût, l'excédent donne des dés de bataille.
Une relance par tour. Quand on passe, l'adversaire joue, puis les fronts se battent.
"""
import random
import time

import gymnasium as gym
import numpy as np
from gymnasium import spaces

#         nom            coût force pv  genre
CARTES = [("milice",       1,  2,  2, "pied"),
          ("piquiers",     2,  2,  4, "pied"),
          ("archers",      2,  3,  2, "tir"),
          ("sergents",     3,  3,  4, "pied"),
          ("arbalétriers", 4,  5,  2, "tir"),
          ("berserkers",   4,  6,  3, "pied"),
          ("chevaliers",   5,  6,  5, "cheval"),
          ("trébuchet",    5,  7,  2, "siege"),
          ("bannière",     3,  1,  3, "soutien"),
          ("rebouteux",    3,  1,  3, "soutien")]
PAQUET = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 6, 6, 7, 8, 9, 9]

MAIN, DES, FRONTS, PLACES = 6, 5, 4, 3
DES_LUI = 4
RAVITO = 24
RELANCE = MAIN * DES * FRONTS
PASSER = RELANCE + 1
CHATEAU = 16
TOURS_MAX = 14


class Montre:
    """Petits segments plats (étage, début, fin) : l'étage du dedans coupe celui du dehors."""

    def __init__(self):
        self.bandes = []
        self.pile = []
        self.t = 0.0

    def __call__(self, etage):
        self.suivant = etage
        return self

    def __enter__(self):
        t = time.perf_counter()
        if self.pile:
            self.bandes.append((self.pile[-1], self.t, t))
        self.pile.append(self.suivant)
        self.t = t

    def __exit__(self, *_):
        t = time.perf_counter()
        self.bandes.append((self.pile.pop(), self.t, t))
        self.t = t

    def vider(self):
        b, self.bandes = self.bandes, []
        return b


class Troupe:
    __slots__ = ("c", "force", "pv", "genre", "bonus", "peur")

    def __init__(self, c, bonus=0):
        self.c = c
        _, _, self.force, self.pv, self.genre = CARTES[c]
        self.bonus = bonus
        self.peur = 0

    def copie(self):
        t = Troupe(self.c, self.bonus)
        t.pv = self.pv
        t.peur = self.peur
        return t


class Camp:
    def __init__(self, rng):
        self.pioche = PAQUET[:]
        rng.shuffle(self.pioche)
        self.defausse = []
        self.main = []
        self.des = []
        self.fronts = [[] for _ in range(FRONTS)]
        self.pv = CHATEAU
        self.relance = True

    def debut_tour(self, rng, des=DES):
        while len(self.main) < MAIN:
            if not self.pioche:
                self.pioche, self.defausse = self.defausse, []
                rng.shuffle(self.pioche)
                if not self.pioche:
                    break
            self.main.append(self.pioche.pop())
        self.des = sorted(rng.randint(1, 6) for _ in range(des))
        self.relance = True


def des_du_front(moi, eux):
    """Nombre de dés de bataille et seuil pour une ligne de troupes."""
    n, seuil = 0, 5
    a_cheval = any(t.genre == "cheval" for t in eux)
    for t in moi:
        d = t.force + t.bonus - t.peur
        if t.genre == "cheval" and any(e.c == 1 for e in eux):
            d //= 2                      # les piquiers arrêtent la charge
        if t.genre == "tir" and len(moi) == 1 and a_cheval:
            d -= 1
        if t.c == 5 and t.pv == 1:
            d += 2                       # berserkers acculés
        n += max(d, 0)
        if t.c == 8:
            seuil = 4
    return n, seuil


def encaisser(ligne, touches):
    """Les pieds devant, le soutien derrière."""
    ordre = {"pied": 0, "cheval": 1, "tir": 2, "siege": 3, "soutien": 4}
    for t in sorted(ligne, key=lambda t: (ordre[t.genre], t.pv)):
        p = min(t.pv, touches)
        t.pv -= p
        touches -= p
        if not touches:
            break
    return [t for t in ligne if t.pv > 0]


def bataille(a, b, rng, manches=2):
    for _ in range(manches):
        if not a or not b:
            break
        na, sa = des_du_front(a, b)
        nb, sb = des_du_front(b, a)
        ta = sum(1 for _ in range(na) if rng.random() * 6 >= sa - 1) // 2
        tb = sum(1 for _ in range(nb) if rng.random() * 6 >= sb - 1) // 2
        a, b = encaisser(a, tb), encaisser(b, ta)
        for ligne in (a, b):
            if any(t.c == 9 for t in ligne):
                blesse = min(ligne, key=lambda t: t.pv / CARTES[t.c][3])
                blesse.pv = min(blesse.pv + 1, CARTES[blesse.c][3])
    return a, b


def loi_touches(n, seuil, plafond=14):
    """Loi exacte du nombre de touches (convolution à la main, n dés)."""
    p = (7 - seuil) / 6
    loi = [1.0]
    for _ in range(min(n, plafond)):
        suite = [0.0] * (len(loi) + 1)
        for k, x in enumerate(loi):
            suite[k] += x * (1 - p)
            suite[k + 1] += x * p
        loi = suite
    return loi


class OstEnv(gym.Env):
    metadata = {"render_modes": []}

    def __init__(self, graine=0):
        super().__init__()
        self.rng = random.Random(graine)
        self.montre = Montre()
        self.action_space = spaces.Discrete(PASSER + 1)
        self.observation_space = spaces.Box(-4.0, 4.0, (self._taille(),), np.float32)
        self.n_pas = 0
        self.n_finies = 0

    @staticmethod
    def _taille():
        return MAIN * 11 + DES * 7 + 2 * FRONTS * PLACES * 6 + FRONTS * 4 + MAIN * FRONTS + 5

    # ------------------------------------------------------------------ gymnasium
    def reset(self, *, seed=None, options=None):
        with self.montre("env.reset"):
            super().reset(seed=seed)
            if seed is not None:
                self.rng = random.Random(seed)
            self.moi = Camp(self.rng)
            self.lui = Camp(self.rng)
            self.tour = 1
            self.moi.debut_tour(self.rng)
            with self.montre("env.observe"):
                obs = self._observer()
        return obs, {}

    def step(self, action):
        with self.montre("env.step"):
            self.n_pas += 1
            action = int(action)
            recompense = 0.0
            fini = False
            if action == PASSER:
                recompense, fini = self._fin_de_tour()
            elif action == RELANCE:
                self.moi.des = sorted(self.rng.randint(1, 6) for _ in self.moi.des)
                self.moi.relance = False
            else:
                c, reste = divmod(action, DES * FRONTS)
                d, f = divmod(reste, FRONTS)
                self._poser(self.moi, c, d, f)
                recompense = 0.01
            self._frayeur()
            if fini:
                self.n_finies += 1
            with self.montre("env.observe"):
                obs = self._observer()
        # les bandes depuis la dernière livraison voyagent avec la réponse
        return obs, recompense, fini, False, {"bandes": self.montre.vider()}

    def action_masks(self):
        with self.montre("env.mask"):
            m = np.zeros(PASSER + 1, dtype=bool)
            for c in range(len(self.moi.main)):
                for f in range(FRONTS):
                    if self._sacrifice(c, f):
                        continue
                    for d in range(len(self.moi.des)):
                        if self._jouable(self.moi, self.lui, c, d, f):
                            m[(c * DES + d) * FRONTS + f] = True
            m[RELANCE] = self.moi.relance and len(self.moi.des) > 0
            m[PASSER] = True
        return m

    # ------------------------------------------------------------------ règles
    def _jouable(self, camp, autre, c, d, f):
        _, cout, _, _, genre = CARTES[camp.main[c]]
        if camp.des[d] < cout:
            return False
        ligne = camp.fronts[f]
        if len(ligne) >= PLACES:
            return False
        if genre == "siege" and (not ligne or any(t.genre == "siege" for t in ligne)):
            return False                # un trébuchet se garde
        if genre == "cheval" and sum(1 for t in ligne if t.genre == "cheval") >= 2:
            return False
        if genre == "soutien" and any(t.c == camp.main[c] for t in ligne):
            return False
        # ravitaillement : les troupes déjà en ligne mangent, celles qui ont peur mangent double
        vivres = RAVITO + camp.pv // 4
        for g in range(FRONTS):
            for t in camp.fronts[g]:
                vivres -= 1 + (t.peur > 0) + (2 if t.genre == "cheval" else 0)
        return vivres >= cout

    def _sacrifice(self, c, f):
        """Le héraut interdit d'envoyer une troupe à une mort presque certaine (ça aide beaucoup l'apprentissage)."""
        eux = self.lui.fronts[f]
        if not eux:
            return False
        nous = self.moi.fronts[f] + [Troupe(self.moi.main[c])]
        n, s = des_du_front(eux, nous)
        pv = sum(t.pv for t in nous)
        return sum(p for k, p in enumerate(loi_touches(n, s)) if k // 2 >= pv) > 0.85

    def _poser(self, camp, c, d, f):
        carte = camp.main.pop(c)
        de = camp.des.pop(d)
        camp.defausse.append(carte)
        camp.fronts[f].append(Troupe(carte, bonus=de - CARTES[carte][1]))

    def _fin_de_tour(self):
        self.lui.debut_tour(self.rng, DES_LUI)
        with self.montre("env.opponent"):
            self._jouer_adversaire()
        avant = self.moi.pv - self.lui.pv
        for f in range(FRONTS):
            a, b = bataille(self.moi.fronts[f], self.lui.fronts[f], self.rng)
            if a and not b:
                self.lui.pv -= self._assaut(a)
            elif b and not a:
                self.moi.pv -= self._assaut(b)
            for t in a + b:
                t.bonus = 0
            self.moi.fronts[f], self.lui.fronts[f] = a, b
        self._desertions()
        self.tour += 1
        r = 0.05 * ((self.moi.pv - self.lui.pv) - avant)
        if self.moi.pv <= 0 or self.lui.pv <= 0 or self.tour > TOURS_MAX:
            d = self.moi.pv - self.lui.pv
            return r + (1.0 if d > 0 else -1.0 if d < 0 else 0.0), True
        self.moi.debut_tour(self.rng)
        return r, False

    def _frayeur(self):
        """Après chaque coup : une troupe qui a des chances de tomber dès la première manche perd un dé ou deux."""
        for f in range(FRONTS):
            for a, b in ((self.moi.fronts[f], self.lui.fronts[f]), (self.lui.fronts[f], self.moi.fronts[f])):
                if not a:
                    continue
                n, s = des_du_front(b, a)
                loi = loi_touches(n, s)
                couvert = 0
                for t in a:
                    couvert += t.pv
                    p = sum(x for k, x in enumerate(loi) if k // 2 >= couvert)
                    t.peur = 0 if t.c == 5 or p < 0.25 else (1 if p < 0.6 else 2)

    def _assaut(self, ligne):
        return min(4, sum(2 if t.genre == "siege" else 1 for t in ligne))

    def _desertions(self):
        """Les fronts qui vont perdre à coup sûr lâchent une troupe (moral), d'après la loi des touches."""
        for f in range(FRONTS):
            for moi, eux in ((self.moi, self.lui), (self.lui, self.moi)):
                a, b = moi.fronts[f], eux.fronts[f]
                if not a or not b:
                    continue
                n, s = des_du_front(b, a)
                loi = loi_touches(n, s)
                pv = sum(t.pv for t in a)
                if sum(p for k, p in enumerate(loi) if k // 2 >= pv) > 0.6 and self.rng.random() < 0.5:
                    a.remove(min(a, key=lambda t: t.force))

    # ------------------------------------------------------------------ l'adversaire
    def _jouer_adversaire(self):
        camp, autre = self.lui, self.moi
        while camp.main and camp.des:
            base = [self._valeur_front(f, camp.fronts[f], autre.fronts[f]) for f in range(FRONTS)]
            mieux, coup = 0.05, None
            for c in range(len(camp.main)):
                if camp.main[c] in camp.main[:c]:
                    continue
                for f in range(FRONTS):
                    # le plus petit dé qui suffit
                    for d in range(len(camp.des)):
                        if self._jouable(camp, autre, c, d, f):
                            t = Troupe(camp.main[c], camp.des[d] - CARTES[camp.main[c]][1])
                            gain = self._valeur_front(f, camp.fronts[f] + [t], autre.fronts[f]) - base[f]
                            if gain > mieux:
                                mieux, coup = gain, (c, d, f)
                            break
            if coup is None:
                if camp.relance and min(camp.des) <= 2:
                    camp.relance = False
                    camp.des = sorted(self.rng.randint(1, 6) for _ in camp.des)
                    continue
                return
            self._poser(camp, *coup)

    def _valeur_front(self, f, nous, eux, essais=5):
        """Quelques batailles à blanc ; ce qui reste debout chez nous moins chez eux."""
        v = 0.0
        for _ in range(essais):
            a, b = bataille([t.copie() for t in nous], [t.copie() for t in eux], self.rng)
            v += sum(t.force + t.pv for t in a) - 1.1 * sum(t.force + t.pv for t in b)
            if a and not b:
                v += 6
            elif b and not a:
                v -= 8
        return v / essais

    # ------------------------------------------------------------------ observation
    def _observer(self):
        o = []
        for i in range(MAIN):
            un = [0.0] * 11
            if i < len(self.moi.main):
                un[self.moi.main[i]] = 1.0
                un[10] = CARTES[self.moi.main[i]][1] / 6
            o += un
        for i in range(DES):
            un = [0.0] * 7
            if i < len(self.moi.des):
                un[self.moi.des[i]] = 1.0
            else:
                un[0] = 1.0
            o += un
        for camp in (self.moi, self.lui):
            for ligne in camp.fronts:
                for j in range(PLACES):
                    if j < len(ligne):
                        t = ligne[j]
                        o += [1.0, t.force / 6, t.pv / 5, t.bonus / 4, float(t.genre == "cheval"), float(t.genre == "tir")]
                    else:
                        o += [0.0] * 6
        for f in range(FRONTS):
            a, b = self.moi.fronts[f], self.lui.fronts[f]
            na, sa = des_du_front(a, b)
            nb, sb = des_du_front(b, a)
            la, lb = loi_touches(na, sa), loi_touches(nb, sb)
            pva, pvb = sum(t.pv for t in a), sum(t.pv for t in b)
            perce = sum(p for k, p in enumerate(la) if b and k // 2 >= pvb)
            tombe = sum(p for k, p in enumerate(lb) if a and k // 2 >= pva)
            devant = 0.0
            for i, p in enumerate(la):
                for j, q in enumerate(lb):
                    if i > j:
                        devant += p * q
            o += [perce, tombe, devant, (na - nb) / 10]
        # pour chaque carte en main, ce que ses dés changeraient sur chaque front
        for i in range(MAIN):
            for f in range(FRONTS):
                if i >= len(self.moi.main) or len(self.moi.fronts[f]) >= PLACES:
                    o.append(-1.0)
                    continue
                b = self.lui.fronts[f]
                n, s = des_du_front(self.moi.fronts[f] + [Troupe(self.moi.main[i])], b)
                pv = max(1, sum(t.pv for t in b))
                o.append(sum(p for k, p in enumerate(loi_touches(n, s)) if k // 2 >= pv))
        o += [self.moi.pv / CHATEAU, self.lui.pv / CHATEAU, self.tour / TOURS_MAX, float(self.moi.relance),
              len(self.lui.main) / MAIN]
        return np.clip(np.array(o, dtype=np.float32), -4.0, 4.0)
