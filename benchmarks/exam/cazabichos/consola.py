"""consola.py -- la "CB-1", una consola de mentira: RAM de 256 bytes, mosaicos de 6x6, 8 sprites.

El cartucho (clase CazaBichos) solo toca la RAM; el chip de video (Video) solo LEE la RAM y pinta.
Pantalla: 96 x 100 (alto x ancho) RGB; las 12 lineas de arriba son el marcador.
Botones (bits): 1 arriba, 2 abajo, 4 izda, 8 dcha, 16 A (red)
"""
import numpy as np

ALTO, ANCHO, MARCADOR = 96, 100, 12
CEL, COLS, FILS = 6, 14, 14          # 14*6 = 84 de campo
N_BICHOS, N_OGROS = 5, 1

# mapa de la RAM
R_X, R_Y, R_DIR, R_RED, R_VIDAS, R_CAZADOS, R_INMUNE, R_FIN = 0, 1, 2, 3, 4, 5, 6, 7
R_T = 8                 # 2 bytes, reloj
R_BICHO = 16            # x, y, vivo, tipo, rumbo   (5 bytes cada uno)
R_OGRO = 48             # x, y, rumbo, despierto
R_CAMPO = 64            # lo que hay en cada celda va aparte (campo), aqui solo cuenta de hierba pisada
DURA = 900              # cuadros por partida

PALETA = np.array([[16, 24, 16], [92, 146, 72], [106, 164, 80], [116, 174, 88], [120, 90, 50], [120, 10, 10],
                   [250, 240, 200], [60, 90, 200], [255, 230, 120], [240, 200, 250], [90, 90, 100], [255, 255, 255]], np.uint8)


def _dibujo(txt):
    return np.array([[int(ch, 16) if ch != "." else 255 for ch in f] for f in txt.split()], np.uint8)


MOSAICOS = np.stack([
    _dibujo("222222 222322 222222 232222 222222 222232"),      # 0 llano
    _dibujo("121212 112121 121211 211212 121121 112112"),      # 1 hierba alta
    _dibujo("aaaaaa a6aaaa aaaa0a a0aaaa aaa6aa 0aaaaa"),      # 2 roca
    _dibujo("777777 767777 777767 777777 677777 777677"),      # 3 charca
])
SPR = {
    "heroe": [_dibujo(".555.. 56665. .606.. 77777. .7.7.. 44.44."), _dibujo(".555.. 56665. .606.. 77777. 44.7.. ...44.")],
    "bicho0": [_dibujo(".8..8. .8888. 808808 888888 .8888. .8..8."), _dibujo("8....8 .8888. 808808 888888 .8888. 8....8")],
    "bicho1": [_dibujo(".9..9. 999999 909909 999999 .9999. 9....9"), _dibujo(".9..9. 999999 909909 999999 .9999. .9..9.")],
    "ogro": [_dibujo("5.55.5 555555 5b55b5 500005 555555 55..55"), _dibujo("5.55.5 555555 5b55b5 555555 500005 .5555.")],
    "red": [_dibujo("b.b.b. .b.b.b b.b.b. .b.b.b b.b.b. .b.b.b")],
}
DX, DY = (0, 0, -1, 1), (-1, 1, 0, 0)


