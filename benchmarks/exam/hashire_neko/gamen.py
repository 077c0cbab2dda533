# gamen = screen. draws everything into a numpy array, like an old handheld (160x144)
import numpy as np

HABA, TAKASA, MASU = 160, 144, 16

_rng = np.random.default_rng(7)


def _e(iro, zara=12):
    """make a 16x16 tile picture with a bit of noise"""
    t = np.zeros((MASU, MASU, 3), np.int16) + np.array(iro, np.int16)
    t += _rng.integers(-zara, zara + 1, (MASU, MASU, 1), dtype=np.int16)
    return np.clip(t, 0, 255).astype(np.uint8)


TSUCHI = _e((140, 90, 40))
KUSA = _e((60, 170, 60))
KUSA[5:] = TSUCHI[5:]
BLOCK = _e((190, 150, 60))
BLOCK[0], BLOCK[-1], BLOCK[:, 0], BLOCK[:, -1] = 60, 60, 60, 60
TILES = {1: TSUCHI, 2: KUSA, 3: BLOCK}

_yy, _xx = np.mgrid[0:14, 0:12]
NEKO = np.zeros((14, 12, 4), np.float32)
NEKO[..., :3] = (240, 200, 90)
NEKO[..., 3] = (((_xx - 5.5) / 6) ** 2 + ((_yy - 7) / 7.5) ** 2 < 1)
NEKO[4:6, 7:9, :3] = 0
TEKI = np.zeros((12, 12, 4), np.float32)
TEKI[..., :3] = (200, 40, 80)
TEKI[..., 3] = (_xx[:12] + _yy[:12] > 4)
COIN = np.zeros((8, 8, 4), np.float32)
COIN[..., :3] = (255, 230, 30)
COIN[..., 3] = 0.9


class Gamen:
    def __init__(self):
        self.e = np.zeros((TAKASA, HABA, 3), np.uint8)
        sora = np.linspace(150, 235, TAKASA)
        self.sora = np.stack([sora * 0.5, sora * 0.75, sora], -1).astype(np.uint8)

    def haru(self, sprite, x, y):
        """paste with alpha"""
        h, w = sprite.shape[:2]
        x, y = int(x), int(y)
        x0, y0, x1, y1 = max(x, 0), max(y, 0), min(x + w, HABA), min(y + h, TAKASA)
        if x0 >= x1 or y0 >= y1:
            return
        s = sprite[y0 - y:y1 - y, x0 - x:x1 - x]
        a = s[..., 3:4]
        self.e[y0:y1, x0:x1] = (s[..., :3] * a + self.e[y0:y1, x0:x1] * (1 - a)).astype(np.uint8)

    def kaku(self, g):
        e = self.e
        cam = int(g.cam)
        e[:] = self.sora[:, None, :]
        # yama (mountains, parallax)
        for x in range(0, HABA, 2):
            h = int(34 + 18 * np.sin((x + cam * 0.4) * 0.05) + 8 * np.sin((x + cam * 0.4) * 0.13))
            e[112 - h:112, x:x + 2] = (70, 110, 120)
        c0 = cam // MASU
        for c in range(c0, c0 + HABA // MASU + 1):
            for r in range(TAKASA // MASU):
                t = g.chizu[r, c]
                if t == 0:
                    continue
                x = c * MASU - cam
                a, b = max(x, 0), min(x + MASU, HABA)
                if a < b:
                    e[r * MASU:(r + 1) * MASU, a:b] = TILES[t][:, a - x:b - x]
        for cx, cy in g.coins:
            self.haru(COIN, cx - cam, cy)
        for t in g.tekitachi:
            if t.ikiteru:
                self.haru(TEKI, t.x - cam, t.y)
        self.haru(NEKO if g.muki > 0 else NEKO[:, ::-1], g.x - cam, g.y)
        # HUD: time bar and coins
        e[2:6, 4:4 + int(100 * g.nokori / g.JIKAN)] = (255, 255, 255)
        for i in range(min(g.coin_kazu, 10)):
            e[8:12, 4 + i * 6:8 + i * 6] = (255, 220, 0)
        return e
