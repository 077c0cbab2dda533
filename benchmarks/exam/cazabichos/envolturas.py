"""envolturas.py -- de consola a gymnasium, y los criticos que ponen la nota."""
import time
from collections import defaultdict

import gymnasium as gym
import numpy as np

import consola as cb


class Crono:
    """un solo reloj con una etapa 'actual'. pasa(x) cierra la de antes y abre x."""

    def __init__(self):
        self.seg = defaultdict(float)
        self.et, self.t = "other", time.perf_counter()

    def pasa(self, et):
        t = time.perf_counter()
        self.seg[self.et] += t - self.t
        antes, self.et, self.t = self.et, et, t
        return antes

    def cero(self):
        self.seg.clear()
        self.t = time.perf_counter()


crono = Crono()

# combinaciones de botones que dejamos usar
BOTONES = [1, 2, 4, 8, 16]      # con 10 combinaciones no aprendia ni a tiros


class ConsolaEnv(gym.Env):
    def __init__(self, semilla):
        self.cart = cb.CazaBichos(semilla)
        self.video = cb.Video(self.cart)
        self.action_space = gym.spaces.Discrete(len(BOTONES))
        self.observation_space = gym.spaces.Box(0, 255, (cb.ALTO, cb.ANCHO, 3), np.uint8)

    def _pantalla(self):
        p = crono.pasa("env.render")
        f = self.video.pinta()
        crono.pasa(p)
        return f

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.cart.enciende()
        return self._pantalla(), {}

    def step(self, a):
        self.cart.cuadro(BOTONES[a])
        # como las consolas de verdad: pinta TODOS los cuadros, los mires o no
        return self._pantalla(), 0.0, bool(self.cart.ram[cb.R_FIN]), False, {}


class Salta(gym.Wrapper):
    """repite la accion k cuadros, maximo de los dos ultimos (por el parpadeo de los sprites)"""

    def __init__(self, env, k=4):
        super().__init__(env)
        self.k = k

    def step(self, a):
        previo = f = None
        for _ in range(self.k):
            previo = f
            f, _, fin, corte, info = self.env.step(a)
            if fin:
                break
        if previo is not None:
            p = crono.pasa("env.observe")
            f = np.maximum(f, previo)
            crono.pasa(p)
        return f, 0.0, fin, corte, info


class Recorta(gym.ObservationWrapper):
    """fuera marcador y bordes: quedan 84x84"""

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = gym.spaces.Box(0, 255, (84, 84, 3), np.uint8)

    def observation(self, f):
        return f[cb.MARCADOR:, 8:92]


class Gris(gym.ObservationWrapper):
    """gris con un pelin de contraste, que los ogros casi no se veian sobre la hierba"""
    PESOS = np.array([0.299, 0.587, 0.114])

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = gym.spaces.Box(0, 255, (84, 84), np.uint8)

    def observation(self, f):
        p = crono.pasa("env.observe")
        g = f.astype(np.float64) @ self.PESOS
        g = np.clip((g - 128.0) * 1.25 + 128.0, 0, 255).astype(np.uint8)
        crono.pasa(p)
        return g


class Pila(gym.Wrapper):
    def __init__(self, env, n=4):
        super().__init__(env)
        self.n = n
        self.buf = np.zeros((n, 84, 84), np.uint8)
        self.observation_space = gym.spaces.Box(0, 255, (n, 84, 84), np.uint8)

    def reset(self, **kw):
        f, info = self.env.reset(**kw)
        self.buf[:] = f
        return self.buf.copy(), info

    def step(self, a):
        f, r, fin, corte, info = self.env.step(a)
        p = crono.pasa("env.observe")
        self.buf[:-1] = self.buf[1:]
        self.buf[-1] = f
        o = self.buf.copy()
        crono.pasa(p)
        return o, r, fin, corte, info


