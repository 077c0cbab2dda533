"""sala.py -- el cliente asyncio (vive en su propio hilo) y la Sala, que es lo que ve el aprendiz."""
import asyncio
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

from bichos import ATAQUES, ESPECIES, ESTADOS, ID_ESP, T, TIPOS, eficacia

AQUI = Path(__file__).parent


class Estadio:
    """arranca el servidor y mantiene UNA conexion para todas las salas"""

    def __init__(self):
        self.proc = subprocess.Popen([sys.executable, str(AQUI / "servidor.py")], cwd=AQUI,
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.puerto = int(self.proc.stdout.readline())
        self.loop = asyncio.new_event_loop()
        self.espera = {}
        self.hilo = threading.Thread(target=self._corre, name="cliente", daemon=True)
        self.hilo.start()
        asyncio.run_coroutine_threadsafe(self._conecta(), self.loop).result(10)

    def _corre(self):
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    async def _conecta(self):
        self.rd, self.wr = await asyncio.open_connection("127.0.0.1", self.puerto, limit=1 << 20)
        self.tarea = asyncio.ensure_future(self._escucha())

    async def _escucha(self):
        while True:
            linea = await self.rd.readline()
            if not linea:
                return
            m = json.loads(linea)
            f = self.espera.pop(m["s"], None)
            if f is not None and not f.done():
                f.set_result(m)

    async def _pide(self, m):
        f = self.loop.create_future()
        self.espera[m["s"]] = f
        self.wr.write(json.dumps(m).encode() + b"\n")
        await self.wr.drain()
        return await f

    def pide(self, m):          # desde cualquier hilo
        return asyncio.run_coroutine_threadsafe(self._pide(m), self.loop).result(30)

    async def _adios(self):
        self.tarea.cancel()
        self.wr.close()

    def cierra(self):
        asyncio.run_coroutine_threadsafe(self._adios(), self.loop).result(5)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.hilo.join(5)
        self.proc.stdin.close()
        self.proc.wait(5)


# ------------------------------------------------------------------ ojos
POR_BICHO = 8 + 5 + 4 + 3
POR_ATAQUE = 8 + 6
DIM = 8 * POR_BICHO + 4 * POR_ATAQUE + 8 + 6 + 32 + 16


def _pon_bicho(v, k, b):
    if b is None:
        v[k + 19] = 1.0          # desconocido
        return
    tipos, st = ESPECIES[b["n"]]
    for t in tipos.split():
        v[k + T[t]] = 1.0
    for j, s in enumerate(st):
        v[k + 8 + j] = s / 100.0 - 0.5
    if b["e"]:
        v[k + 13 + ESTADOS.index(b["e"]) - 1] = 1.0
    v[k + 16] = b["ps"] / b["m"]
    v[k + 17] = b["s"] / 3.0
    v[k + 18] = 1.0 if b["w"] else 0.0


def mira(f):
    v = np.zeros(DIM, np.float32)
    k = 0
    # el activo siempre primero
    yo = [f["yo"][f["a"]]] + [b for i, b in enumerate(f["yo"]) if i != f["a"]]
    el = [f["el"][f["ra"]]] + [b for i, b in enumerate(f["el"]) if i != f["ra"]]
    for b in yo + el:
        _pon_bicho(v, k, b)
        k += POR_BICHO
    mio, suyo = yo[0], el[0]
    ts = [T[t] for t in ESPECIES[suyo["n"]][0].split()]
    tm = [T[t] for t in ESPECIES[mio["n"]][0].split()]
    for n, pp in zip(mio["at"], mio["pp"]):
        tn, poder, punt, fis, ef = ATAQUES[n]
        t = T[tn]
        v[k + t] = 1.0
        e = eficacia(t, ts)
        v[k + 8] = poder / 100.0
        v[k + 9] = punt / 100.0
        v[k + 10] = np.log2(e) if poder else 0.0
        v[k + 11] = 1.0 if t in tm else 0.0
        v[k + 12] = poder * e * (1.5 if t in tm else 1.0) * ESPECIES[mio["n"]][1][0 if fis else 2] / 20000.0
        v[k + 13] = pp / 12.0
        k += POR_ATAQUE
    # como le iria a cada uno del banquillo contra el de enfrente (en orden de casilla!)
    for i, b in enumerate(f["yo"]):
        tb = [T[t] for t in ESPECIES[b["n"]][0].split()]
        v[k + i] = max(eficacia(T[ATAQUES[n][0]], ts) for n in b["at"] if ATAQUES[n][1]) - 1.0 if b["ps"] > 0 else -1
        v[k + 4 + i] = max(eficacia(t, tb) for t in ts) - 1.0
    k += 8
    # cuadro de duelos: cada uno de los mios contra cada uno de los que he visto, ida y vuelta
    for i, b in enumerate(f["yo"]):
        if b["ps"] > 0:
            sb = ESPECIES[b["n"]]
            tb = [T[t] for t in sb[0].split()]
            for j, e in enumerate(f["el"]):
                if e is not None and e["ps"] > 0:
                    se = ESPECIES[e["n"]]
                    te = [T[t] for t in se[0].split()]
                    mx = 0.0
                    for n in b["at"]:
                        tn, poder, _, fis, _ = ATAQUES[n]
                        x = poder * eficacia(T[tn], te) * (1.5 if T[tn] in tb else 1.0) * sb[1][0 if fis else 2] / se[1][1]
                        mx = max(mx, x)
                    v[k + 4 * i + j] = mx / 150.0
                    v[k + 16 + 4 * i + j] = max(eficacia(t, tb) for t in te) * max(se[1][0], se[1][2]) / sb[1][1] / 2.0
    k += 32
    # lo que dice la calculadora del servidor
    cal = f["calc"]
    for i in range(4):
        med, ko = cal[f["a"]][i]
        v[k + i], v[k + 4 + i] = min(med, 2.0), ko
        v[k + 8 + i] = min(2.0, max(x[0] for x in cal[i]))
        v[k + 12 + i] = max(x[1] for x in cal[i])
    k += 16
    v[k] = f["turno"] / 80.0
    v[k + 1] = 1.0 if f["forz"] else 0.0
    v[k + 2 + f["a"]] = 1.0
    return v


def mascara(f):
    m = np.zeros(8, bool)
    b = f["yo"][f["a"]]
    if b["ps"] > 0:
        for i, pp in enumerate(b["pp"]):
            m[i] = pp > 0
    for i, o in enumerate(f["yo"]):
        if i != f["a"] and o["ps"] > 0:
            m[4 + i] = True
    if not m.any():
        m[0] = True
    return m


def premio(antes, f):
    """diferencia de 'salud' entre dos fotos, mas la victoria"""
    r = 0.0
    for x, y in zip(antes["yo"], f["yo"]):
        r -= 0.25 * (x["ps"] - y["ps"]) / x["m"]
        if x["ps"] > 0 >= y["ps"]:
            r -= 0.15
        if y["e"] and not x["e"]:
            r -= 0.03
    for x, y in zip(antes["el"], f["el"]):
        if y is None:
            continue
        p0 = x["ps"] if x is not None else y["m"]
        r += 0.25 * (p0 - y["ps"]) / y["m"]
        if p0 > 0 >= y["ps"]:
            r += 0.15
        if y["e"] and not (x and x["e"]):
            r += 0.03
    if sum(l.startswith("|falla|p0") for l in f["txt"]):
        r -= 0.005
    if f["fin"]:
        r += {0: 1.0, 1: -1.0, -1: 0.0}[f["gana"]]
    return r


class Sala:
    """un combate. Se usa desde los hilos del pool, nunca dos a la vez en la misma sala."""

    def __init__(self, estadio, num, semilla):
        self.es, self.num, self.sem = estadio, num, semilla
        self.foto = None

    def empieza(self, marcas=None):
        self.sem += 1
        m = self.es.pide({"s": self.num, "nuevo": self.sem})
        self.foto = m["foto"]
        t0 = time.perf_counter()
        o = mira(self.foto)
        t1 = time.perf_counter()
        k = mascara(self.foto)
        t2 = time.perf_counter()
        if marcas is not None:
            marcas += m["t"]
            marcas += [("env.observe", t0, t1), ("env.mask", t1, t2)]
        return o, k

    def turno(self, acc):
        m = self.es.pide({"s": self.num, "acc": int(acc)})
        antes, f = self.foto, m["foto"]
        self.foto = f
        t0 = time.perf_counter()
        r = premio(antes, f)
        t1 = time.perf_counter()
        o = mira(f)
        t2 = time.perf_counter()
        k = mascara(f)
        t3 = time.perf_counter()
        marcas = m["t"] + [("env.reward", t0, t1), ("env.observe", t1, t2), ("env.mask", t2, t3)]
        sig = (o, k)
        if f["fin"]:
            sig = self.empieza(marcas)
        return r, f["fin"], f["gana"], o, k, sig, marcas
