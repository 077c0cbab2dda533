"""Das Spielfeld: Sechsecke in versetzten Zeilen (odd-r)."""
import random

BREITE, HOEHE = 9, 7
WIESE, WALD, BERG = 0, 1, 2

_GERADE = ((1, 0), (0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 1))
_UNGERADE = ((1, 0), (1, -1), (0, -1), (-1, 0), (0, 1), (1, 1))


def nachbar(x, y, richtung):
    dx, dy = (_UNGERADE if y & 1 else _GERADE)[richtung]
    return x + dx, y + dy


def drauf(x, y):
    return 0 <= x < BREITE and 0 <= y < HOEHE


def wuerfel(x, y):
    q = x - (y - (y & 1)) // 2
    return q, -q - y, y


def abstand(ax, ay, bx, by):
    a, b = wuerfel(ax, ay), wuerfel(bx, by)
    return max(abs(a[0] - b[0]), abs(a[1] - b[1]), abs(a[2] - b[2]))


class Brett:
    def __init__(self, zufall=None):
        self.zufall = zufall or random.Random()
        self.gelaende = []
        self.neu()

    def neu(self):
        g = [[WIESE] * BREITE for _ in range(HOEHE)]
        for _ in range(7):
            x = self.zufall.randrange(2, BREITE - 2)
            y = self.zufall.randrange(HOEHE)
            art = WALD if self.zufall.random() < 0.65 else BERG
            g[y][x] = art
            g[HOEHE - 1 - y][BREITE - 1 - x] = art
        self.gelaende = g

    def begehbar(self, x, y):
        return drauf(x, y) and self.gelaende[y][x] != BERG
