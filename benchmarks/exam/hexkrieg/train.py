import json
import os
from collections import defaultdict, deque
from time import perf_counter as jetzt

import numpy as np
import torch

from feldherr import Feldherr, Ausbilder
from kaserne import Kaserne
from partie import Partie

PROZESSE, PARTIEN_JE = 3, 8
LAENGE = 48
GAMMA, LAMBDA = 0.99, 0.95
SEKUNDEN = float(os.environ.get("WILD_SECONDS", 20))


def vorteile(lohn, ende, werte, letzter):
    T, N = lohn.shape
    v = np.zeros((T, N), dtype=np.float32)
    lauf = np.zeros(N, dtype=np.float32)
    for t in reversed(range(T)):
        naechster = letzter if t == T - 1 else werte[t + 1]
        offen = 1.0 - ende[t]
        delta = lohn[t] + GAMMA * naechster * offen - werte[t]
        lauf = delta + GAMMA * LAMBDA * offen * lauf
        v[t] = lauf
    return v, v + werte


def manoever(netz, wieviele=4):
    """Probespiele ohne Zufall in der Wahl."""
    siege = 0
    for k in range(wieviele):
        p = Partie(777 + k)
        while not p.vorbei:
            p.befehl(netz.bester(p.blick(), p.erlaubt()))
        siege += p.sieger == 0
    return siege / wieviele


def main():
    torch.set_num_threads(1)
    torch.manual_seed(3)
    buch = defaultdict(float)
    kaserne = Kaserne(PROZESSE, PARTIEN_JE, buch)
    netz = Feldherr()
    ausbilder = Ausbilder(netz)
    letzte = deque(maxlen=100)
    schritte = partien = runde = 0

    anfang = jetzt()
    blick, maske = kaserne.antreten()
    while jetzt() - anfang < SEKUNDEN:
        runde += 1
        heft = [[] for _ in range(7)]
        for _ in range(LAENGE):
            t = jetzt()
            wahl, logp, wert = netz.entscheide(blick, maske)
            buch["act"] += jetzt() - t
            b2, m2, lohn, ende, siege = kaserne.befehle(wahl)
            for seite, ding in zip(heft, (blick, maske, wahl, logp, wert, lohn, ende)):
                seite.append(ding)
            blick, maske = b2, m2
            letzte.extend(siege)
            partien += len(siege)
            schritte += kaserne.anzahl

        t = jetzt()
        B, M, A, L, W, LO, E = (np.stack(s) for s in heft)
        _, _, letzter = netz.entscheide(blick, maske)
        V, R = vorteile(LO, E, W, letzter)
        t2 = jetzt()
        buch["learn.returns"] += t2 - t
        flach = lambda x: x.reshape((-1,) + x.shape[2:])
        verlust = ausbilder.drille(*(flach(x) for x in (B, M, A, L, V, R)))
        buch["learn.update"] += jetzt() - t2

        if runde % 4 == 0:
            t = jetzt()
            quote = np.mean(letzte) if letzte else 0.0
            print(f"Runde {runde:4d} | Befehle {schritte:7d} | Partien {partien:5d} | "
                  f"Siege {quote:5.1%} | Lohn {LO.mean():+.3f} | Verlust {verlust:.2f}", flush=True)
            buch["log"] += jetzt() - t
        if runde % 10 == 0:
            t = jetzt()
            q = manoever(netz)
            t2 = jetzt()
            buch["eval"] += t2 - t
            print(f"   >>> Manoever: {q:.0%} gewonnen", flush=True)
            t = jetzt()
            buch["log"] += t - t2
            torch.save(netz.state_dict(), "feldherr.pt")
            buch["checkpoint"] += jetzt() - t
    dauer = jetzt() - anfang

    kaserne.wegtreten()
    buch["other"] = dauer - sum(buch.values())
    print(f"Schluss nach {dauer:.1f} s, {schritte / dauer:.0f} Befehle/s")
    for k, v in sorted(buch.items(), key=lambda kv: -kv[1]):
        print(f"  {k:14s} {v:7.2f} s  {v / dauer:6.1%}")
    ziel = os.environ.get("WILD_TRUTH")
    if ziel:
        with open(ziel, "w") as f:
            json.dump({"wall_seconds": dauer, "stages": dict(buch), "env_steps": schritte,
                       "episodes": partien, "updates": ausbilder.schritte}, f, indent=1)


if __name__ == "__main__":
    main()
