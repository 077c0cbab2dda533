# Evolutionsstrategie (wie OpenAI-ES, nur klein) fuer Tavernenkampf
import json
import os
os.environ.setdefault("OMP_NUM_THREADS", "1")
import multiprocessing as mp
from time import perf_counter as uhr
import numpy as np
from arbeiter import auftrag_ausfuehren, rauschen, spiele, leere_zeiten, GROESSE, SIGMA

SEKUNDEN = float(os.environ.get("WILD_SECONDS", 20))
PAARE = 8                 # -> 16 Auftraege je Generation
LERNRATE = 0.05
SCHWUND = 0.995
PRUEFUNG_ALLE = 6
PRUEF_PARTIEN = 6


class Stoppuhr:
    def __init__(self):
        self.zeiten = {}

    def dazu(self, name, sekunden):
        self.zeiten[name] = self.zeiten.get(name, 0.0) + sekunden


def raenge(werte):
    r = np.empty(len(werte), dtype=np.float32)
    r[np.argsort(werte)] = np.arange(len(werte))
    return r / (len(werte) - 1) - 0.5


def arbeitszeit_im_warten(warten, arbeit):
    """Wie viel von den Warte-Intervallen war mindestens ein Arbeiter beschaeftigt?"""
    arbeit = sorted(arbeit)
    verschmolzen = []
    for a, b in arbeit:
        if verschmolzen and a <= verschmolzen[-1][1]:
            verschmolzen[-1][1] = max(verschmolzen[-1][1], b)
        else:
            verschmolzen.append([a, b])
    summe = 0.0
    for wa, wb in warten:
        for a, b in verschmolzen:
            summe += max(0.0, min(wb, b) - max(wa, a))
    return summe


def warten_verteilen(stoppuhr, warten, berichte):
    beschaeftigt = arbeitszeit_im_warten(warten, [(b[5], b[6]) for b in berichte])
    gesamt = sum(b - a for a, b in warten)
    stoppuhr.dazu("vec.wait", gesamt - beschaeftigt)
    je_pid = {}
    for b in berichte:
        je_pid[b[4]] = je_pid.get(b[4], 0.0) + b[6] - b[5]
    langsamster = max(je_pid, key=je_pid.get)
    anteile = leere_zeiten()
    for b in berichte:
        if b[4] == langsamster:
            for k, v in b[7].items():
                anteile[k] += v
    s = sum(anteile.values())
    for k, v in anteile.items():
        if k != "other":
            stoppuhr.dazu(k, beschaeftigt * v / s)


def main():
    rng = np.random.default_rng(3)
    theta = (rng.standard_normal(GROESSE) * 0.05).astype(np.float32)
    schwung = np.zeros_like(theta)
    stoppuhr = Stoppuhr()
    schritte = partien = generation = 0
    bester = -99.0
    with mp.Pool(2) as pool, open("verlauf.csv", "w") as csv:
        csv.write("generation;mittel;max;schritte\n")
        beginn = uhr()
        while uhr() - beginn < SEKUNDEN:
            samen = rng.integers(0, 2**31, size=PAARE)
            spielsamen = int(rng.integers(0, 2**31))
            auftraege = []
            for i in range(PAARE):
                auftraege.append((2 * i, theta, int(samen[i]), 1.0, spielsamen))
                auftraege.append((2 * i + 1, theta, int(samen[i]), -1.0, spielsamen))
            t = uhr()
            ergebnisse = pool.imap_unordered(auftrag_ausfuehren, auftraege)
            stoppuhr.dazu("vec.send", uhr() - t)
            werte = np.zeros(2 * PAARE, dtype=np.float32)
            warten, berichte = [], []
            t = uhr()
            for bericht in ergebnisse:
                warten.append((t, uhr()))
                werte[bericht[0]] = bericht[1]
                schritte += bericht[2]
                partien += bericht[3]
                berichte.append(bericht)
                t = uhr()
            warten_verteilen(stoppuhr, warten, berichte)

            t = uhr()
            r = raenge(werte)
            t2 = uhr(); stoppuhr.dazu("learn.returns", t2 - t); t = t2
            gradient = np.zeros_like(theta)
            for i in range(PAARE):
                gradient += (r[2 * i] - r[2 * i + 1]) * rauschen(int(samen[i]))
            gradient /= 2 * PAARE * SIGMA
            schwung = 0.9 * schwung + gradient
            theta = SCHWUND * theta + LERNRATE * schwung
            generation += 1
            t2 = uhr(); stoppuhr.dazu("learn.update", t2 - t); t = t2

            print(f"Gen {generation:4d}  Mittel {werte.mean():+.3f}  Max {werte.max():+.3f}  Partien {partien}", flush=True)
            csv.write(f"{generation};{werte.mean():.4f};{werte.max():.4f};{schritte}\n")
            csv.flush()
            t2 = uhr(); stoppuhr.dazu("log", t2 - t); t = t2

            if generation % PRUEFUNG_ALLE == 0:
                note = np.mean([spiele(theta, 1000 + i, leere_zeiten())[0] for i in range(PRUEF_PARTIEN)])
                t2 = uhr(); stoppuhr.dazu("eval", t2 - t); t = t2
                print(f"   Pruefung: {note:+.3f}")
                if note > bester:
                    bester = note
                    np.save("theta_bester.npy", theta)
                    stoppuhr.dazu("checkpoint", uhr() - t)
        dauer = uhr() - beginn
    z = stoppuhr.zeiten
    z["other"] = dauer - sum(z.values())
    print({k: round(v, 3) for k, v in z.items()})
    if os.environ.get("WILD_TRUTH"):
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump({"wall_seconds": dauer, "stages": z, "env_steps": schritte, "episodes": partien, "updates": generation}, f)


if __name__ == "__main__":
    main()
