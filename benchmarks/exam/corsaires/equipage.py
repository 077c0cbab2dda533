# equipage.py -- les ouvriers : chacun tient plusieurs batailles et répond par son tuyau
import time

import numpy as np

from mer import COTE, INFOS, NB_COUPS, PLANS, Bataille


class Quart:
    """Carnet de quart d'un ouvrier : (étage, début, fin), deux bandes voisines du même étage sont collées."""

    def __init__(self):
        self.bandes = []
        self.t = 0.0

    def debut(self):
        self.t = time.perf_counter()

    def note(self, etage):
        t = time.perf_counter()
        if self.bandes and self.bandes[-1][0] == etage and self.bandes[-1][2] == self.t:
            self.bandes[-1] = (etage, self.bandes[-1][1], t)
        else:
            self.bandes.append((etage, self.t, t))
        self.t = t

    def rendre(self):
        b, self.bandes = self.bandes, []
        return b


def matelot(tuyau, graine, combien):
    mers = [Bataille(graine * 1000 + i) for i in range(combien)]
    q = Quart()
    cartes = np.zeros((combien, PLANS, COTE, COTE), dtype=np.float32)
    infos = np.zeros((combien, INFOS), dtype=np.float32)
    permis = np.zeros((combien, NB_COUPS), dtype=bool)

    def regarder():
        for i, m in enumerate(mers):
            cartes[i], infos[i] = m.longue_vue()
        q.note("env.observe")
        for i, m in enumerate(mers):
            permis[i] = m.coups_permis()
        q.note("env.mask")

    while True:
        ordre, charge = tuyau.recv()
        if ordre == "lever_l_ancre":
            q.debut()
            for m in mers:
                m.nouvelle_partie()
            q.note("env.reset")
            regarder()
            tuyau.send((cartes, infos, permis, q.rendre()))
        elif ordre == "bordee":
            q.debut()
            gains = np.zeros(combien, dtype=np.float32)
            fins = np.zeros(combien, dtype=bool)
            finies = []
            for i, m in enumerate(mers):
                aux_pirates = m.jouer_coup(int(charge[i]))
                if aux_pirates:
                    q.note("env.step")
                    m.tour_adverse()
                    q.note("env.opponent")
                gains[i] = m.clore()
                fins[i] = m.terminee
                if m.terminee:
                    finies.append((i, m.total, m.issue, m.manche))
                    q.note("env.step")
                    m.nouvelle_partie()
                    q.note("env.reset")
            q.note("env.step")
            regarder()
            tuyau.send((cartes, infos, permis, gains, fins, finies, q.rendre()))
        elif ordre == "au_port":
            tuyau.close()
            return


class Escadre:
    """Côté principal : envoie les ordres, attend tout le monde, recolle."""

    def __init__(self, ctx, ouvriers, par_ouvrier):
        self.par = par_ouvrier
        self.tuyaux, self.procs = [], []
        for w in range(ouvriers):
            ici, la = ctx.Pipe()
            p = ctx.Process(target=matelot, args=(la, w + 1, par_ouvrier), daemon=True)
            p.start()
            la.close()
            self.tuyaux.append(ici)
            self.procs.append(p)

    def appareiller(self):
        for t in self.tuyaux:
            t.send(("lever_l_ancre", None))
        r = [t.recv() for t in self.tuyaux]
        return [np.concatenate([x[k] for x in r]) for k in range(3)]

    def donner_ordres(self, coups):
        for w, t in enumerate(self.tuyaux):
            t.send(("bordee", coups[w * self.par:(w + 1) * self.par]))

    def ecouter(self):
        return [t.recv() for t in self.tuyaux]

    def rentrer(self):
        for t in self.tuyaux:
            t.send(("au_port", None))
        for p in self.procs:
            p.join(5)