# ----------------------------------------------------------------- criticos
def hechos(cart):
    """lo que pasa en la RAM, en cristiano"""
    r = cart.ram
    x, y = int(r[cb.R_X]), int(r[cb.R_Y])
    bichos = []
    for i in range(cb.N_BICHOS):
        k = cb.R_BICHO + 5 * i
        if r[k + 2]:
            bx, by = int(r[k]), int(r[k + 1])
            bichos.append((i, (abs(bx - x) + abs(by - y), 1 + int(r[k + 3]), bx, by)))
    ogros = []
    for i in range(cb.N_OGROS):
        k = cb.R_OGRO + 4 * i
        ogros.append((abs(int(r[k]) - x) + abs(int(r[k + 1]) - y), bool(r[k + 3])))
    return dict(pos=(x, y), cazados=int(r[cb.R_CAZADOS]), vidas=int(r[cb.R_VIDAS]), red=int(r[cb.R_RED]),
                bichos=dict(bichos), ogro=min(ogros), pisadas=int(cart.pisada.sum()),
                hierba=int((cart.pisada & (cart.campo == 1)).sum()), fin=bool(r[cb.R_FIN]))


class Critico:
    peso = 1.0

    def juzga(self, a, d):
        return 0.0


class Cazador(Critico):
    def juzga(self, a, d):
        return float(d["cazados"] - a["cazados"])


class Pupa(Critico):
    peso = 0.3

    def juzga(self, a, d):
        return float(d["vidas"] - a["vidas"])


class Rastreador(Critico):
    """dio pasos hacia el bicho mas apetecible? Se mide contra donde ESTABA: que el bicho huya no es culpa suya
    (antes contaba la huida y era puro ruido)"""
    peso = 0.1

    def juzga(self, a, d):
        if not a["bichos"]:
            return 0.0
        dist, _, bx, by = min(a["bichos"].values(), key=lambda q: q[0] / q[1])
        x, y = d["pos"]
        return float(np.clip(dist - abs(bx - x) - abs(by - y), -6, 6))


class Miedo(Critico):
    peso = 0.02

    def juzga(self, a, d):
        if not a["ogro"][1]:
            return 0.0
        return float(np.clip(d["ogro"][0] - a["ogro"][0], -6, 6))


class Explorador(Critico):
    peso = 0.08

    def juzga(self, a, d):
        return d["pisadas"] - a["pisadas"] + 0.5 * (d["hierba"] - a["hierba"])


class Chocon(Critico):
    """darse de cabezazos contra una roca"""
    peso = 0.08

    def juzga(self, a, d):
        return -1.0 if a["pos"] == d["pos"] and not d["red"] else 0.0


class RedAlAire(Critico):
    """tirar la red sin nadie delante sale caro"""
    peso = 0.05

    def juzga(self, a, d):
        if d["red"] > a["red"] and not any(x < 16 for x, *_ in d["bichos"].values()):
            return -1.0
        return 0.0


class Jurado(gym.Wrapper):
    def __init__(self, env):
        super().__init__(env)
        self.criticos = [Cazador(), Pupa(), Rastreador(), Miedo(), Explorador(), Chocon(), RedAlAire()]

    def reset(self, **kw):
        o, info = self.env.reset(**kw)
        self.antes = hechos(self.unwrapped.cart)
        self.total, self.n = 0.0, 0
        return o, info

    def step(self, a):
        o, _, fin, corte, info = self.env.step(a)
        p = crono.pasa("env.reward")
        ahora = hechos(self.unwrapped.cart)
        r = sum(c.peso * c.juzga(self.antes, ahora) for c in self.criticos)
        self.antes = ahora
        self.total += r
        self.n += 1
        if fin:
            info["partida"] = (self.total, self.n, ahora["cazados"])
        crono.pasa(p)
        return o, r, fin, corte, info


def monta(semilla):
    return Jurado(Pila(Gris(Recorta(Salta(ConsolaEnv(semilla))))))
