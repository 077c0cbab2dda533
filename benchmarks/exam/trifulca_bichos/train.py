import copy, json, os, random, time
import numpy as np
import torch
import torch.nn as nn
import yaml

from hilo import Estadio
from memoria import MemoriaPrioritaria
from rasgos import LectorRasgos, hacienda, recompensa

cfg = yaml.safe_load(open('config.yaml'))
SEG = float(os.environ.get('WILD_SECONDS', 20))
torch.set_num_threads(1)
ahora = time.perf_counter

N = cfg['combates']
lector = LectorRasgos(cfg)
estadio = Estadio(cfg, N)
estadio_eval = Estadio(cfg, cfg['combates_evaluacion'])
memoria = MemoriaPrioritaria(cfg['memoria'], lector.largo, cfg['alfa'])

red = nn.Sequential(nn.Linear(lector.largo, 128), nn.ReLU(), nn.Linear(128, 96), nn.ReLU(), nn.Linear(96, 6))
diana = copy.deepcopy(red)
opti = torch.optim.Adam(red.parameters(), lr=cfg['lr'])

reloj = {}          # segundos por cada cosa


def suma(clave, s):
    reloj[clave] = reloj.get(clave, 0.0) + s


def jugar(acciones):
    """manda al estadio, espera y reparte la espera segun lo que ha hecho el hilo.
    El hilo se despierta ya durante el mandar y nos quita el GIL, por eso el
    envio se mide en tiempo de CPU propio y lo demas cuenta como espera."""
    c, t = time.thread_time(), ahora()
    futuro = estadio.mandar(acciones)
    envio = time.thread_time() - c
    faena = futuro.result()
    w = ahora() - t - envio
    suma('vec.send', envio)
    total = sum(faena.values())
    f = min(1.0, w / total) if total > 0 else 0.0
    for k, s in faena.items():
        if s:
            suma(k, s * f)
    suma('vec.wait', w - total * f)


def elegir(obs, leg, eps):
    with torch.no_grad():
        q = red(torch.as_tensor(np.stack(obs))).numpy()
    salida = []
    for fila, l in zip(q, leg):
        if random.random() < eps:
            salida.append(random.choice([i for i in range(6) if l[i]]))
        else:
            salida.append(int(np.where(l, fila, -1e9).argmax()))
    return salida


def aprender():
    t = ahora()
    idx, w = memoria.sacar(cfg['lote'], cfg['beta'])
    s = torch.from_numpy(memoria.s[idx]); s2 = torch.from_numpy(memoria.s2[idx])
    a = torch.from_numpy(memoria.a[idx]); r = torch.from_numpy(memoria.r[idx])
    fin = torch.from_numpy(memoria.fin[idx]); leg2 = torch.from_numpy(memoria.leg2[idx])
    w = torch.from_numpy(w)
    t2 = ahora(); suma('replay.sample', t2 - t)
    with torch.no_grad():
        mejor = red(s2).masked_fill(~leg2, -1e9).argmax(1, keepdim=True)
        meta = r + cfg['gamma'] * (1 - fin) * diana(s2).gather(1, mejor).squeeze(1)
    q = red(s).gather(1, a[:, None]).squeeze(1)
    error = q - meta
    perdida = (w * nn.functional.smooth_l1_loss(q, meta, reduction='none')).mean()
    opti.zero_grad()
    perdida.backward()
    nn.utils.clip_grad_norm_(red.parameters(), 5.0)
    opti.step()
    t3 = ahora(); suma('learn.update', t3 - t2)
    memoria.retocar(idx, error.detach().numpy())
    suma('replay.update', ahora() - t3)
    return perdida.item()


def evaluar():
    n = cfg['combates_evaluacion']
    estadio_eval.mandar([(i, None) for i in range(n)]).result()
    while True:
        vivas = [i for i in range(n) if estadio_eval.mesas[i].ganador is None]
        if not vivas:
            break
        cs = [estadio_eval.mesas[i] for i in vivas]
        acc = elegir([lector.vector(c) for c in cs], [c.legales(c.yo) for c in cs], 0.0)
        estadio_eval.mandar(list(zip(vivas, acc))).result()
    return sum(m.ganador == 'yo' for m in estadio_eval.mesas) / n