class CazaBichos:
    """el cartucho"""

    def __init__(self, semilla=0):
        self.rng = np.random.default_rng(semilla)
        self.ram = np.zeros(256, np.uint8)

    def enciende(self):
        r = self.rng
        ram = self.ram
        ram[:] = 0
        m = np.random.default_rng(1996)       # el nivel es siempre el mismo, va grabado en el cartucho
        self.campo = np.where(m.random((FILS, COLS)) < 0.3, 1, 0).astype(np.uint8)
        for tipo, n in ((2, 5), (3, 2)):
            for _ in range(n):
                y, x = m.integers(0, FILS - 1), m.integers(0, COLS - 1)
                self.campo[y:y + 2, x:x + (2 if tipo == 3 else 1)] = tipo
        self.campo[6:9, 6:9] = 0
        self.pisada = np.zeros((FILS, COLS), bool)
        ram[R_X], ram[R_Y], ram[R_DIR], ram[R_VIDAS] = 42, 42, 1, 3
        for i in range(N_BICHOS):
            self._suelta(i)
        for i in range(N_OGROS):
            x, y = self._hueco(30)
            ram[R_OGRO + 4 * i:R_OGRO + 4 * i + 4] = x, y, 0, 0

    def _hueco(self, lejos):
        while True:
            x, y = int(self.rng.integers(2, 76)), int(self.rng.integers(2, 76))
            if abs(x - int(self.ram[R_X])) + abs(y - int(self.ram[R_Y])) >= lejos and self._libre(x, y):
                return x, y

    def _suelta(self, i):
        x, y = self._hueco(16)
        k = R_BICHO + 5 * i
        self.ram[k:k + 5] = x, y, 1, int(self.rng.random() < 0.35), self.rng.integers(4)

    def _libre(self, x, y):
        if x < 0 or y < 0 or x > 78 or y > 78:
            return False
        c = self.campo
        for yy in (y + 1, y + 4):
            for xx in (x + 1, x + 4):
                if c[yy // CEL, xx // CEL] >= 2:
                    return False
        return True

    def cuadro(self, b):
        """1/60 de segundo de juego"""
        ram = self.ram
        if ram[R_FIN]:
            return
        t = int(ram[R_T]) + 256 * int(ram[R_T + 1]) + 1
        ram[R_T], ram[R_T + 1] = t & 255, t >> 8
        x, y, d = int(ram[R_X]), int(ram[R_Y]), int(ram[R_DIR])
        # --- heroe
        if ram[R_RED]:
            ram[R_RED] -= 1
        mueve = False
        for k in range(4):
            if b & (1 << k):
                d, mueve = k, True
        if mueve and ram[R_RED] < 3:
            nx, ny = x + DX[d], y + DY[d]
            lento = self.campo[(y + 3) // CEL, (x + 3) // CEL] == 1
            if not (lento and t % 3 == 0) and self._libre(nx, ny):
                x, y = nx, ny
        if b & 16 and ram[R_RED] == 0:
            ram[R_RED] = 9
        ram[R_X], ram[R_Y], ram[R_DIR] = x, y, d
        self.pisada[(y + 3) // CEL, (x + 3) // CEL] = True
        # --- bichos
        rx, ry = x + DX[d] * 6, y + DY[d] * 6
        for i in range(N_BICHOS):
            k = R_BICHO + 5 * i
            bx, by, vivo, tipo, rum = (int(v) for v in ram[k:k + 5])
            if not vivo:
                if t % 40 == 10 * i:
                    self._suelta(i)
                continue
            if ram[R_RED] >= 4 and abs(bx - rx) < 6 and abs(by - ry) < 6:
                ram[k + 2] = 0
                ram[R_CAZADOS] += 1 + tipo
                continue
            if (t + i) % (3 - tipo) == 0:
                cerca = abs(bx - x) + abs(by - y) < 14
                if cerca and (t + i) % 12 == 0:        # huyen
                    rum = (2 if bx < x else 3) if abs(bx - x) > abs(by - y) else (0 if by < y else 1)
                elif self.rng.random() < 0.04:
                    rum = int(self.rng.integers(4))
                nx, ny = bx + DX[rum], by + DY[rum]
                if self._libre(nx, ny):
                    bx, by = nx, ny
                else:
                    rum = int(self.rng.integers(4))
                ram[k], ram[k + 1], ram[k + 4] = bx, by, rum
        # --- ogros
        if ram[R_INMUNE]:
            ram[R_INMUNE] -= 1
        for i in range(N_OGROS):
            k = R_OGRO + 4 * i
            ox, oy, rum = int(ram[k]), int(ram[k + 1]), int(ram[k + 2])
            dist = abs(ox - x) + abs(oy - y)
            ram[k + 3] = dist < 34
            if t % 3 == 0:
                if dist < 34:
                    rum = (3 if ox < x else 2) if abs(ox - x) > abs(oy - y) else (1 if oy < y else 0)
                elif self.rng.random() < 0.05:
                    rum = int(self.rng.integers(4))
                nx, ny = ox + DX[rum], oy + DY[rum]
                if self._libre(nx, ny):
                    ram[k], ram[k + 1] = nx, ny
                else:
                    rum = int(self.rng.integers(4))
                    if self._libre(ox + DX[rum], oy + DY[rum]):
                        ram[k], ram[k + 1] = ox + DX[rum], oy + DY[rum]
                ram[k + 2] = rum
            if dist < 6 and not ram[R_INMUNE]:
                ram[R_VIDAS] -= 1
                ram[R_INMUNE] = 60
        if ram[R_VIDAS] == 0 or t >= DURA:
            ram[R_FIN] = 1


class Video:
    """el chip de video. Pinta indices y al final pasa la paleta"""

    def __init__(self, cart):
        self.cart = cart
        self.idx = np.zeros((ALTO, ANCHO), np.uint8)
        self.brillo = np.ones((ALTO, 1, 1), np.float32)
        self.brillo[1::2] = 0.92           # lineas de barrido, que queda bonito

    def _pon(self, s, x, y):
        y += MARCADOR
        x += 8
        z = self.idx[y:y + 6, x:x + 6]
        s = s[:z.shape[0], :z.shape[1]]
        np.copyto(z, s, where=s != 255)

    def pinta(self):
        ram, c = self.cart.ram, self.cart
        n = int(ram[R_T]) + 256 * int(ram[R_T + 1])
        idx = self.idx
        fondo = MOSAICOS[c.campo].transpose(0, 2, 1, 3).reshape(84, 84)
        # el agua se mueve
        agua = np.repeat(np.repeat(c.campo == 3, CEL, 0), CEL, 1)
        fondo = np.where(agua, np.roll(fondo, n // 8, 1), fondo)
        idx[:] = 0
        idx[MARCADOR:, 8:92] = fondo
        # marcador
        for i in range(int(ram[R_VIDAS])):
            idx[3:8, 4 + 8 * i:9 + 8 * i] = 5
        g = min(60, 4 * int(ram[R_CAZADOS]))
        idx[3:8, 34:34 + g] = 8
        p = (n >> 3) & 1
        # los sprites pares parpadean: el chip no puede con mas de 5 a la vez
        for i in range(N_BICHOS):
            k = R_BICHO + 5 * i
            if ram[k + 2] and (i + n) % 4:
                self._pon(SPR["bicho%d" % ram[k + 3]][p], int(ram[k]), int(ram[k + 1]))
        for i in range(N_OGROS):
            k = R_OGRO + 4 * i
            self._pon(SPR["ogro"][p], int(ram[k]), int(ram[k + 1]))
        if not (ram[R_INMUNE] and n & 2):
            self._pon(SPR["heroe"][p], int(ram[R_X]), int(ram[R_Y]))
        if ram[R_RED] >= 4:
            d = int(ram[R_DIR])
            x, y = int(ram[R_X]) + DX[d] * 6, int(ram[R_Y]) + DY[d] * 6
            if 0 <= x <= 78 and 0 <= y <= 78:
                self._pon(SPR["red"][0], x, y)
        return (PALETA[idx] * self.brillo).astype(np.uint8)
