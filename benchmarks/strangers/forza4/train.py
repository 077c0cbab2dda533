"""Allena il mio piccolo AlphaZero per forza quattro.  -- Gianluca"""
import copy
import json
import os
import random
import time

import numpy as np
import torch

from arena import sfida
from archivio import Archivio
from gioco import COLONNE, Partita
from rete import Cervello
from ricerca import Ricerca, pesca
from tempi import T

SIMULAZIONI = 32
PARTITE_PER_GIRO = 2
PASSI_PER_GIRO = 8
LOTTO = 64
ARENA_OGNI = 2


def gioca_da_solo(cervello):
    """una partita contro se stesso"""
    t0 = T.via()
    partita = Partita()
    T.stop("env.reset", t0)
    ricerca = Ricerca(cervello, SIMULAZIONI)
    storia = []
    while partita.vincitore is None:
        visite = ricerca.pensa(partita)
        t0 = T.via()
        pi = np.zeros(COLONNE, dtype=np.float32)
        for m, n in visite.items():
            pi[m] = n
        pi /= pi.sum()
        mossa = pesca(visite, 1.0 if partita.mosse_fatte < 10 else 0.1)
        T.stop("act", t0)
        storia.append((partita.codifica(), pi, partita.turno))
        partita.muovi(mossa)
    return storia, partita.vincitore


def main():
    random.seed(3)
    np.random.seed(3)
    torch.manual_seed(3)
    torch.set_num_threads(1)
    durata = float(os.environ.get("WILD_SECONDS", 20))
    cervello = Cervello()
    campione = copy.deepcopy(cervello)
    archivio = Archivio()
    giro = mosse = partite = passi = 0
    inizio = time.perf_counter()
    fine = False
    while not fine:
        giro += 1
        for _ in range(PARTITE_PER_GIRO):
            storia, esito = gioca_da_solo(cervello)
            archivio.metti(storia, esito)
            mosse += len(storia)
            partite += 1
            if time.perf_counter() - inizio > durata:
                fine = True
                break
        errori = []
        for _ in range(PASSI_PER_GIRO):
            errori.append(cervello.impara(*archivio.mazzo(LOTTO)))
            passi += 1
        t0 = T.via()
        print(f"giro {giro:3d}: partite {partite}, mosse {mosse}, errore {np.mean(errori):.3f}, archivio {len(archivio)}", flush=True)
        T.stop("log", t0)
        if giro % ARENA_OGNI == 0 and not fine:
            prima = dict(T.somme)
            t0 = T.via()
            punti = sfida(cervello, campione)
            T.stop_tutto("eval", t0, prima)
            t0 = T.via()
            print(f"   arena: {punti:.2f} contro il campione", flush=True)
            T.stop("log", t0)
            if punti >= 0.55:
                campione = copy.deepcopy(cervello)
                t0 = T.via()
                torch.save(campione.rete.state_dict(), "campione.pt")
                T.stop("checkpoint", t0)
    totale = time.perf_counter() - inizio

    tempi = dict(T.somme)
    tempi["other"] = totale - sum(tempi.values())
    dove = os.environ.get("WILD_TRUTH")
    if dove:
        with open(dove, "w") as f:
            json.dump({"wall_seconds": totale, "stages": tempi, "env_steps": mosse, "episodes": partite, "updates": passi}, f, indent=2)


if __name__ == "__main__":
    main()
