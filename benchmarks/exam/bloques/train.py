# bloques.py -- cae, cae, cae.   actor-critic sin clases, puro dict
#   WILD_SECONDS=60 python train.py
import json, os, random
from time import perf_counter as ya
import numpy as np
import torch
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(2)

ANCHO, ALTO = 8, 16
MESAS = 12           # partidas a la vez
TRAMO = 8            # turnos entre lecciones
GAM, LAM = 0.97, 0.92
CASA = os.path.dirname(os.path.abspath(__file__))

# ------------------------------------------------------------------ reloj
R = {"k": "other", "t": 0.0, "s": {}, "mudo": False}


def pon(k):
    """cambia de cajon, devuelve el anterior"""
    if R["mudo"]:
        return R["k"]
    t = ya()
    a = R["k"]
    R["s"][a] = R["s"].get(a, 0.0) + t - R["t"]
    R["t"] = t
    R["k"] = k
    return a


# ------------------------------------------------------------------ piezas
BASE = {
    "I": [(0, 0), (0, 1), (0, 2), (0, 3)], "O": [(0, 0), (0, 1), (1, 0), (1, 1)],
    "T": [(0, 0), (0, 1), (0, 2), (1, 1)], "S": [(0, 1), (0, 2), (1, 0), (1, 1)],
    "Z": [(0, 0), (0, 1), (1, 1), (1, 2)], "L": [(0, 0), (1, 0), (2, 0), (2, 1)],
    "J": [(0, 1), (1, 1), (2, 1), (2, 0)],
}
LETRAS = list(BASE)


def vueltas(celdas):
    todas = []
    c = celdas
    for _ in range(4):
        mf, mc = min(f for f, _ in c), min(k for _, k in c)
        n = sorted((f - mf, k - mc) for f, k in c)
        todas.append(None if n in todas else n)
        c = [(k, -f) for f, k in c]
    return todas


FORMAS = {l: vueltas(c) for l, c in BASE.items()}
NACC = 4 * ANCHO


# ------------------------------------------------------------------ juego
def nueva(semilla):
    az = random.Random(semilla)
    m = {"tab": [[0] * ANCHO for _ in range(ALTO)], "az": az, "bolsa": [], "turno": 0, "lineas": 0, "pts": 0.0,
         "fin": False}
    m["pz"] = saca(m)
    m["sig"] = saca(m)
    # unas filas sucias para empezar
    for f in range(ALTO - az.randint(0, 3), ALTO):
        m["tab"][f] = fila_sucia(az)
    return m


def fila_sucia(az):
    h = az.randrange(ANCHO)
    return [0 if c == h or az.random() < 0.2 else 1 for c in range(ANCHO)]


def saca(m):
    if not m["bolsa"]:
        m["bolsa"] = LETRAS[:]
        m["az"].shuffle(m["bolsa"])
    return m["bolsa"].pop()


def choca(tab, forma, f0, c0):
    for f, c in forma:
        f += f0
        if f >= ALTO or tab[f][c + c0]:
            return True
    return False


def validas(m):
    v = [False] * NACC
    tab = m["tab"]
    for g, forma in enumerate(FORMAS[m["pz"]]):
        if forma is None:
            continue
        an = max(c for _, c in forma) + 1
        for c0 in range(ANCHO - an + 1):
            if not choca(tab, forma, 0, c0):
                v[g * ANCHO + c0] = True
    return v


def suelta(m, a):
    g, c0 = divmod(a, ANCHO)
    forma = FORMAS[m["pz"]][g]
    tab = m["tab"]
    f0 = 0
    while not choca(tab, forma, f0 + 1, c0):
        f0 += 1
    for f, c in forma:
        tab[f0 + f][c0 + c] = 1
    vivas = [fila for fila in tab if not all(fila)]
    n = ALTO - len(vivas)
    tab[:] = [[0] * ANCHO for _ in range(n)] + vivas
    m["turno"] += 1
    m["lineas"] += n
    if m["turno"] % 14 == 0:               # sube la basura
        if any(tab[0]):
            m["fin"] = True
        tab.pop(0)
        tab.append(fila_sucia(m["az"]))
    m["pz"], m["sig"] = m["sig"], saca(m)
    return n


def rasgos(tab):
    """(alturas, huecos por columna)"""
    al, hu = [0] * ANCHO, [0] * ANCHO
    for c in range(ANCHO):
        tapa = False
        for f in range(ALTO):
            if tab[f][c]:
                if not tapa:
                    tapa = True
                    al[c] = ALTO - f
            elif tapa:
                hu[c] += 1
    return al, hu


