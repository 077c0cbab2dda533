# Palio dei Campi - allenamento
import csv
import json
import os
import random
import numpy as np
import torch
from agente import AgenteSAC
from campo import CONTRADE, Campo
from cronometro import crono
from memoria import Memoria

SECONDI = float(os.environ.get("WILD_SECONDS", 20))
LOTTO = 128
RISCALDAMENTO = 1500
IMPARA_OGNI = 2
PROVA_OGNI = 4
CARTELLA = "risultati"

def maschere_di(campo):
    with crono("env.mask"):
        return {n: campo.azioni_valide(n) for n in campo.nomi}

def partita_di_prova(agente, passi=60):
    """la lupa gioca sul serio, gli altri a caso"""
    campo = Campo(7)
    oss = campo.nuova_partita()
    for _ in range(passi):
        azioni = {}
        for nome in campo.nomi:
            valide = campo.azioni_valide(nome)
            if nome.startswith("lupa"):
                azioni[nome] = agente.scegli(oss[nome], valide, avido=True)
            else:
                azioni[nome] = int(np.random.choice(np.flatnonzero(valide)))
        oss, _, finita, info = campo.passo(azioni)
        if finita:
            break
    return info["punti"][0] - max(info["punti"][1:])

def main():
    torch.set_num_threads(1)
    random.seed(3)
    torch.manual_seed(3)
    os.makedirs(CARTELLA, exist_ok=True)
    registro = open(os.path.join(CARTELLA, "registro.csv"), "w", newline="")
    scrivi = csv.writer(registro)
    scrivi.writerow(["partita", "passi", "premio_medio", "perdita_q", "entropia"] + CONTRADE)

    campo, agente, memoria = Campo(3), AgenteSAC(), Memoria()
    passi = partite = aggiornamenti = 0
    ultima = (0.0, 0.0, 0.0)

    crono.via()
    oss = campo.nuova_partita()
    valide = maschere_di(campo)
    totale = {n: 0.0 for n in campo.nomi}
    while crono.trascorso() < SECONDI:
        azioni = {}
        with crono("act"):
            for nome in campo.nomi:
                azioni[nome] = agente.scegli(oss[nome], valide[nome])
        nuove, premi, finita, info = campo.passo(azioni)
        nuove_valide = maschere_di(campo)
        passi += 1
        with crono("replay.add"):
            for nome in campo.nomi:
                memoria.metti(oss[nome], azioni[nome], premi[nome], nuove[nome], float(finita),
                              valide[nome], nuove_valide[nome])
                totale[nome] += premi[nome]
        oss, valide = nuove, nuove_valide

        if len(memoria) > RISCALDAMENTO and passi % IMPARA_OGNI == 0:
            with crono("replay.sample"):
                lotto = memoria.pesca(LOTTO)
            with crono("learn.update"):
                ultima = agente.impara(lotto)
            aggiornamenti += 1

        if finita:
            partite += 1
            with crono("log"):
                medio = sum(totale.values()) / len(totale)
                scrivi.writerow([partite, passi, f"{medio:.3f}", f"{ultima[0]:.4f}", f"{ultima[2]:.3f}"] + info["punti"])
                registro.flush()
                print(f"partita {partite:4d} passi {passi:6d} premio {medio:7.3f} punti {info['punti']}")
            if partite % PROVA_OGNI == 0:
                with crono("eval"):
                    scarto = partita_di_prova(agente)
                with crono("checkpoint"):
                    agente.salva(os.path.join(CARTELLA, "agente.pt"))
                with crono("log"):
                    print(f"   prova: scarto della lupa {scarto:+d}")
            oss = campo.nuova_partita()
            valide = maschere_di(campo)
            totale = {n: 0.0 for n in campo.nomi}

    muro = crono.ferma()
    registro.close()
    dove = os.environ.get("WILD_TRUTH")
    if dove:
        # tre optimizer (critici, attore, alfa) per ogni aggiornamento: qui conta uno
        with open(dove, "w") as f:
            json.dump({"wall_seconds": muro, "stages": dict(crono.tempi), "env_steps": passi,
                       "episodes": partite, "updates": aggiornamenti}, f, indent=1)

if __name__ == "__main__":
    main()
