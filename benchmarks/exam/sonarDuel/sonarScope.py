import math

import numpy as np


class SonarScope:
    """Builds what the captain sees: 24 sonar rays x 3 kinds of echo + a panel of dials."""
    nRays = 24
    reach = 45.0
    nDials = 11

    def __init__(self):
        self.baseAngles = np.arange(self.nRays) * (2 * math.pi / self.nRays)

    def _echo(self, ux, uy, ox, oy, circles):
        """nearest hit of every ray on circles (n,3), 0 = nothing, 1 = right at the hull"""
        if len(circles) == 0:
            return np.zeros(self.nRays, np.float32)
        c = np.asarray(circles, dtype=np.float64)
        rx, ry = c[:, 0] - ox, c[:, 1] - oy
        along = ux[:, None] * rx[None] + uy[:, None] * ry[None]
        off2 = (rx * rx + ry * ry)[None] - along * along
        disc = (c[:, 2] ** 2)[None] - off2
        hit = (disc > 0) & (along > 0)
        dist = np.where(hit, along - np.sqrt(np.maximum(disc, 0)), self.reach)
        near = np.clip(dist.min(axis=1), 0, self.reach)
        return (1.0 - near / self.reach).astype(np.float32)

    def look(self, sea):
        me, foe = sea.me, sea.foe
        a = self.baseAngles + me.h
        ux, uy = np.cos(a), np.sin(a)
        ping = np.empty((3, self.nRays), np.float32)
        ping[0] = self._echo(ux, uy, me.x, me.y, sea.rocks)
        ping[1] = self._echo(ux, uy, me.x, me.y, [(foe.x, foe.y, 2.5)])
        fish = [(f[0], f[1], 1.5) for f in sea.fish if f[5] != 0]
        ping[2] = self._echo(ux, uy, me.x, me.y, fish)
        # walls of the basin
        with np.errstate(divide="ignore"):
            tx = np.where(ux > 0, (sea.size - me.x) / ux, -me.x / ux)
            ty = np.where(uy > 0, (sea.size - me.y) / uy, -me.y / uy)
        wall = 1.0 - np.clip(np.minimum(tx, ty), 0, self.reach) / self.reach
        np.maximum(ping[0], wall.astype(np.float32), out=ping[0])

        dx, dy = foe.x - me.x, foe.y - me.y
        bearing = math.atan2(dy, dx) - me.h
        panel = np.array([
            me.v / 3.0, math.cos(me.h), math.sin(me.h), me.hull / 3.0, me.ammo / 8.0, me.reload / 6.0,
            foe.hull / 3.0, math.cos(bearing), math.sin(bearing),
            min(1.0, math.hypot(dx, dy) / 100.0), sea.clock / sea.maxClock,
        ], np.float32)
        return {"ping": ping, "panel": panel}