def aspereza(al):
    return sum(abs(al[i] - al[i + 1]) for i in range(ANCHO - 1))


def mira(m):
    al, hu = rasgos(m["tab"])
    x = np.zeros(ANCHO * ALTO + 3 * ANCHO + 15, np.float32)
    k = ANCHO * ALTO
    x[:k] = [b for fila in m["tab"] for b in fila]
    x[k:k + ANCHO] = np.array(al) / ALTO
    x[k + ANCHO:k + 2 * ANCHO] = np.array(hu) / 6
    x[k + 2 * ANCHO + 1:k + 3 * ANCHO] = np.diff(al) / 6
    k += 3 * ANCHO
    x[k + LETRAS.index(m["pz"])] = 1
    x[k + 7 + LETRAS.index(m["sig"])] = 1
    x[k + 14] = (m["turno"] % 14) / 14
    return x


def valor_mesa(tab):
    al, hu = rasgos(tab)
    return -0.05 * sum(al) - 0.3 * sum(hu) - 0.06 * aspereza(al) - 0.02 * max(al) ** 1.5


def premio(m, antes, n):
    ahora = valor_mesa(m["tab"])
    r = (0.0, 1.0, 2.5, 4.5, 8.0)[n] + 0.3 * (ahora - antes) + 0.05
    if m["fin"]:
        r -= 3.0
    return r, ahora


# ------------------------------------------------------------------ red
def red_nueva(ne):
    W = {}

    def capa(nom, a, b, esc=1.0):
        W[nom + "w"] = (torch.randn(a, b) * esc * (2 / a) ** 0.5).requires_grad_()
        W[nom + "b"] = torch.zeros(b, requires_grad=True)
    capa("a", ne, 256)
    capa("b", 256, 192)
    capa("pi", 192, NACC, 0.05)
    capa("v1", 192, 64)
    capa("v2", 64, 1, 0.3)
    return W


def piensa(W, x):
    h = F.relu(x @ W["aw"] + W["ab"])
    h = F.relu(h @ W["bw"] + W["bb"])
    v = F.relu(h @ W["v1w"] + W["v1b"]) @ W["v2w"] + W["v2b"]
    return h @ W["piw"] + W["pib"], v.squeeze(-1)


def elige(W, X, V, az, voraz=False):
    with torch.no_grad():
        lo, v = piensa(W, torch.from_numpy(X))
        lo[~torch.from_numpy(V)] = -1e9
        p = lo.softmax(1)
    if voraz:
        return p.argmax(1).numpy(), v.numpy()
    ac = p.double().cumsum(1).numpy()
    u = az.random(len(X)) * ac[:, -1]
    a = np.minimum((ac < u[:, None]).sum(1), NACC - 1)
    for i in range(len(a)):             # por si redondeo
        if not V[i, a[i]]:
            a[i] = int(p[i].argmax())
    return a, v.numpy()


def cuentas(C, ult):
    """ventajas a la GAE hacia atras"""
    T = len(C["r"])
    ven = np.zeros((T, MESAS), np.float32)
    g = np.zeros(MESAS, np.float32)
    sig = ult
    for t in range(T - 1, -1, -1):
        vivo = 1.0 - C["fin"][t]
        d = C["r"][t] + GAM * sig * vivo - C["v"][t]
        g = d + GAM * LAM * vivo * g
        ven[t] = g
        sig = C["v"][t]
    ret = ven + np.stack(C["v"])
    return ven.reshape(-1), ret.reshape(-1)


def leccion(W, opt, C, ven, ret):
    X = torch.from_numpy(np.concatenate(C["x"]))
    V = torch.from_numpy(np.concatenate(C["m"]))
    A = torch.from_numpy(np.concatenate(C["a"]))
    ven, ret = torch.from_numpy(ven), torch.from_numpy(ret)
    ven = (ven - ven.mean()) / (ven.std() + 1e-6)
    lo, v = piensa(W, X)
    lp = lo.masked_fill(~V, -1e9).log_softmax(1)
    ent = -(lp.exp() * lp.clamp(min=-40)).sum(1).mean()
    l = -(lp.gather(1, A[:, None]).squeeze(1) * ven).mean() + 0.5 * F.smooth_l1_loss(v, ret) - 0.02 * ent
    opt.zero_grad()
    l.backward()
    torch.nn.utils.clip_grad_norm_(list(W.values()), 1.0)
    opt.step()
    return l.item(), ent.item()


