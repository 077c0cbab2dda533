import numpy as np

from stopwatch import watch

KINDS = {"inf": 0, "cav": 1, "gun": 2}


class Recon:
    """Turns the map into planes: terrain x4, blue x3, red x3, fatigue, active unit, towns."""

    PLANES = 13

    def __init__(self, battle):
        self.battle = battle
        side = 2 * battle.RADIUS + 1
        self.shape = (self.PLANES, side, side)

    def report(self):
        watch.start("env.observe")
        b = self.battle
        r = b.RADIUS
        img = np.zeros(self.shape, dtype=np.float32)
        for (q, s), kind in b.ground.items():
            img[kind, q + r, s + r] = 1.0
        for u in b.units:
            if u.alive:
                plane = 4 + 3 * u.side + KINDS[u.kind]
                img[plane, u.pos[0] + r, u.pos[1] + r] = u.strength / 8
                img[10, u.pos[0] + r, u.pos[1] + r] = u.fatigue / 10
        a = b.active
        img[11, a.pos[0] + r, a.pos[1] + r] = 1.0
        for t in b.towns:
            img[12, t[0] + r, t[1] + r] = 1.0
        watch.stop()
        return img
