#!/usr/bin/env python3
"""Rennstall-Manager: Double DQN entscheidet an der Boxenmauer. Lehrplan in vier Stufen."""
import csv
import json
import os
import random
import sys
import time
from collections import defaultdict, deque

import numpy as np
import torch

HIER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HIER)
from rennen import Rennen, N_AKTIONEN
from strategen import Stur, Schwelle, Rechner
from ingenieur import telemetrie, LAENGE
from ddqn import DoppelDQN, Gedaechtnis

SEKUNDEN = float(os.environ.get("WILD_SECONDS", 20))
START_LERNEN = 300
BATCH = 64
LERNEN_ALLE = 2
EVAL_ALLE = 25
EVAL_RENNEN = 4

LEHRPLAN = [
    dict(name="Kartbahn", runden=12, gegner=7, regen=0.0, safety=0.0, handicap=0.4, stratege=Stur, ziel=3.0),
    dict(name="Formel 4", runden=15, gegner=7, regen=0.0, safety=0.03, handicap=0.2, stratege=Schwelle, ziel=3.0),
    dict(name="Formel 2", runden=18, gegner=8, regen=0.03, safety=0.05, handicap=0.1, stratege=Schwelle, ziel=3.5),
    dict(name="Formel 1", runden=20, gegner=9, regen=0.05, safety=0.05, handicap=0.0, stratege=Rechner, ziel=0.0),
]
LEHRPLAN[0]["stratege"] = lambda rng: (Stur if rng.random() < 0.5 else Rechner)(rng)   # sonst zu zaeh am Anfang


def probefahrt(agent, stufe, saat):
    """Ohne Zufall fahren; eigene Wegwerf-Uhr, damit die Spielzeiten nicht doppelt zaehlen."""
    plaetze = []
    for i in range(EVAL_RENNEN):
        r = Rennen(stufe, saat + i, defaultdict(float))
        fertig = False
        while not fertig:
            m = np.array(r.erlaubt(r.ich))
            _, fertig = r.runde(agent.waehle(telemetrie(r, m), m, 0.0))
        plaetze.append(r.ich.platz)
    return sum(plaetze) / len(plaetze)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(3)
    random.seed(3)
    np.random.seed(3)
    uhr = defaultdict(float)
    agent = DoppelDQN(LAENGE, N_AKTIONEN)
    ged = Gedaechtnis()
    datei = open(os.path.join(HIER, "verlauf.csv"), "w", newline="")
    schreiber = csv.writer(datei)
    schreiber.writerow(["episode", "stufe", "platz", "lohn", "boxen", "eps", "verlust"])

    stufe_nr, bestes = 0, 99.0
    schritte = episoden = gestartet = 0
    plaetze = deque(maxlen=30)
    pc = time.perf_counter

    t = pc()
    rennen = Rennen(LEHRPLAN[0], 0, uhr)     # erstes Rennen gehoert noch nicht zur Uhr
    maske = np.array(rennen.erlaubt(rennen.ich))
    x = telemetrie(rennen, maske)
    lohn_summe, verlust = 0.0, 0.0
    beginn = ende = pc()
    while True:
        eps = max(0.04, 0.6 * 0.9985 ** schritte)
        t = pc()
        aktion = agent.waehle(x, maske, eps)
        uhr["act"] += pc() - t

        lohn, fertig = rennen.runde(aktion)
        schritte += 1
        lohn_summe += lohn

        t = pc()
        maske2 = np.array(rennen.erlaubt(rennen.ich))
        t2 = pc()
        x2 = telemetrie(rennen, maske2)
        t3 = pc()
        ged.merken(x, aktion, lohn, x2, maske2, float(fertig))
        t4 = pc()
        uhr["env.mask"] += t2 - t
        uhr["env.observe"] += t3 - t2
        uhr["replay.add"] += t4 - t3
        x, maske = x2, maske2

        if len(ged) >= START_LERNEN and schritte % LERNEN_ALLE == 0:
            t = pc()
            paket = ged.ziehen(BATCH)
            t2 = pc()
            verlust = agent.lernen(paket)
            ende = pc()
            uhr["replay.sample"] += t2 - t
            uhr["learn.update"] += ende - t2
            if ende - beginn >= SEKUNDEN:
                if fertig:
                    episoden += 1
                break

        if fertig:
            episoden += 1
            plaetze.append(rennen.ich.platz)
            t = pc()
            schreiber.writerow([episoden, stufe_nr, rennen.ich.platz, round(lohn_summe, 3), rennen.ich.boxen, round(eps, 3), round(verlust, 5)])
            if episoden % 10 == 0:
                datei.flush()
                print(f"Rennen {episoden:4d}  {LEHRPLAN[stufe_nr]['name']:9s}  Platz im Mittel {np.mean(plaetze):.2f}  "
                      f"eps {eps:.2f}  Verlust {verlust:.4f}", flush=True)
            uhr["log"] += pc() - t

            if episoden % EVAL_ALLE == 0:
                t = pc()
                mittel = probefahrt(agent, LEHRPLAN[stufe_nr], 5000 + episoden)
                uhr["eval"] += pc() - t
                print(f"   Probefahrt {LEHRPLAN[stufe_nr]['name']}: Platz {mittel:.2f}")
                if mittel < bestes:
                    bestes = mittel
                    t = pc()
                    torch.save({"netz": agent.netz.state_dict(), "stufe": stufe_nr}, os.path.join(HIER, "bester.pt"))
                    uhr["checkpoint"] += pc() - t
                if mittel <= LEHRPLAN[stufe_nr]["ziel"] and stufe_nr < len(LEHRPLAN) - 1:
                    stufe_nr, bestes = stufe_nr + 1, 99.0
                    print("   -> Aufstieg:", LEHRPLAN[stufe_nr]["name"])

            gestartet += 1
            t = pc()
            rennen = Rennen(LEHRPLAN[stufe_nr], gestartet, uhr)
            t2 = pc()
            maske = np.array(rennen.erlaubt(rennen.ich))
            t3 = pc()
            x = telemetrie(rennen, maske)
            uhr["env.observe"] += pc() - t3
            uhr["env.mask"] += t3 - t2
            uhr["env.reset"] += t2 - t
            lohn_summe = 0.0

    wand = ende - beginn
    datei.close()
    uhr["other"] = wand - sum(uhr.values())
    for k, v in sorted(uhr.items(), key=lambda kv: -kv[1]):
        print(f"{k:14s} {v:7.3f} s  {100 * v / wand:5.1f} %")
    erg = {"wall_seconds": wand, "stages": dict(uhr), "env_steps": schritte, "episodes": episoden, "updates": agent.updates}
    print("Schritte", schritte, "Rennen", episoden, "Updates", agent.updates, "wand", round(wand, 2))
    if os.environ.get("WILD_TRUTH"):
        json.dump(erg, open(os.environ["WILD_TRUTH"], "w"))


if __name__ == "__main__":
    main()
