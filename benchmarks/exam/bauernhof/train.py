import csv
import json
import os
from time import perf_counter

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")   # mit zwei Faeden ist es bei mir langsamer
import numpy as np
import yaml

from hof import HANDLUNGEN, Bauernhof
from lehrling import Lehrling
from stoppuhr import uhr

SCHLUESSEL = {"neujahr": "env.reset", "tagwerk": "env.step", "erlaubt": "env.mask", "belohnung": "env.reward",
              "beobachtung": "env.observe", "entscheiden": "act", "bewerten": "act.value", "ertraege": "learn.returns",
              "lernen": "learn.update", "protokoll": "log", "probejahr": "eval", "speichern": "checkpoint"}


def probejahr(lehrling, einst):
    """ein ganzes Jahr ohne Zufall in der Wahl"""
    with uhr.messen("probejahr"):
        uhr.stumm = True
        hof, vorbei = Bauernhof(einst["hof"], 4711), False
        while not vorbei:
            logits = lehrling.akteur.vorwaerts(hof.beobachtung()[None])[0]
            _, vorbei = hof.tagwerk(int(np.where(hof.erlaubt(), logits, -1e9).argmax()))
        uhr.stumm = False
        return hof.vermoegen()


def hauptprogramm():
    with open("einstellungen.yaml", encoding="utf-8") as f:
        einst = yaml.safe_load(f)
    dauer = float(os.environ.get("WILD_SECONDS", 20))
    l, pr = einst["lernen"], einst["protokoll"]
    tage = jahre = runden = 0
    uhr.summen.clear()
    beginn = perf_counter()
    hoefe = [Bauernhof(einst["hof"], 100 + i) for i in range(l["anzahl_hoefe"])]
    lagen = np.stack([h.beobachtung() for h in hoefe])
    lehrling = Lehrling(lagen.shape[1], len(HANDLUNGEN), l)
    jahresende = []
    datei = open("verlauf.csv", "w", newline="")
    schreiber = csv.writer(datei)

    while perf_counter() - beginn < dauer:
        sp_lagen, sp_masken, sp_taten, sp_loehne, sp_enden = [], [], [], [], []
        for _ in range(l["schritte"]):
            masken = np.stack([h.erlaubt() for h in hoefe])
            taten = lehrling.entscheiden(lagen, masken)
            neue, loehne, enden = [], [], []
            for h, tat in zip(hoefe, taten):
                lohn, vorbei = h.tagwerk(tat)
                tage += 1
                if vorbei:
                    jahre += 1
                    jahresende.append(h.vermoegen())
                    h.neues_jahr()
                neue.append(h.beobachtung())
                loehne.append(lohn)
                enden.append(vorbei)
            sp_lagen.append(lagen)
            sp_masken.append(masken)
            sp_taten.append(taten)
            sp_loehne.append(loehne)
            sp_enden.append(enden)
            lagen = np.stack(neue)
        ertraege = lehrling.ertraege(sp_loehne, sp_enden, lehrling.bewerten(lagen))
        verlust, entropie = lehrling.lernen(sp_lagen, sp_masken, sp_taten, ertraege)
        runden += 1
        if runden % pr["alle_runden"] == 0:
            with uhr.messen("protokoll"):
                schnitt = float(np.mean(jahresende[-20:])) if jahresende else 0.0
                schreiber.writerow([runden, tage, jahre, schnitt, verlust, entropie])
                datei.flush()
                print(f"Runde {runden:5d}  Tag {tage:7d}  Vermoegen {schnitt:8.1f}  Verlust {verlust:.3f}", flush=True)
        if runden % pr["probejahr_alle"] == 0:
            print("   Probejahr:", round(probejahr(lehrling, einst), 1))
        if runden % pr["speichern_alle"] == 0:
            lehrling.speichern("lehrling.npz")

    gesamt = perf_counter() - beginn
    datei.close()
    stufen = {SCHLUESSEL[k]: v for k, v in uhr.summen.items()}
    stufen["other"] = gesamt - sum(stufen.values())
    for k, v in sorted(stufen.items(), key=lambda kv: -kv[1]):
        print(f"{k:15s}{v:8.3f} s {100 * v / gesamt:5.1f} %")
    ziel = os.environ.get("WILD_TRUTH")
    if ziel:
        with open(ziel, "w") as f:      # ein Lernschritt = zwei Adam-Schritte (Akteur, Kritiker), gezaehlt als einer
            json.dump({"wall_seconds": gesamt, "stages": stufen, "env_steps": tage,
                       "episodes": jahre, "updates": runden}, f, indent=1)


if __name__ == "__main__":
    hauptprogramm()
