"""La Marcha aprende sola: autopartidas -> lista (tablero, pi, z) -> entrenar -> arena nueva/vieja -> otra vez."""
import copy
import json
import os
import random
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from arbol import busca, escoge, planos
from juego import CAS, ESPEJO, NACC, Partida, espejo

torch.set_num_threads(1)
SEGUNDOS = float(os.environ.get("WILD_SECONDS", 20))
AQUI = Path(__file__).parent
MESAS = 16              # partidas a la vez
SIMS = 24
PARTIDAS_FASE = 20
PASOS_FASE = 30
LOTE = 128
MEMORIA = 6000
ARENA_CADA, ARENA_MESAS, ARENA_SIMS, LISTON = 2, 12, 12, 0.5
reloj = time.perf_counter
seg = defaultdict(float)
ESP = np.array(ESPEJO)
rng = np.random.default_rng(11)
random.seed(11)
torch.manual_seed(11)


class Red(nn.Module):
    def __init__(self, c=24):
        super().__init__()
        self.e = nn.Conv2d(4, c, 3, padding=1)
        self.b = nn.ModuleList(nn.Conv2d(c, c, 3, padding=1) for _ in range(2))
        self.p = nn.Conv2d(c, 3, 1)
        self.v1 = nn.Linear(c * CAS, 48)
        self.v2 = nn.Linear(48, 1)

    def forward(self, x):
        h = F.relu(self.e(x))
        for k in self.b:
            h = F.relu(h + k(h))
        p = self.p(h).permute(0, 2, 3, 1).reshape(len(x), NACC)
        v = torch.tanh(self.v2(F.relu(self.v1(h.flatten(1))))).squeeze(1)
        return p, v


class Mesa:
    """una partida en marcha y lo que llevamos apuntado de ella"""

    def __init__(self):
        self.p = Partida()
        self.apuntes = []


class Cuentas:
    pasos = partidas = updates = fases = 0
    blancas = 0


def autopartidas(red, mesas, lista, cu, hasta):
    """juega hasta acabar PARTIDAS_FASE (o hasta la hora). Las mesas siguen de una fase a otra."""
    acabadas, larga = 0, 0
    while acabadas < PARTIDAS_FASE and reloj() < hasta:
        pis = busca(red, [m.p.t for m in mesas], SIMS, seg, 0.25, rng)   # se cronometra sola
        t = reloj()
        accs = [escoge(pi, 1.0 if len(m.p.planilla) < 6 else 0.0, rng) for m, pi in zip(mesas, pis)]
        t1 = reloj()
        seg["act"] += t1 - t
        antes = [m.p.t for m in mesas]
        for m, a in zip(mesas, accs):
            m.p.juega(a)
        cu.pasos += len(mesas)
        t2 = reloj()
        seg["env.step"] += t2 - t1
        for m, b, pi in zip(mesas, antes, pis):
            m.apuntes.append((b, pi, not m.p.negro))     # negro ya cambio de turno
        for k, m in enumerate(mesas):
            if m.p.fin:
                for b, pi, negro in m.apuntes:
                    z = 1.0 if int(negro) == m.p.gana else -1.0
                    lista.append((b, pi, z))
                    lista.append((espejo(b), pi[ESP], z))
                acabadas += 1
                larga += len(m.apuntes)
                cu.partidas += 1
                cu.blancas += m.p.gana == 0
        del lista[:-MEMORIA]
        t3 = reloj()
        seg["replay.add"] += t3 - t2
        for k, m in enumerate(mesas):
            if m.p.fin:
                mesas[k] = Mesa()
        seg["env.reset"] += reloj() - t3
    return larga / max(1, acabadas)


def entrena(red, opt, lista, n, cu):
    lp = lv = 0.0
    for _ in range(n):
        t = reloj()
        lote = random.sample(lista, min(LOTE, len(lista)))
        x = torch.from_numpy(planos([b for b, _, _ in lote]))
        pi = torch.from_numpy(np.stack([p for _, p, _ in lote]))
        z = torch.tensor([c for _, _, c in lote])
        t1 = reloj()
        seg["replay.sample"] += t1 - t
        q, v = red(x)
        # nada de mascara aqui: pi ya es 0 en lo ilegal y la red acaba aprendiendolo
        perd_p = -(pi * F.log_softmax(q, 1)).sum(1).mean()
        perd_v = F.mse_loss(v, z)
        opt.zero_grad()
        (perd_p + perd_v).backward()
        opt.step()
        cu.updates += 1
        lp += perd_p.item() / n
        lv += perd_v.item() / n
        seg["learn.update"] += reloj() - t1
    return lp, lv