def examen(W, n=3, tope=70):
    tot = []
    for s in range(n):
        m = nueva(50_000 + s)
        v = validas(m)
        while not m["fin"] and m["turno"] < tope and any(v):
            a, _ = elige(W, mira(m)[None], np.array([v]), None, voraz=True)
            suelta(m, int(a[0]))
            v = validas(m)
        tot.append((m["lineas"], m["turno"]))
    return np.mean(tot, axis=0)


# ------------------------------------------------------------------ a jugar
def principal():
    seg = float(os.environ.get("WILD_SECONDS", "60"))
    az = np.random.default_rng(8)
    W = red_nueva(ANCHO * ALTO + 3 * ANCHO + 15)
    opt = torch.optim.RMSprop(W.values(), lr=3e-4, alpha=0.99)
    os.makedirs(os.path.join(CASA, "guardado"), exist_ok=True)
    pasos = partidas = lecciones = 0
    hist, lin = [], []
    semilla = 1

    t0 = R["t"] = ya()
    R["s"].clear()
    R["k"] = "other"

    mesas = []
    pon("env.reset")
    for _ in range(MESAS):
        mesas.append(nueva(semilla))
        semilla += 1
    pon("env.reward")
    val = [valor_mesa(m["tab"]) for m in mesas]
    pon("env.observe")
    X = np.stack([mira(m) for m in mesas])
    pon("env.mask")
    V = np.array([validas(m) for m in mesas])
    pon("other")

    while ya() - t0 < seg:
        C = {"x": [], "m": [], "a": [], "r": [], "v": [], "fin": []}
        for _ in range(TRAMO):
            pon("act")
            A, v = elige(W, X, V, az)
            pon("other")
            rr, ff = np.zeros(MESAS, np.float32), np.zeros(MESAS, np.float32)
            X2, V2 = np.empty_like(X), np.empty_like(V)
            for i, m in enumerate(mesas):
                pon("env.step")
                n = suelta(m, int(A[i]))
                pon("env.mask")
                vv = validas(m)
                if not any(vv):
                    m["fin"] = True
                pon("env.reward")
                r, val[i] = premio(m, val[i], n)
                m["pts"] += r
                pon("other")
                rr[i] = r
                if m["fin"] or m["turno"] >= 150:
                    ff[i] = 1.0
                    partidas += 1
                    hist.append(m["pts"])
                    lin.append(m["lineas"])
                    pon("env.reset")
                    m = mesas[i] = nueva(semilla)
                    semilla += 1
                    pon("env.reward")
                    val[i] = valor_mesa(m["tab"])
                    pon("env.mask")
                    vv = validas(m)
                pon("env.observe")
                X2[i] = mira(m)
                pon("other")
                V2[i] = vv
            pon("replay.add")
            for k, w in (("x", X), ("m", V), ("a", A), ("r", rr), ("v", v), ("fin", ff)):
                C[k].append(w)
            pon("other")
            X, V = X2, V2
            pasos += MESAS

        pon("learn.returns")
        with torch.no_grad():
            ult = piensa(W, torch.from_numpy(X))[1].numpy()
        ven, ret = cuentas(C, ult)
        pon("learn")
        perd, ent = leccion(W, opt, C, ven, ret)
        lecciones += 1
        pon("other")

        if lecciones % 20 == 0:
            pon("logging")
            print(f"{lecciones:5d} pasos {pasos:7d} partidas {partidas:5d} pts {np.mean(hist[-50:] or [0]):7.2f} "
                  f"lineas {np.mean(lin[-50:] or [0]):5.2f} perd {perd:6.3f} ent {ent:.3f}")
            pon("other")
        if lecciones % 60 == 0:
            pon("eval")
            R["mudo"] = True
            li, tu = examen(W)
            R["mudo"] = False
            pon("logging")
            print(f"      examen: lineas {li:.2f} turnos {tu:.1f}")
            pon("other")
        if lecciones % 100 == 0:
            pon("checkpoint")
            torch.save({k: w.detach() for k, w in W.items()}, os.path.join(CASA, "guardado", "red.pt"))
            pon("other")

    pon("other")
    total = R["t"] - t0
    if os.environ.get("WILD_TRUTH"):
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump({"wall_seconds": total, "stages": R["s"], "env_steps": pasos, "episodes": partidas,
                       "updates": lecciones}, f, indent=1)


principal()
