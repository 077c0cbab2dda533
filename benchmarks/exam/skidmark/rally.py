import random

import numpy as np

from buggy import Buggy, FAN
from circuit import Circuit
from lapclock import LAPS

SUB = 6
DT = 0.016
N_FEEL = len(FAN) + 9


class RallyGame:
    def __init__(self, seeds, dice=0, patience=350):
        self.circuits = [Circuit(s) for s in seeds]
        self.dice = random.Random(dice)
        self.patience = patience
        self.skids = []
        self.car = None

    def restart(self):
        LAPS.into("env.reset")
        track = self.dice.choice(self.circuits)
        self.car = Buggy(track)
        self.car.put_on_grid(self.dice.randrange(len(track.legs)), self.dice.uniform(-2, 2))
        self.metres = 0.0
        self.gain = 0.0
        self.clock = 0
        self.lazy = 0
        self.crashed = False
        self.wheel = self.last_wheel = 0.0
        self.skids.clear()
        _, self.pos, _ = self.car.spot
        f = self.feel()
        LAPS.out()
        return f

    def feel(self):
        LAPS.into("env.observe")
        car = self.car
        _, _, off = car.spot
        f = np.empty(N_FEEL, dtype=np.float32)
        f[:len(FAN)] = car.whiskers
        f[len(FAN):] = (car.speed / 25, car.forward / 25, car.drift / 10, car.spin / 3,
                        off / car.circuit.girth * 2, self.wheel,
                        car.bend_ahead(0), car.bend_ahead(1), car.bend_ahead(3))
        LAPS.out()
        return f

    def prize(self):
        LAPS.into("env.reward")
        p = 0.25 * self.gain - 0.05 * abs(self.wheel - self.last_wheel)
        if abs(self.car.drift) > 6:
            p -= 0.05
        if self.crashed:
            p -= 5.0
        if self.metres >= self.car.circuit.length:
            p += 10.0
        LAPS.out()
        return p

    def drive(self, deed):
        LAPS.into("env.step")
        gas, wheel = float(deed[0]), float(deed[1])
        car = self.car
        self.last_wheel, self.wheel = self.wheel, wheel
        half = car.circuit.girth / 2 - 0.7
        before = self.pos
        for _ in range(SUB):
            car.shove(gas, wheel, DT)
            leg, pos, off = car.spot
            car.leg, self.pos = leg, pos
            if abs(car.drift) > 3.5:
                self.skids.append((car.x, car.y))
            if off > half:
                self.crashed = True
                break
        if len(self.skids) > 300:
            del self.skids[:150]
        g = self.pos - before
        ln = car.circuit.length
        if g < -ln / 2:
            g += ln
        elif g > ln / 2:
            g -= ln
        self.gain = g
        self.metres += g
        self.clock += 1
        self.lazy = self.lazy + 1 if g < 0.05 else 0
        p = self.prize()
        parked = self.clock >= self.patience or self.lazy > 40
        home = self.metres >= ln
        f = self.feel()
        LAPS.out()
        return f, p, self.crashed or home, parked
