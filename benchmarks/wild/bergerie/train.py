import json
import multiprocessing as mp
import os
from time import perf_counter_ns

import numpy as np
import torch
from torch import nn

from prairie import DIRECTIONS, TAILLE_VUE, TROUPEAUX, bergerie_ouvriere

torch.set_num_threads(1)
torch.manual_seed(12)
NB_OUVRIERS, HORIZON = len(TROUPEAUX), 128


class Cerveau(nn.Module):
    def __init__(self):
        super().__init__()
        self.tronc = nn.Sequential(nn.Linear(TAILLE_VUE, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh())
        self.politique = nn.Linear(128, len(DIRECTIONS))
        self.valeur = nn.Linear(128, 1)

    def forward(self, vues):
        h = self.tronc(vues)
        return torch.distributions.Categorical(logits=self.politique(h)), self.valeur(h).squeeze(-1)


class Chronometre:
    def __init__(self):
        self.postes = {}
        self.attentes = []

    def partir(self):
        self.depart = self.marque = perf_counter_ns()

    def noter(self, poste):
        t = perf_counter_ns()
        self.postes[poste] = self.postes.get(poste, 0) + t - self.marque
        self.marque = t

    def attente(self, arrivees, horaires):
        debut, self.marque = self.marque, perf_counter_ns()
        self.attentes.append((debut, self.marque, arrivees, horaires))

    def partager(self, un_par_un):
        """Ce que faisait l'ouvrier attendu pendant que le maitre attendait."""
        parts = {}
        for debut, fin, arrivees, horaires in self.attentes:
            if un_par_un:
                bornes = [debut] + arrivees
                morceaux = [(bornes[i], bornes[i + 1], horaires[i]) for i in range(NB_OUVRIERS)]
            else:
                morceaux = [(debut, fin, max(horaires, key=lambda h: h[-1][2]))]
            reste = fin - debut
            for a, b, liste in morceaux:
                for poste, t0, t1 in liste:
                    commun = max(0, min(b, t1) - max(a, t0))
                    parts[poste] = parts.get(poste, 0) + commun
                    reste -= commun
            parts["messages"] = parts.get("messages", 0) + reste
        return parts


class Berger:
    def __init__(self):
        self.tuyaux, self.ouvriers = [], []
        for i in range(NB_OUVRIERS):
            ici, la_bas = mp.Pipe()
            p = mp.Process(target=bergerie_ouvriere, args=(la_bas, 100 + i, TROUPEAUX[i]), daemon=True)
            p.start()
            la_bas.close()
            self.tuyaux.append(ici)
            self.ouvriers.append(p)
        self.cerveau = Cerveau()
        self.optimiseur = torch.optim.Adam(self.cerveau.parameters(), lr=6e-4)
        self.chrono = Chronometre()
        self.vues = np.stack([t.recv() for t in self.tuyaux])
        self.tours = self.parties = self.maj = 0
        self.scores, self.cumul = [], [0.0] * NB_OUVRIERS

    def choisir(self):
        with torch.no_grad():
            loi, valeur = self.cerveau(torch.from_numpy(self.vues))
            choix = loi.sample()
            return choix.numpy(), loi.log_prob(choix).numpy(), valeur.numpy()

    def faire_jouer(self, choix):
        for tuyau, c in zip(self.tuyaux, choix):
            tuyau.send(int(c))
        reponses, arrivees = [], []
        for tuyau in self.tuyaux:
            reponses.append(tuyau.recv())
            arrivees.append(perf_counter_ns())
        vues, gains, finis, rentres, horaires = zip(*reponses)
        self.chrono.attente(arrivees, horaires)
        for i in range(NB_OUVRIERS):
            self.cumul[i] += gains[i]
            if finis[i]:
                self.scores.append((self.cumul[i], rentres[i] / TROUPEAUX[i]))
                self.cumul[i] = 0.0
                self.parties += 1
        self.tours += NB_OUVRIERS
        return np.stack(vues), np.array(gains, np.float32), np.array(finis, np.float32)

    def recolter(self):
        c, cahier = self.chrono, []
        for _ in range(HORIZON):
            choix, logp, valeur = self.choisir()
            c.noter("choisir")
            suivantes, gains, finis = self.faire_jouer(choix)
            cahier.append((self.vues, choix, logp, valeur, gains, finis))
            self.vues = suivantes
            c.noter("reste")
        return [np.stack(colonne) for colonne in zip(*cahier)]

    def avantages(self, valeurs, gains, finis):
        with torch.no_grad():
            suivante = self.cerveau(torch.from_numpy(self.vues))[1].numpy()
        self.chrono.noter("derniere_valeur")
        adv, acc = np.zeros_like(gains), 0.0
        for t in range(HORIZON - 1, -1, -1):
            vivant = 1.0 - finis[t]
            delta = gains[t] + 0.98 * suivante * vivant - valeurs[t]
            acc = delta + 0.98 * 0.95 * vivant * acc
            adv[t], suivante = acc, valeurs[t]
        return adv

    def apprendre(self, vues, choix, logp, adv, retours):
        lots = [torch.from_numpy(x.reshape(HORIZON * NB_OUVRIERS, *x.shape[2:])) for x in (vues, choix, logp, adv, retours)]
        n = HORIZON * NB_OUVRIERS
        for _ in range(6):
            for idx in torch.randperm(n).split(64):
                v, a, lp, ad, r = (x[idx] for x in lots)
                ad = (ad - ad.mean()) / (ad.std() + 1e-6)
                loi, valeur = self.cerveau(v)
                ratio = (loi.log_prob(a) - lp).exp()
                perte = -torch.min(ratio * ad, ratio.clamp(0.8, 1.2) * ad).mean()
                perte = perte + 0.5 * (valeur - r).pow(2).mean() - 0.01 * loi.entropy().mean()
                self.optimiseur.zero_grad()
                perte.backward()
                nn.utils.clip_grad_norm_(self.cerveau.parameters(), 0.5)
                self.optimiseur.step()
                self.maj += 1
        return perte.item()

    def travailler(self, secondes):
        c = self.chrono
        c.partir()
        saison = 0
        while (perf_counter_ns() - c.depart) / 1e9 < secondes:
            vues, choix, logp, valeurs, gains, finis = self.recolter()
            c.noter("reste")
            adv = self.avantages(valeurs, gains, finis)
            c.noter("avantages")
            perte = self.apprendre(vues, choix, logp, adv, adv + valeurs)
            c.noter("apprendre")
            saison += 1
            if saison % 5 == 0 and self.scores:
                recents = np.mean(self.scores[-20:], axis=0)
                print(f"saison {saison} tours {self.tours} score {recents[0]:.2f} rentres {recents[1]:.0%} perte {perte:.3f}", flush=True)
                c.noter("journal")
        c.noter("reste")
        duree = c.marque - c.depart
        for t in self.tuyaux:
            t.send(None)
        for p in self.ouvriers:
            p.join()
        return duree


NOMS = {"choisir": "act", "derniere_valeur": "act.value", "messages": "vec.*", "avantages": "learn.returns", "apprendre": "learn.*",
        "journal": "log", "reste": "other", "tour": "env.step", "gain": "env.reward", "vue": "env.observe", "nouvelle": "env.reset"}

if __name__ == "__main__":
    berger = Berger()
    duree = berger.travailler(float(os.environ.get("WILD_SECONDS", 20)))
    etapes = {}
    for source in (berger.chrono.postes, berger.chrono.partager(True)):
        for poste, t in source.items():
            etapes[NOMS[poste]] = etapes.get(NOMS[poste], 0) + t / 1e9
    autre = {NOMS[p]: round(t / duree, 4) for p, t in berger.chrono.partager(False).items()}
    if os.environ.get("WILD_TRUTH"):
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump({"wall_seconds": duree / 1e9, "stages": etapes, "env_steps": berger.tours, "episodes": berger.parties, "updates": berger.maj,
                       "note": "env_steps counts one per worker and round (3 per round). Each worker sends the intervals of jouer_tour (env.step: "
                               "dog and flock; env.reward; env.observe) and nouvelle_partie with its answer. The pipes are read in order: the wait "
                               "in recv of worker i is laid over worker i's own intervals (the sends before belong to the first wait); what they "
                               "do not cover (sends, wake-up, waiting for a core, pickling, pipe) is vec.*. If instead the whole round is laid over "
                               "the one worker that ended last (with 3 workers on 2 cores often a small flock that started late), these would be, "
                               "as shares of the wall: " + json.dumps(autre)}, f, indent=1)
