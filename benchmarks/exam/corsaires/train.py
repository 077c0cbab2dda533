# PPO maison pour les corsaires. Deux ouvriers, six batailles chacun.
import collections
import json
import multiprocessing as mp
import os
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from equipage import Escadre
from mer import COTE, INFOS, NB_COUPS, PLANS

DUREE = float(os.environ.get("WILD_SECONDS", "20"))
VERITE = os.environ.get("WILD_TRUTH", "verite.json")
ICI = os.path.dirname(os.path.abspath(__file__))
OUVRIERS, PAR = 2, 6
HORIZON = 32
EPOQUES, LOT = 3, 96
GAMMA, LAMBDA, COUPE = 0.985, 0.95, 0.2

horloge = collections.defaultdict(float)
maintenant = time.perf_counter


class Amiral(nn.Module):
    def __init__(self):
        super().__init__()
        self.oeil = nn.Sequential(nn.Conv2d(PLANS, 16, 3), nn.ReLU(), nn.Conv2d(16, 24, 3, stride=2), nn.ReLU(), nn.Flatten())
        n = self.oeil(torch.zeros(1, PLANS, COTE, COTE)).shape[1]
        self.tronc = nn.Sequential(nn.Linear(n + INFOS, 96), nn.ReLU())
        self.acteur = nn.Linear(96, NB_COUPS)
        self.critique = nn.Linear(96, 1)
        nn.init.orthogonal_(self.acteur.weight, 0.01)

    def forward(self, g, v, m):
        h = self.tronc(torch.cat([self.oeil(g), v], 1))
        return self.acteur(h).masked_fill(~m, -1e9), self.critique(h).squeeze(1)


def tirer(logits):
    """Gumbel : plus court que Categorical."""
    u = torch.rand_like(logits).clamp_(1e-9, 1 - 1e-9)
    a = (logits - torch.log(-torch.log(u))).argmax(1)
    lp = torch.log_softmax(logits, 1).gather(1, a[:, None]).squeeze(1)
    return a, lp


class Livre:
    """Le livre de bord : la trajectoire de HORIZON pas pour toutes les batailles."""

    def __init__(self, n):
        self.g = np.zeros((HORIZON, n, PLANS, COTE, COTE), dtype=np.float32)
        self.v = np.zeros((HORIZON, n, INFOS), dtype=np.float32)
        self.m = np.zeros((HORIZON, n, NB_COUPS), dtype=bool)
        self.a = np.zeros((HORIZON, n), dtype=np.int64)
        self.lp, self.val, self.r, self.fin = (np.zeros((HORIZON, n), dtype=np.float32) for _ in range(4))

    def ecrire(self, k, g, v, m, a, lp, val):
        self.g[k], self.v[k], self.m[k] = g, v, m
        self.a[k], self.lp[k], self.val[k] = a, lp, val

    def avantages(self, derniere):
        """GAE, en boucle Python, bataille par bataille (c'est plus lisible)."""
        adv = np.zeros_like(self.r)
        for b in range(self.r.shape[1]):
            acc = 0.0
            suivante = float(derniere[b])
            for k in range(HORIZON - 1, -1, -1):
                vif = 1.0 - float(self.fin[k, b])
                delta = float(self.r[k, b]) + GAMMA * suivante * vif - float(self.val[k, b])
                acc = delta + GAMMA * LAMBDA * vif * acc
                adv[k, b] = acc
                suivante = float(self.val[k, b])
        return adv, adv + self.val


def repartir(a, b, carnets):
    """L'attente [a, b] : d'abord les bandes de l'ouvrier qui a fini le dernier, puis les trous par l'autre, puis vec.wait."""
    carnets = sorted(carnets, key=lambda c: c[-1][2], reverse=True)
    premier = carnets[0]
    reste = b - a
    for etage, x, y in premier:
        x, y = max(x, a), min(y, b)
        if y > x:
            horloge[etage] += y - x
            reste -= y - x
    d0, f0 = premier[0][1], premier[-1][2]           # les bandes d'un ouvrier se touchent
    for autre in carnets[1:]:
        for etage, x, y in autre:
            for u, w in ((max(x, a), min(y, b, d0)), (max(x, a, f0), min(y, b))):
                if w > u:
                    horloge[etage] += w - u
                    reste -= w - u
    horloge["vec.wait"] += reste