print(f'{N} combates a la vez, {lector.largo} rasgos, rival listo (torpeza {estadio.rival.torpeza})')
pasos = combates = mejoras = ronda = 0
ultimos, perdidas = [], []
eps = 1.0
principio = ahora()

# primeros combates
jugar([(i, None) for i in range(N)])
t = ahora()
obs = [lector.vector(m) for m in estadio.mesas]
suma('env.observe', ahora() - t)
t = ahora()
leg = [m.legales(m.yo) for m in estadio.mesas]
suma('env.mask', ahora() - t)
valor = [hacienda(m) for m in estadio.mesas]

while ahora() - principio < SEG:
    ronda += 1
    e = cfg['epsilon']
    eps = max(e['fin'], e['inicio'] - (e['inicio'] - e['fin']) * ronda / e['rondas'])

    t = ahora()
    acciones = elegir(obs, leg, eps)
    suma('act', ahora() - t)
    jugar(list(enumerate(acciones)))

    t = ahora()
    obs2 = [lector.vector(m) for m in estadio.mesas]
    t2 = ahora(); suma('env.observe', t2 - t)
    premios = []
    for i, m in enumerate(estadio.mesas):
        r, valor[i] = recompensa(m, valor[i])
        premios.append(r)
    t3 = ahora(); suma('env.reward', t3 - t2)
    leg2 = [m.legales(m.yo) for m in estadio.mesas]
    t4 = ahora(); suma('env.mask', t4 - t3)
    for i, m in enumerate(estadio.mesas):
        memoria.meter(obs[i], acciones[i], premios[i], obs2[i], float(m.ganador is not None),
                      leg2[i] if m.ganador is None else [True] * 6)
    suma('replay.add', ahora() - t4)
    pasos += N

    acabadas = [i for i, m in enumerate(estadio.mesas) if m.ganador is not None]
    if acabadas:
        for i in acabadas:
            ultimos.append(estadio.mesas[i].ganador == 'yo')
            if (combates + 1) % cfg['dibujar_cada'] == 0:
                t = ahora()
                print('\n'.join('   | ' + x for x in estadio.mesas[i].cronica[-14:]))
                suma('env.render', ahora() - t)
            combates += 1
        jugar([(i, None) for i in acabadas])
        t = ahora()
        for i in acabadas:
            obs2[i] = lector.vector(estadio.mesas[i])
        t2 = ahora(); suma('env.observe', t2 - t)
        for i in acabadas:
            leg2[i] = estadio.mesas[i].legales(estadio.mesas[i].yo)
        t3 = ahora(); suma('env.mask', t3 - t2)
        for i in acabadas:
            valor[i] = hacienda(estadio.mesas[i])
        suma('env.reward', ahora() - t3)
    obs, leg = obs2, leg2

    if memoria.n > 500:
        for _ in range(2):
            perdidas.append(aprender())
            mejoras += 1
            if mejoras % cfg['copiar_cada'] == 0:
                t = ahora()
                diana.load_state_dict(red.state_dict())
                suma('learn.update', ahora() - t)

    if ronda % cfg['hablar_cada'] == 0:
        t = ahora()
        print(f'ronda {ronda:5d}  pasos {pasos:6d}  combates {combates:5d}  eps {eps:.2f}  '
              f'gana {100 * np.mean(ultimos[-100:] or [0]):.0f}%  perdida {np.mean(perdidas[-200:] or [0]):.4f}', flush=True)
        suma('log', ahora() - t)
    if ronda % cfg['guardar_cada'] == 0:
        t = ahora()
        torch.save(red.state_dict(), 'bichos.pt')
        suma('checkpoint', ahora() - t)
    if ronda % cfg['evaluar_cada'] == 0:
        t = ahora()
        v = evaluar()
        print(f'   >> evaluacion sin azar: {100 * v:.0f}% victorias')
        suma('eval', ahora() - t)

todo = ahora() - principio
reloj['other'] = todo - sum(reloj.values())
estadio.cerrar()
estadio_eval.cerrar()
print('se acabo.', {k: round(v, 2) for k, v in reloj.items()})
if os.environ.get('WILD_TRUTH'):
    with open(os.environ['WILD_TRUTH'], 'w') as f:
        json.dump({'wall_seconds': todo, 'stages': reloj, 'env_steps': pasos,
                   'episodes': combates, 'updates': mejoras}, f, indent=2)
