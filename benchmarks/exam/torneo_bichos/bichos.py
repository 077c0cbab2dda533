"""bichos.py -- las reglas del combate. Nada de red ni de sockets aqui.

4 bichos por equipo, 4 ataques cada uno.  Acciones:
   0..3  usar el ataque i
   4..7  cambiar al bicho (i-4)
Inspirado en los combates de la consola de toda la vida, pero simplificado.
"""
import random

TIPOS = ["normal", "fuego", "agua", "planta", "rayo", "roca", "sombra", "mente"]
T = {n: i for i, n in enumerate(TIPOS)}

# fila ataca a columna
_fuerte = {"fuego": "planta", "agua": "fuego roca", "planta": "agua roca", "rayo": "agua",
           "roca": "fuego rayo", "sombra": "mente sombra", "mente": "normal"}
_debil = {"normal": "roca", "fuego": "agua roca fuego", "agua": "planta agua", "planta": "fuego planta",
          "rayo": "planta rayo", "roca": "planta", "sombra": "normal", "mente": "mente sombra"}
TABLA = [[1.0] * 8 for _ in range(8)]
for a, bs in _fuerte.items():
    for b in bs.split():
        TABLA[T[a]][T[b]] = 2.0
for a, bs in _debil.items():
    for b in bs.split():
        TABLA[T[a]][T[b]] = 0.5

# nombre: (tipo, poder, punteria, fisico?, efecto)
ATAQUES = {
    "placaje": ("normal", 55, 100, 1, None), "rapidez": ("normal", 40, 100, 1, "prio"),
    "golpazo": ("normal", 95, 80, 1, "retro"), "ascua": ("fuego", 55, 100, 0, "quema20"),
    "llamarada": ("fuego", 100, 80, 0, "quema20"), "colmillo": ("fuego", 65, 95, 1, "quema20"),
    "burbuja": ("agua", 55, 100, 0, None), "surf": ("agua", 85, 95, 0, None),
    "torrente": ("agua", 70, 95, 1, None), "latigo": ("planta", 60, 100, 1, None),
    "rayosol": ("planta", 95, 85, 0, None), "gigadren": ("planta", 60, 100, 0, "drena"),
    "chispa": ("rayo", 60, 100, 0, "para20"), "trueno": ("rayo", 100, 75, 0, "para20"),
    "pedrada": ("roca", 70, 90, 1, None), "alud": ("roca", 95, 80, 1, None),
    "garra": ("sombra", 65, 100, 1, None), "noche": ("sombra", 80, 95, 0, None),
    "psico": ("mente", 80, 95, 0, None), "confu": ("mente", 55, 100, 0, None),
    "toxico": ("sombra", 0, 90, 0, "veneno"), "onda": ("rayo", 0, 90, 0, "para"),
    "fuegofatuo": ("fuego", 0, 85, 0, "quema"), "danza": ("normal", 0, 100, 0, "sube"),
    "muro": ("roca", 0, 100, 0, "muro"), "reposo": ("mente", 0, 100, 0, "cura"),
}
NOMBRES_AT = list(ATAQUES)
ID_AT = {n: i for i, n in enumerate(NOMBRES_AT)}

# nombre: tipos, (ps, ata, def, esp, vel)
ESPECIES = {
    "Brasito": ("fuego", (70, 75, 60, 95, 90)), "Salamor": ("fuego sombra", (80, 95, 70, 80, 75)),
    "Charquin": ("agua", (85, 70, 80, 85, 65)), "Tiburoz": ("agua sombra", (75, 105, 60, 65, 95)),
    "Hojasca": ("planta", (80, 75, 75, 90, 70)), "Cactudo": ("planta roca", (95, 90, 100, 55, 35)),
    "Voltin": ("rayo", (60, 60, 55, 100, 115)), "Tormentar": ("rayo agua", (85, 70, 75, 95, 70)),
    "Pedrolo": ("roca", (90, 100, 120, 45, 30)), "Lavatron": ("roca fuego", (85, 85, 95, 85, 45)),
    "Umbrio": ("sombra", (70, 90, 65, 90, 100)), "Fantasmin": ("sombra mente", (60, 55, 60, 110, 105)),
    "Sabiondo": ("mente", (75, 50, 70, 115, 85)), "Gordote": ("normal", (140, 80, 80, 60, 35)),
    "Corredor": ("normal", (70, 95, 65, 55, 115)), "Mentalga": ("mente planta", (80, 60, 85, 95, 60)),
}
ID_ESP = {n: i for i, n in enumerate(ESPECIES)}
ESTADOS = ["", "quema", "veneno", "para"]


