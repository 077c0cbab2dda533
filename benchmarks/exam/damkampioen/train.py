# Damkampioen - leert dammen van Ome Joop
import csv
import json
import os
import random
from collections import defaultdict
from time import perf_counter

import numpy as np
import torch

from dammen import WIT, ZWART, VELDEN, Dambord
from leerling import ACTIES, INVOER, Geheugen, Leerling
from tegenstander import OmeJoop, Willekeur

HIER = os.path.dirname(os.path.abspath(__file__))
MAX_BEURTEN = 60
LES_OM_DE = 3            # partijen
LESSEN_PER_KEER = 8


class Beurt:
    __slots__ = ("kijk", "masker", "actie", "loon")

    def __init__(self, kijk, masker, actie):
        self.kijk, self.masker, self.actie = kijk, masker, actie
        self.loon = 0.0


def bekijk(bord, kleur, beurt):
    """Bord gezien door de ogen van wie aan zet is (zwart draait het bord om)."""
    k = np.zeros(INVOER, np.float32)
    for v in range(VELDEN):
        s = bord.stukken[v] * kleur
        if s:
            w = v if kleur == WIT else VELDEN - 1 - v
            laag = 0 if s == 1 else 1 if s == 2 else 2 if s == -1 else 3
            k[laag * VELDEN + w] = 1.0
    k[-2] = beurt / MAX_BEURTEN
    k[-1] = bord.stil / 20
    return k


def zetten_en_masker(bord, kleur):
    masker = np.zeros(ACTIES, bool)
    bij_actie = {}
    for z in bord.mogelijke_zetten(kleur):
        a = z.van * 32 + z.naar if kleur == WIT else (31 - z.van) * 32 + 31 - z.naar
        if a not in bij_actie:
            bij_actie[a] = z
            masker[a] = True
    return bij_actie, masker


def beloning(bord, kleur, eerst, uitslag):
    loon = 0.1 * (bord.materiaal(kleur) - eerst)
    if uitslag is not None:
        loon += uitslag
    return loon


def speel_partij(leerling, ander, kleur, nieuwsgierig, tijd):
    """Speelt een hele partij. Geeft (lijst van beurten, uitslag 1/0/-1) terug."""
    t = perf_counter()
    bord = Dambord()
    partij = []
    uitslag = None
    tijd["env.reset"] += perf_counter() - t
    if kleur == ZWART:                       # de ander is wit en begint
        t = perf_counter()
        zet = ander.kies(bord, WIT)
        t1 = perf_counter()
        bord.doe(zet)
        tijd["env.opponent"] += t1 - t
        tijd["env.step"] += perf_counter() - t1

    while uitslag is None:
        t0 = perf_counter()
        bij_actie, masker = zetten_en_masker(bord, kleur)
        t1 = perf_counter()
        tijd["env.mask"] += t1 - t0
        if not bij_actie:
            uitslag = -1
            if partij:
                partij[-1].loon -= 1.0
            break
        kijk = bekijk(bord, kleur, len(partij))
        t2 = perf_counter()
        tijd["env.observe"] += t2 - t1
        actie = leerling.kies_actie(kijk, masker, nieuwsgierig)
        t3 = perf_counter()
        tijd["act"] += t3 - t2
        beurt = Beurt(kijk, masker, actie)
        partij.append(beurt)
        eerst = bord.materiaal(kleur)
        t4 = perf_counter()
        tijd["env.reward"] += t4 - t3
        bord.doe(bij_actie[actie])
        t5 = perf_counter()
        tijd["env.step"] += t5 - t4
        zet = ander.kies(bord, -kleur)
        t6 = perf_counter()
        tijd["env.opponent"] += t6 - t5
        if zet is None:
            uitslag = 1
        else:
            bord.doe(zet)
            if bord.stil >= 20 or len(partij) >= MAX_BEURTEN:
                uitslag = 0
        t7 = perf_counter()
        tijd["env.step"] += t7 - t6
        beurt.loon = beloning(bord, kleur, eerst, uitslag)
        tijd["env.reward"] += perf_counter() - t7
    return partij, uitslag


def onthoud_partij(geheugen, partij):
    laatste = len(partij) - 1
    for i, b in enumerate(partij):
        if i == laatste:
            geheugen.onthoud(b.kijk, b.actie, b.loon, None, None, 1.0)
        else:
            n = partij[i + 1]
            geheugen.onthoud(b.kijk, b.actie, b.loon, n.kijk, n.masker, 0.0)


def examen(leerling, bot, aantal=4):
    weg = defaultdict(float)                 # examentijden tellen niet los mee
    punten = 0
    for i in range(aantal):
        punten += speel_partij(leerling, bot, WIT if i % 2 == 0 else ZWART, 0.0, weg)[1]
    return punten / aantal


def hoofd():
    torch.set_num_threads(1)
    torch.manual_seed(1)
    random.seed(1)
    np.random.seed(1)
    seconden = float(os.environ.get("WILD_SECONDS", "60"))
    leerling, geheugen = Leerling(), Geheugen()
    joop, gek = OmeJoop(), Willekeur()
    logboek = open(os.path.join(HIER, "logboek.csv"), "w", newline="")
    schrijver = csv.writer(logboek)
    schrijver.writerow(["partij", "uitslag", "beurten", "fout", "nieuwsgierig"])
    tijd = defaultdict(float)
    partijen = zetten = 0
    scores = []
    fout = 0.0

    begin = perf_counter()
    while perf_counter() - begin < seconden:
        kleur = WIT if partijen % 2 == 0 else ZWART
        leerling.nieuwsgierig = max(0.08, 1.0 - partijen / 150)
        partij, uitslag = speel_partij(leerling, joop, kleur, leerling.nieuwsgierig, tijd)
        partijen += 1
        zetten += len(partij)
        scores.append(uitslag)

        t = perf_counter()
        onthoud_partij(geheugen, partij)
        tijd["replay.add"] += perf_counter() - t

        if geheugen.n >= 200 and partijen % LES_OM_DE == 0:
            for _ in range(LESSEN_PER_KEER):
                t0 = perf_counter()
                greep = geheugen.greep(64)
                t1 = perf_counter()
                fout = leerling.les(greep)
                tijd["replay.sample"] += t1 - t0
                tijd["learn"] += perf_counter() - t1

        t = perf_counter()
        schrijver.writerow([partijen, uitslag, len(partij), round(fout, 5), leerling.nieuwsgierig])
        if partijen % 20 == 0:
            logboek.flush()
            print(f"partij {partijen:5d}  gemiddeld {np.mean(scores[-40:]):+.2f}  fout {fout:.4f}")
        t1 = perf_counter()
        tijd["logging"] += t1 - t
        if partijen % 40 == 0:
            cijfer = examen(leerling, gek)
            print(f"   examen tegen Willekeur: {cijfer:+.2f}")
            tijd["eval"] += perf_counter() - t1
        if partijen % 60 == 0:
            t = perf_counter()
            torch.save(leerling.brein.state_dict(), os.path.join(HIER, "brein.pt"))
            tijd["checkpoint"] += perf_counter() - t
    totaal = perf_counter() - begin

    logboek.close()
    tijd["other"] = totaal - sum(tijd.values())
    with open(os.environ.get("WILD_TRUTH", "waarheid.json"), "w") as f:
        json.dump({"wall_seconds": totaal, "stages": dict(tijd), "env_steps": zetten,
                   "episodes": partijen, "updates": leerling.lessen}, f, indent=1)


if __name__ == "__main__":
    hoofd()
