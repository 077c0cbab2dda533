"""Toy racing: a closed track made from a wobbly circle, a car with 7 range sensors, pure python."""
import math
import random
import time

import numpy as np

N_SENSORS = 7
N_IN = N_SENSORS + 3
N_HID = 16
N_PARAMS = N_IN * N_HID + N_HID + N_HID * 2 + 2
MAX_T = 300
DT = 0.1
SENSOR_ANGLES = [math.radians(a) for a in (-80, -50, -25, 0, 25, 50, 80)]
SENSOR_RANGE = 12.0


def make_track(seed, n=40, width=2.2):
    rnd = random.Random(seed)
    phases = [rnd.uniform(0, 6.28) for _ in range(3)]
    amps = [rnd.uniform(0.5, 2.5) / (k + 1) for k in range(3)]
    mid = []
    for i in range(n):
        a = 2 * math.pi * i / n
        r = 14 + sum(amp * math.sin((k + 2) * a + ph) for k, (amp, ph) in enumerate(zip(amps, phases)))
        mid.append((r * math.cos(a), r * math.sin(a)))
    inner, outer = [], []
    for i in range(n):
        x0, y0 = mid[i - 1]
        x1, y1 = mid[(i + 1) % n]
        tx, ty = x1 - x0, y1 - y0
        l = math.hypot(tx, ty)
        nx, ny = -ty / l, tx / l
        x, y = mid[i]
        inner.append((x + nx * width, y + ny * width))
        outer.append((x - nx * width, y - ny * width))
    walls = []
    for line in (inner, outer):
        for i in range(n):
            walls.append((*line[i], *line[(i + 1) % n]))
    return mid, walls


class Car:
    def __init__(self, seed):
        self.mid, self.walls = make_track(seed)
        x0, y0 = self.mid[0]
        x1, y1 = self.mid[1]
        self.x, self.y = x0, y0
        self.heading = math.atan2(y1 - y0, x1 - x0)
        self.speed = 0.0
        self.steer = 0.0
        self.gate = 0
        self.laps = 0
        self.t = 0

    def near_walls(self, reach):
        x, y = self.x, self.y
        out = []
        for w in self.walls:
            if (w[0] - x) ** 2 + (w[1] - y) ** 2 < (reach + 3) ** 2:
                out.append(w)
        return out

    def sense(self):
        readings = []
        near = self.near_walls(SENSOR_RANGE)
        for a in SENSOR_ANGLES:
            dx, dy = math.cos(self.heading + a), math.sin(self.heading + a)
            best = SENSOR_RANGE
            for (ax, ay, bx, by) in near:
                ex, ey = bx - ax, by - ay
                den = dx * ey - dy * ex
                if abs(den) < 1e-9:
                    continue
                px, py = ax - self.x, ay - self.y
                s = (px * ey - py * ex) / den
                if 0 < s < best:
                    u = (px * dy - py * dx) / den
                    if 0 <= u <= 1:
                        best = s
            readings.append(best / SENSOR_RANGE)
        readings += [self.speed / 8, self.steer, 1.0]
        return readings

    def drive(self, gas, wheel):
        """physics in 5 small slices, returns (points, crashed)"""
        points = 0.0
        for _ in range(5):
            h = DT / 5
            self.steer += (wheel - self.steer) * 0.5
            grip = 1.0 / (1.0 + 0.02 * self.speed ** 2)
            self.speed += h * (6 * gas - 0.3 * self.speed - 0.5 * abs(self.steer) * self.speed)
            self.speed = min(8.0, max(0.0, self.speed))
            self.heading += h * self.steer * 2.5 * grip * min(1.0, self.speed)
            ox, oy = self.x, self.y
            self.x += h * self.speed * math.cos(self.heading)
            self.y += h * self.speed * math.sin(self.heading)
            if self.crosses(ox, oy):
                return points - 1.0, True
            nxt = (self.gate + 1) % len(self.mid)
            gx, gy = self.mid[nxt]
            if (gx - self.x) ** 2 + (gy - self.y) ** 2 < 9.0:
                self.gate = nxt
                points += 1.0
                if nxt == 0:
                    self.laps += 1
        self.t += 1
        return points, False

    def crosses(self, ox, oy):
        nx, ny = self.x, self.y
        for (ax, ay, bx, by) in self.near_walls(1.0):
            d1 = (bx - ax) * (oy - ay) - (by - ay) * (ox - ax)
            d2 = (bx - ax) * (ny - ay) - (by - ay) * (nx - ax)
            if d1 * d2 < 0:
                d3 = (nx - ox) * (ay - oy) - (ny - oy) * (ax - ox)
                d4 = (nx - ox) * (by - oy) - (ny - oy) * (bx - ox)
                if d3 * d4 < 0:
                    return True
        return False


def unpack(theta):
    i = N_IN * N_HID
    W1 = theta[:i].reshape(N_IN, N_HID)
    b1 = theta[i:i + N_HID]
    i += N_HID
    W2 = theta[i:i + 2 * N_HID].reshape(N_HID, 2)
    b2 = theta[i + 2 * N_HID:]
    return W1, b1, W2, b2


def one_race(job):
    """job = (theta, track_seed). Plays one whole race. Runs in the pool."""
    theta, seed = job
    pc = time.perf_counter
    begin = pc()
    W1, b1, W2, b2 = unpack(theta)
    car = Car(seed)
    t_reset = pc() - begin
    t_sense = t_brain = t_drive = 0.0
    score, crashed, n = 0.0, False, 0
    stuck = 0
    while not crashed and car.t < MAX_T and stuck < 40:
        t0 = pc()
        x = car.sense()
        t1 = pc()
        out = np.tanh(np.tanh(np.array(x) @ W1 + b1) @ W2 + b2)
        gas, wheel = float(out[0]), float(out[1])
        t2 = pc()
        pts, crashed = car.drive(gas, wheel)
        t3 = pc()
        t_sense += t1 - t0
        t_brain += t2 - t1
        t_drive += t3 - t2
        score += pts
        n += 1
        stuck = 0 if pts > 0 else stuck + 1
    score += 0.01 * car.speed
    return {"score": score, "n": n, "from": begin, "to": pc(),
            "env.reset": t_reset, "env.observe": t_sense, "act": t_brain, "env.step": t_drive}
