"""What the drone's camera saw last, as the rest of the program wants it."""

import numpy as np

ROWS, COLUMNS = 240, 320


class Camera:
    def __init__(self, seed):
        self.ground = np.random.default_rng(seed).integers(0, 255, (ROWS, COLUMNS, 3), dtype=np.uint8)
        self.shot = self.ground

    def shoot(self, east, north):
        self.shot = np.roll(self.ground, (north, east), axis=(0, 1))

    def bright(self, coarse):
        kept = self.shot[::coarse, ::coarse]
        return kept.astype(np.float32) / 255.0