def apprendre(net, opt, livre, adv, cible):
    plat = lambda x: torch.from_numpy(x.reshape((-1,) + x.shape[2:]))
    g, v, m, a, lp0 = plat(livre.g), plat(livre.v), plat(livre.m), plat(livre.a), plat(livre.lp)
    adv, cible = plat(adv), plat(cible)
    adv = (adv - adv.mean()) / (adv.std() + 1e-6)
    n, nb, somme = len(a), 0, 0.0
    for _ in range(EPOQUES):
        ordre = torch.randperm(n)
        for i in range(0, n, LOT):
            j = ordre[i:i + LOT]
            logits, val = net(g[j], v[j], m[j])
            lps = torch.log_softmax(logits, 1)
            lp = lps.gather(1, a[j][:, None]).squeeze(1)
            ratio = (lp - lp0[j]).exp()
            p1 = -torch.min(ratio * adv[j], ratio.clamp(1 - COUPE, 1 + COUPE) * adv[j]).mean()
            p2 = F.mse_loss(val, cible[j])
            entropie = -(lps.exp() * lps.masked_fill(~m[j], 0.0)).sum(1).mean()
            perte = p1 + 0.5 * p2 - 0.01 * entropie
            opt.zero_grad()
            perte.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            opt.step()
            nb += 1
            somme += float(perte.detach())
    return nb, somme / nb


def main():
    torch.set_num_threads(1)
    torch.manual_seed(7)
    np.random.seed(7)
    escadre = Escadre(mp.get_context("fork"), OUVRIERS, PAR)
    n = OUVRIERS * PAR
    net = Amiral()
    opt = torch.optim.Adam(net.parameters(), lr=6e-4)
    livre = Livre(n)
    bord = open(os.path.join(ICI, "journal_de_bord.txt"), "w")
    g, v, m = escadre.appareiller()
    pas = parties = majs = tours = 0
    issues = collections.deque(maxlen=40)
    totaux = collections.deque(maxlen=40)

    debut = maintenant()
    while True:
        for k in range(HORIZON):
            t = maintenant()
            with torch.no_grad():
                logits, val = net(torch.from_numpy(g), torch.from_numpy(v), torch.from_numpy(m))
                a, lp = tirer(logits)
            a = a.numpy()
            t2 = maintenant()
            horloge["act"] += t2 - t
            escadre.donner_ordres(a)
            t = maintenant()
            horloge["vec.send"] += t - t2
            # on écrit la page pendant que les matelots travaillent
            livre.ecrire(k, g, v, m, a, lp.numpy(), val.numpy())
            t2 = maintenant()
            horloge["replay.add"] += t2 - t
            reponses = escadre.ecouter()
            t = maintenant()
            repartir(t2, t, [r[-1] for r in reponses])
            t = maintenant()
            g, v, m, r, fin = (np.concatenate([x[i] for x in reponses]) for i in range(5))
            livre.r[k], livre.fin[k] = r, fin
            horloge["replay.add"] += maintenant() - t
            pas += n
            for w, x in enumerate(reponses):
                for i, total, issue, manche in x[5]:
                    t = maintenant()
                    parties += 1
                    issues.append(issue)
                    totaux.append(total)
                    bord.write(f"{pas} mer {w * PAR + i} manches {manche} issue {issue:+d} total {total:+.3f}\n")
                    horloge["log"] += maintenant() - t
        t = maintenant()
        with torch.no_grad():
            _, derniere = net(torch.from_numpy(g), torch.from_numpy(v), torch.from_numpy(m))
        t2 = maintenant()
        horloge["act.value"] += t2 - t
        adv, cible = livre.avantages(derniere.numpy())
        t = maintenant()
        horloge["learn.returns"] += t - t2
        nb, perte = apprendre(net, opt, livre, adv, cible)
        majs += nb
        tours += 1
        horloge["learn.update"] += maintenant() - t
        if maintenant() - debut >= DUREE:
            break
        if tours % 3 == 0:
            t = maintenant()
            bord.flush()
            print(f"{pas:7d} pas {parties:4d} parties  perte {perte:+.3f}  total {np.mean(totaux or [0]):+.2f}"
                  f"  issue {np.mean(issues or [0]):+.2f}", flush=True)
            horloge["log"] += maintenant() - t
        if tours % 8 == 0:
            t = maintenant()
            torch.save(net.state_dict(), os.path.join(ICI, "amiral.pt"))
            horloge["checkpoint"] += maintenant() - t
    mur = maintenant() - debut
    horloge["other"] = mur - sum(horloge.values())
    bord.close()
    escadre.rentrer()
    with open(VERITE, "w") as f:
        json.dump({"wall_seconds": mur, "stages": dict(horloge), "env_steps": pas, "episodes": parties, "updates": majs}, f, indent=1)
    for k, s in sorted(horloge.items(), key=lambda x: -x[1]):
        print(f"{k:14s} {s:7.3f}  {s / mur:6.1%}")


if __name__ == "__main__":
    main()