def arena(nueva, vieja):
    """la mitad de mesas con blancas y la mitad con negras; devuelve fraccion ganada por la nueva"""
    aparte = defaultdict(float)       # lo de aqui dentro es todo 'eval'
    mesas = [(Partida(), k % 2) for k in range(ARENA_MESAS)]     # (partida, color de la nueva)
    ganadas = 0
    vivas = mesas
    while vivas:
        for quien, red in ((1, nueva), (0, vieja)):
            toca = [(p, c) for p, c in vivas if not p.fin and (int(p.negro) == c) == bool(quien)]
            if not toca:
                continue
            pis = busca(red, [p.t for p, _ in toca], ARENA_SIMS, aparte, 0.1, rng)
            for (p, c), pi in zip(toca, pis):
                p.juega(escoge(pi, 0.7 if len(p.planilla) < 6 else 0.0, rng))
                if p.fin:
                    ganadas += p.gana == c
        vivas = [(p, c) for p, c in vivas if not p.fin]
    return ganadas / ARENA_MESAS


def main():
    vieja = Red().eval()
    nueva = copy.deepcopy(vieja).train()
    opt = torch.optim.Adam(nueva.parameters(), lr=2e-3, weight_decay=1e-4)
    lista, cu = [], Cuentas()
    mesas = [Mesa() for _ in range(MESAS)]
    cronica = open(AQUI / "cronica.txt", "w")
    generacion = 0

    inicio = reloj()
    hasta = inicio + SEGUNDOS
    while True:
        cu.fases += 1
        larga = autopartidas(vieja, mesas, lista, cu, hasta)
        if lista:
            lp, lv = entrena(nueva, opt, lista, PASOS_FASE, cu)
        if reloj() >= hasta:
            break
        if cu.fases % ARENA_CADA == 0:
            t = reloj()
            nueva.eval()
            g = arena(nueva, vieja)
            nueva.train()
            seg["eval"] += reloj() - t
            if g > LISTON:
                t = reloj()
                generacion += 1
                vieja.load_state_dict(nueva.state_dict())
                torch.save(vieja.state_dict(), AQUI / "mejor.pt")
                seg["checkpoint"] += reloj() - t
            t = reloj()
            print("   arena: la nueva gana %.0f%%  -> generacion %d" % (100 * g, generacion), flush=True)
            seg["log"] += reloj() - t
        t = reloj()
        lin = "fase %d  partidas %d  largo %.1f  memoria %d  pi %.3f  z %.3f" % (cu.fases, cu.partidas, larga, len(lista), lp, lv)
        print(lin, flush=True)
        cronica.write(lin + "\n" + " ".join(mesas[0].p.planilla) + "\n" + mesas[0].p.dibuja() + "\n\n")
        cronica.flush()
        seg["log"] += reloj() - t
    pared = reloj() - inicio

    seg["other"] = pared - sum(seg.values())
    verdad = {"wall_seconds": pared, "stages": dict(seg), "env_steps": cu.pasos, "episodes": cu.partidas, "updates": cu.updates}
    if os.environ.get("WILD_TRUTH"):
        Path(os.environ["WILD_TRUTH"]).write_text(json.dumps(verdad, indent=1))
    cronica.close()
    print("jugadas %d partidas %d (blancas %d) updates %d generacion %d" % (cu.pasos, cu.partidas, cu.blancas, cu.updates, generacion))
    for k, s in sorted(seg.items(), key=lambda x: -x[1]):
        print("  %-14s %5.1f%%" % (k, 100 * s / pared))
    # de propina, fuera del reloj: contra una red recien nacida
    print("contra una sin entrenar: %.2f" % arena(vieja, Red().eval()))


if __name__ == "__main__":
    main()
