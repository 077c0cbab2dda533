"""Learn to hold a village: the board is shown once per turn."""

import random

import numpy as np
from agent import learn

SIZE = 8
MOVES = ((1, 0), (-1, 0), (0, 1), (0, -1))


class Village:
    n_actions = 4

    def __init__(self):
        self.random = random.Random(2)

    def reset(self):
        cells = [(column, row) for column in range(SIZE) for row in range(SIZE)]
        places = self.random.sample(cells, 9)
        self.guard, self.raiders, self.huts = places[0], places[1:5], places[5:]
        self.turns = 0
        return self.observe()

    def observe(self):
        """For each hut: how far its guard is, and the raiders; and who is where."""
        values = [self.guard[0] / SIZE, self.guard[1] / SIZE, self.turns / 40]
        for hut in self.huts:
            away = abs(hut[0] - self.guard[0]) + abs(hut[1] - self.guard[1])
            threat = 0.0
            for raider in self.raiders:
                threat += 1.0 / (1.0 + abs(hut[0] - raider[0]) + abs(hut[1] - raider[1]))
            values += (away / SIZE, threat)
        board = [0.0] * (SIZE * SIZE)
        for number, (column, row) in enumerate((self.guard, *self.raiders, *self.huts)):
            board[column * SIZE + row] = (number + 1) / 9
        return np.array(values + board, np.float32)

    def moved(self, cell, move):
        target = (cell[0] + move[0], cell[1] + move[1])
        return target if 0 <= target[0] < SIZE and 0 <= target[1] < SIZE else cell

    def play(self, action):
        self.guard = self.moved(self.guard, MOVES[action])

    def raid(self):
        self.raiders = [self.moved(one, self.random.choice(MOVES)) for one in self.raiders]

    def step(self, action):
        self.play(action)
        self.raid()
        self.turns += 1
        lost = any(raider in self.huts for raider in self.raiders)
        return self.observe(), float(not lost), lost or self.turns >= 40, {}


if __name__ == "__main__":
    learn(Village(), seconds=4.0)
