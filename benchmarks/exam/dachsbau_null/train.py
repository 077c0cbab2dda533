# Dachsbau Null: Selbstspiel -> lernen -> Arena -> von vorn
import copy
import csv
import json
import os
import random
from collections import deque
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import torch
import torch.nn.functional as F

from baum import Suche
from netz import DachsNetz
from spiel import AKTIONEN, Stellung
from stoppuhr import Stoppuhr

torch.set_num_threads(1)


@dataclass
class Einstellung:
    partien_pro_phase: int = 5
    simulationen: int = 32
    arena_partien: int = 4
    arena_simulationen: int = 12
    arena_alle: int = 2
    lernschritte: int = 40
    stapel: int = 64
    speicher: int = 12000
    warm_zuege: int = 10
    sekunden: float = float(os.environ.get("WILD_SECONDS", 20))


E = Einstellung()
uhr = Stoppuhr()


class Feierabend(Exception):
    pass


class Gedaechtnis:
    def __init__(self, groesse):
        self.d = deque(maxlen=groesse)

    def __len__(self):
        return len(self.d)

    def rein(self, partie, endwert):
        # endwert gilt fuer den, der nach dem letzten Zug dran waere
        w = endwert
        for ebenen, besuche in reversed(partie):
            w = -w
            pi = np.zeros(AKTIONEN, dtype=np.float32)
            s = sum(besuche.values())
            for a, n in besuche.items():
                pi[a] = n / s
            self.d.append((ebenen, pi, w))

    def stichprobe(self, n):
        teile = random.sample(self.d, n)
        x, p, w = zip(*teile)
        return (torch.tensor(np.array(x)), torch.tensor(np.array(p)),
                torch.tensor(w, dtype=torch.float32))


def waehlen(besuche, warm):
    aktionen = list(besuche)
    n = np.array([besuche[a] for a in aktionen], dtype=np.float64)
    if warm:
        return int(np.random.choice(aktionen, p=n / n.sum()))
    return aktionen[int(n.argmax())]


class Werkstatt:
    def __init__(self):
        self.netz = DachsNetz()
        self.altes = copy.deepcopy(self.netz)
        self.opt = torch.optim.Adam(self.netz.parameters(), lr=1e-3, weight_decay=1e-4)
        self.speicher = Gedaechtnis(E.speicher)
        self.zuege = self.partien = self.updates = self.phase = 0
        self.verluste = []

    def zeit_um(self):
        return perf_counter() - uhr.anfang > E.sekunden

    # ---- Selbstspiel
    def eine_partie(self):
        uhr.rein("env.reset")
        st = Stellung()
        uhr.raus()
        suche = Suche(self.netz, uhr, E.simulationen)
        verlauf = []
        while not st.aus:
            if self.zeit_um():
                raise Feierabend
            besuche = suche.denken(st)
            if not besuche:
                break
            uhr.rein("act")
            a = waehlen(besuche, st.zuege < E.warm_zuege)
            uhr.raus()
            uhr.rein("env.observe")
            e = st.ebenen()
            uhr.raus()
            verlauf.append((e, besuche))
            uhr.rein("env.step")
            st = st.ziehen(a)
            uhr.raus()
            self.zuege += 1
        uhr.rein("replay.add")
        self.speicher.rein(verlauf, st.wert)
        uhr.raus()
        self.partien += 1
        return st

    # ---- Lernen
    def lernen(self):
        self.netz.train()
        verl = []
        for _ in range(E.lernschritte):
            if len(self.speicher) < E.stapel:
                break
            uhr.rein("replay.sample")
            x, p, w = self.speicher.stichprobe(E.stapel)
            uhr.raus()
            uhr.rein("learn.update")
            lo, v = self.netz(x)
            verlust = -(p * F.log_softmax(lo, 1)).sum(1).mean() + F.mse_loss(v, w)
            self.opt.zero_grad()
            verlust.backward()
            self.opt.step()
            verl.append(verlust.item())
            uhr.raus()
            self.updates += 1
        self.netz.eval()
        return float(np.mean(verl)) if verl else float("nan")

    # ---- Arena
    def arena(self):
        punkte = 0.0
        neu = Suche(self.netz, uhr, E.arena_simulationen, rauschen=False)
        alt = Suche(self.altes, uhr, E.arena_simulationen, rauschen=False)
        for i in range(E.arena_partien):
            paar = (neu, alt) if i % 2 == 0 else (alt, neu)
            st = Stellung()
            while not st.aus:
                b = paar[st.zuege % 2].denken(st)
                if not b:
                    break
                st = st.ziehen(waehlen(b, st.zuege < 4))
            # wer waere dran?
            dran_neu = paar[st.zuege % 2] is neu
            w = st.wert if dran_neu else -st.wert
            punkte += (w + 1) / 2
        return punkte / E.arena_partien

    def hauptschleife(self):
        with open("verlauf.csv", "w", newline="") as datei:
            blatt = csv.writer(datei)
            blatt.writerow(["phase", "partien", "zuege", "verlust", "arena"])
            try:
                while not self.zeit_um():
                    self.phase += 1
                    for _ in range(E.partien_pro_phase):
                        letzte = self.eine_partie()
                    uhr.rein("env.render")
                    print(letzte.malen())
                    uhr.raus()
                    verlust = self.lernen()
                    uhr.rein("checkpoint")
                    torch.save(self.netz.state_dict(), "letzter_dachs.pt")
                    uhr.raus()
                    quote = None
                    if self.phase % E.arena_alle == 0 and not self.zeit_um():
                        uhr.rein("eval")
                        uhr.stumm = True
                        quote = self.arena()
                        uhr.stumm = False
                        uhr.raus()
                        uhr.rein("checkpoint")
                        if quote >= 0.5:
                            self.altes.load_state_dict(self.netz.state_dict())
                            torch.save({"netz": self.netz.state_dict(), "opt": self.opt.state_dict(),
                                        "phase": self.phase}, "bester_dachs.pt")
                        uhr.raus()
                    uhr.rein("log")
                    print("Phase %3d | %3d Partien, %4d Zuege | Speicher %5d | Verlust %.3f%s" % (
                        self.phase, self.partien, self.zuege, len(self.speicher), verlust,
                        "" if quote is None else " | Arena %.0f%%" % (100 * quote)), flush=True)
                    blatt.writerow([self.phase, self.partien, self.zuege, verlust, quote])
                    datei.flush()
                    uhr.raus()
            except Feierabend:
                # angefangene Partie wegwerfen
                print("Zeit um, Partie abgebrochen.")


if __name__ == "__main__":
    werk = Werkstatt()
    werk.netz.eval()
    werk.altes.eval()
    print("Dachsbau Null, %d Gewichte" % sum(p.numel() for p in werk.netz.parameters()))
    uhr.los()
    werk.hauptschleife()
    gesamt = uhr.schluss()
    print("Feierabend nach %.1f s, %d Zuege gespielt" % (gesamt, werk.zuege))
    for k, v in sorted(uhr.posten.items(), key=lambda kv: -kv[1]):
        print("  %-14s %6.2f s" % (k, v))
    ziel = os.environ.get("WILD_TRUTH")
    if ziel:
        json.dump({"wall_seconds": gesamt, "stages": uhr.posten, "env_steps": werk.zuege,
                   "episodes": werk.partien, "updates": werk.updates}, open(ziel, "w"), indent=1)
