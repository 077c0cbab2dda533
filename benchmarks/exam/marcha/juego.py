"""La Marcha: el 'Breakthrough' de toda la vida en 5x5 (en 6x6 tardaba la vida en aprender), con bichos en vez de peones.

El tablero es una lista de 25: 1 = mios, -1 = suyos, 0 = nada. SIEMPRE lo miro desde el que mueve,
que marcha hacia abajo (filas crecientes); despues de mover se gira el tablero y se cambia el signo.
accion = casilla*3 + (0 diagonal izda, 1 recto, 2 diagonal dcha).  Recto no se come.
"""
L = 5
CAS = L * L
NACC = CAS * 3

# destino de cada accion (o -1)
DEST = [-1] * NACC
for f in range(L - 1):
    for c in range(L):
        for d in (-1, 0, 1):
            if 0 <= c + d < L:
                DEST[(f * L + c) * 3 + d + 1] = (f + 1) * L + c + d
ESPEJO = [((f * L + (L - 1 - c)) * 3 + (2 - d)) for f in range(L) for c in range(L) for d in range(3)]


def inicial():
    return [1] * (2 * L) + [0] * (CAS - 4 * L) + [-1] * (2 * L)


def legales(t):
    r = []
    for s in range(CAS - L):
        if t[s] == 1:
            k = s * 3
            for d in (0, 1, 2):
                x = DEST[k + d]
                if x >= 0:
                    v = t[x]
                    if v == 0 or (v == -1 and d != 1):
                        r.append(k + d)
    return r


def mueve(t, a):
    """-> (tablero visto por el otro, gano el que movio?)"""
    n = list(t)
    s, x = a // 3, DEST[a]
    n[s] = 0
    n[x] = 1
    gana = x >= CAS - L or -1 not in n
    n.reverse()
    return [-v for v in n], gana


def espejo(t):
    r = []
    for f in range(L):
        r += t[f * L:f * L + L][::-1]
    return r


def gana_ya(t):
    """el que mueve, llega en una?"""
    return any(mueve(t, a)[1] for a in legales(t))


def perdido(t):
    """haga lo que haga el que mueve, el otro llega a la siguiente (y el no llega antes)"""
    if -1 not in t[:3 * L]:
        return False            # todavia andan lejos
    for a in legales(t):
        n, g = mueve(t, a)
        if g or not gana_ya(n):
            return False
    return True


class Partida:
    """una partida 'oficial', con arbitro: comprueba la jugada y apunta la planilla"""

    def __init__(self):
        self.t = inicial()
        self.negro = False
        self.planilla = []
        self.comidas = [0, 0]
        self.fin, self.gana = False, None
        self.avance = [0, 0]

    def _nombre(self, cas):
        if self.negro:
            cas = CAS - 1 - cas
        return "abcde"[cas % L] + str(cas // L + 1)

    def juega(self, a):
        assert not self.fin
        if a not in legales(self.t):
            raise ValueError("jugada ilegal %d" % a)
        x = DEST[a]
        come = self.t[x] == -1
        self.planilla.append(self._nombre(a // 3) + ("x" if come else "-") + self._nombre(x))
        lado = int(self.negro)
        self.comidas[lado] += come
        self.t, gana = mueve(self.t, a)
        self.negro = not self.negro
        # filas avanzadas en total, para la cronica
        self.avance[lado] = sum((CAS - 1 - i) // L for i, v in enumerate(self.t) if v == -1)
        if gana:
            self.fin, self.gana = True, lado
        # el arbitro canta las partidas decididas, para no aburrir al publico
        elif gana_ya(self.t):
            self.fin, self.gana = True, 1 - lado
        elif perdido(self.t):
            self.fin, self.gana = True, lado
        return self.fin

    def dibuja(self):
        t = self.t if not self.negro else [-v for v in reversed(self.t)]
        return "\n".join(" ".join(".ox"[t[f * L + c]] for c in range(L)) for f in range(L))
