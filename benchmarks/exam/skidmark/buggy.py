import math

import numpy as np

FAN = np.linspace(-1.9, 1.9, 13)
REACH = 45.0


class Buggy:
    def __init__(self, circuit):
        self.circuit = circuit
        self.put_on_grid(0)

    def put_on_grid(self, leg, nudge=0.0):
        x0, y0, ux, uy, ln, _ = self.circuit.legs[leg]
        self.x = x0 + ux * ln * 0.3 - uy * nudge
        self.y = y0 + uy * ln * 0.3 + ux * nudge
        self.yaw = math.atan2(uy, ux)
        self.vx, self.vy = 4 * ux, 4 * uy
        self.spin = 0.0
        self.leg = leg
        self.rubber = 1.0

    # ---- sensors
    @property
    def speed(self):
        return math.hypot(self.vx, self.vy)

    @property
    def forward(self):
        return self.vx * math.cos(self.yaw) + self.vy * math.sin(self.yaw)

    @property
    def drift(self):
        return -self.vx * math.sin(self.yaw) + self.vy * math.cos(self.yaw)

    @property
    def whiskers(self):
        return self.circuit.ray_lengths(self.x, self.y, FAN + self.yaw, REACH) / REACH

    @property
    def spot(self):
        return self.circuit.whereabouts(self.x, self.y, self.leg)

    def bend_ahead(self, legs):
        d = self.circuit.heading_at(self.leg + legs) - self.yaw
        return (d + math.pi) % (2 * math.pi) - math.pi

    # ---- physics
    def shove(self, gas, wheel, dt):
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        fwd = self.vx * c + self.vy * s
        lat = -self.vx * s + self.vy * c
        fwd += (gas * 13.0 if gas > 0 else gas * 19.0) * dt
        fwd -= fwd * (0.25 + 0.006 * abs(fwd)) * dt
        if fwd < -3.0:
            fwd = -3.0
        grip = (7.0 if abs(lat) < 3.5 else 2.6) * self.rubber
        if abs(lat) > 3.5:
            self.rubber = max(0.6, self.rubber - 0.02 * dt)
        lat -= lat * grip * dt
        want = wheel * 2.6 * max(-1.0, min(1.0, fwd / 6.0))
        self.spin += (want - self.spin) * 9.0 * dt
        self.yaw += self.spin * dt
        self.vx = fwd * c - lat * s
        self.vy = fwd * s + lat * c
        self.x += self.vx * dt
        self.y += self.vy * dt