class Bicho:
    __slots__ = ("esp", "tipos", "ps", "psmax", "st", "at", "pp", "estado", "sube", "muro", "visto")

    def clon(self):
        b = Bicho.__new__(Bicho)
        b.esp, b.tipos, b.psmax, b.st, b.at, b.visto = self.esp, self.tipos, self.psmax, self.st, self.at, self.visto
        b.ps, b.pp, b.estado, b.sube, b.muro = self.ps, list(self.pp), self.estado, self.sube, self.muro
        return b


def nuevo_bicho(rng, esp):
    b = Bicho()
    tipos, (ps, ata, de, es, ve) = ESPECIES[esp]
    b.esp = esp
    b.tipos = [T[t] for t in tipos.split()]
    b.psmax = b.ps = ps * 2 + 110
    b.st = (ata, de, es, ve)
    propios = [n for n in NOMBRES_AT if ATAQUES[n][1] and T[ATAQUES[n][0]] in b.tipos]
    at = rng.sample(propios, min(2, len(propios)))
    while len(at) < 4:
        n = rng.choice(NOMBRES_AT)
        if n not in at:
            at.append(n)
    b.at = at
    b.pp = [12 if ATAQUES[n][1] else 6 for n in at]
    b.estado, b.sube, b.muro, b.visto = "", 0, 0, False
    return b


def eficacia(tipo, tipos):
    m = 1.0
    for t in tipos:
        m *= TABLA[tipo][t]
    return m


def danio(a, d, nombre, dado=0.92):
    """danio de un ataque; dado = 0.85..1.0"""
    tn, poder, _, fis, _ = ATAQUES[nombre]
    if not poder:
        return 0
    t = T[tn]
    ata = a.st[0] if fis else a.st[2]
    ata = ata * (1 + 0.5 * a.sube)
    if fis and a.estado == "quema":
        ata *= 0.5
    de = d.st[1] * (1.5 if d.muro else 1.0)
    x = (22 * poder * ata / de) / 25 + 2
    if t in a.tipos:
        x *= 1.5
    return x * eficacia(t, d.tipos) * dado


class Combate:
    def __init__(self, semilla=None):
        self.rng = random.Random(semilla)
        self.eq = [[nuevo_bicho(self.rng, e) for e in self.rng.sample(list(ESPECIES), 4)] for _ in range(2)]
        self.act = [0, 0]
        self.turno = 0
        self.fin, self.gana = False, -1
        self.eq[0][0].visto = self.eq[1][0].visto = True
        self.txt = []
        self.simula = False

    def clon(self):
        c = Combate.__new__(Combate)
        c.rng = self.rng
        c.eq = [[b.clon() for b in e] for e in self.eq]
        c.act, c.turno, c.fin, c.gana, c.txt, c.simula = list(self.act), self.turno, self.fin, self.gana, [], True
        return c

    def activo(self, lado):
        return self.eq[lado][self.act[lado]]

    def forzado(self, lado):
        return self.activo(lado).ps <= 0 and not self.fin

    def legales(self, lado):
        b = self.activo(lado)
        r = []
        if b.ps > 0:
            r = [i for i in range(4) if b.pp[i] > 0]
        r += [4 + i for i, o in enumerate(self.eq[lado]) if o.ps > 0 and i != self.act[lado]]
        return r or [0]   # forcejeo

    def _di(self, s):
        if not self.simula:
            self.txt.append(s)

    def _azar(self):
        return 0.5 if self.simula else self.rng.random()

    def _cambia(self, lado, i):
        b = self.activo(lado)
        b.sube, b.muro = 0, 0
        self.act[lado] = i
        self.activo(lado).visto = True
        self._di("|cambio|p%d|%s" % (lado, self.activo(lado).esp))

    def _vel(self, lado, acc):
        if acc >= 4:
            return 9999
        b = self.activo(lado)
        v = b.st[3] * (0.4 if b.estado == "para" else 1)
        if ATAQUES[b.at[acc]][4] == "prio":
            v += 1000
        return v

    def _ataca(self, lado, i):
        a, d = self.activo(lado), self.activo(1 - lado)
        if a.ps <= 0 or d.ps <= 0:
            return
        if a.estado == "para" and self._azar() < 0.25:
            self._di("|parado|p%d" % lado)
            return
        nombre = a.at[i]
        tn, poder, punt, fis, ef = ATAQUES[nombre]
        a.pp[i] = max(0, a.pp[i] - 1)
        self._di("|usa|p%d|%s" % (lado, nombre))
        if self._azar() * 100 >= punt:
            self._di("|falla|p%d" % lado)
            return
        if poder:
            x = danio(a, d, nombre, 0.85 + 0.15 * self._azar())
            if self._azar() < 0.06:
                x *= 1.5
                self._di("|critico")
            x = min(d.ps, int(x))
            d.ps -= x
            self._di("|danio|p%d|%d/%d" % (1 - lado, d.ps, d.psmax))
            if ef == "drena":
                a.ps = min(a.psmax, a.ps + x // 2)
            elif ef == "retro":
                a.ps = max(0, a.ps - x // 4)
            elif ef in ("quema20", "para20") and d.ps > 0 and not d.estado and self._azar() < 0.2:
                d.estado = ef[:-2]
        elif ef in ("veneno", "para", "quema"):
            if not d.estado:
                d.estado = ef
                self._di("|estado|p%d|%s" % (1 - lado, ef))
        elif ef == "sube":
            a.sube = min(3, a.sube + 1)
        elif ef == "muro":
            a.muro = 4
        elif ef == "cura":
            a.ps = min(a.psmax, a.ps + a.psmax // 2)

    def _final_turno(self):
        for lado in (0, 1):
            b = self.activo(lado)
            if b.ps > 0 and b.estado in ("quema", "veneno"):
                b.ps = max(0, b.ps - b.psmax // (16 if b.estado == "quema" else 10))
            b.muro = max(0, b.muro - 1)
        vivos = [sum(b.ps > 0 for b in e) for e in self.eq]
        if min(vivos) == 0 or self.turno >= 80:
            self.fin = True
            self.gana = 0 if vivos[0] > vivos[1] else 1 if vivos[1] > vivos[0] else -1
            self._di("|fin|%d" % self.gana)

    def juega(self, a0, a1):
        """un turno; None = este lado no hace nada (cambio forzado del otro)"""
        self.turno += 1
        accs = [(l, a) for l, a in ((0, a0), (1, a1)) if a is not None]
        accs.sort(key=lambda x: -self._vel(*x) - 0.5 * self._azar())
        era_forzado = a0 is None or a1 is None
        for lado, a in accs:
            if a >= 4:
                self._cambia(lado, a - 4)
            else:
                self._ataca(lado, a)
        if not era_forzado:
            self._final_turno()

    def calculadora(self, lado):
        """como la calculadora de danio de los foros: 16 dados por ataque contra el de enfrente.
        Por cada bicho mio, por cada ataque: (media / ps que le quedan, prob. de tumbarlo)"""
        d = self.activo(1 - lado)
        queda = max(1, d.ps)
        r = []
        for b in self.eq[lado]:
            fila = []
            for n in b.at:
                punt = ATAQUES[n][2] / 100.0
                if b.ps <= 0 or not ATAQUES[n][1]:
                    fila.append((0.0, 0.0))
                    continue
                tiradas = [min(d.psmax, danio(b, d, n, 0.85 + 0.01 * k)) for k in range(16)]
                fila.append((round(punt * sum(tiradas) / 16 / queda, 3), round(punt * sum(x >= queda for x in tiradas) / 16, 3)))
            r.append(fila)
        return r

    def foto(self, lado):
        """lo que ve un jugador: lo suyo entero, lo ajeno solo si salio"""
        yo = [dict(n=b.esp, ps=b.ps, m=b.psmax, at=b.at, pp=b.pp, e=b.estado, s=b.sube, w=b.muro)
              for b in self.eq[lado]]
        el = [dict(n=b.esp, ps=b.ps, m=b.psmax, e=b.estado, s=b.sube, w=b.muro) if b.visto else None
              for b in self.eq[1 - lado]]
        t, self.txt = self.txt, []
        return dict(yo=yo, el=el, a=self.act[lado], ra=self.act[1 - lado], turno=self.turno, calc=self.calculadora(lado),
                    forz=self.forzado(lado), fin=self.fin, gana=self.gana, txt=t)


# ---------------------------------------------------------------- el rival
def nota(c, lado):
    s = 0.0
    for l, sg in ((lado, 1), (1 - lado, -1)):
        for b in c.eq[l]:
            if b.ps > 0:
                s += sg * (0.4 + b.ps / b.psmax - (0.12 if b.estado else 0) + 0.08 * b.sube)
    return s


def rival_elige(c, lado, rng):
    """mira un turno adelante contra cada golpe posible del otro (mitad lo peor, mitad la media)"""
    leg = c.legales(lado)
    if len(leg) == 1 or rng.random() < 0.15:
        return rng.choice(leg)
    if c.forzado(lado):
        foe = c.activo(1 - lado)

        def duelo(a):
            b = c.eq[lado][a - 4]
            return max(danio(b, foe, n) for n in b.at) / foe.psmax - max(danio(foe, b, n) for n in foe.at) / b.psmax
        return max(leg, key=duelo)
    foe = c.activo(1 - lado)
    golpes = [i for i in range(4) if foe.pp[i] > 0] or [0]
    mejor, mv = leg[0], -1e9
    for a in leg:
        notas = []
        for g in golpes:
            k = c.clon()
            k.juega(*((a, g) if lado == 0 else (g, a)))
            notas.append(nota(k, lado))
        v = 0.5 * min(notas) + 0.5 * sum(notas) / len(notas) - (0.1 if a >= 4 else 0) + rng.random() * 0.02
        if v > mv:
            mejor, mv = a, v
    return mejor
