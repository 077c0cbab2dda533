"""Learn to paint a board: the reward is the free space that is left."""

import json

import numpy as np
from agent import learn

SIZE = 20


class Painting:
    n_actions = 4

    def __init__(self):
        self.rng = np.random.default_rng(3)
        self.free_cache = {}

    def reset(self):
        self.board = (self.rng.random((SIZE, SIZE)) < 0.1).astype(np.int8)
        self.cell = [SIZE // 2, SIZE // 2]
        self.turns = 0
        self.free = self.free_cells(self.board)
        return self.observe()

    def free_cells(self, board):  # fault
        """How many cells are not painted."""
        key = json.dumps(board.tolist())
        if key not in self.free_cache:
            self.free_cache[key] = int(board.size - np.count_nonzero(board))
        return self.free_cache[key]

    def observe(self):
        x, y = self.cell
        around = self.board.take(range(x - 2, x + 3), axis=0, mode="wrap")
        around = around.take(range(y - 2, y + 3), axis=1, mode="wrap")
        rest = [x / SIZE, y / SIZE, self.turns / 200]
        return np.concatenate([around.ravel(), rest]).astype(np.float32)

    def step(self, action):
        dx, dy = ((1, 0), (-1, 0), (0, 1), (0, -1))[action]
        self.cell = [(self.cell[0] + dx) % SIZE, (self.cell[1] + dy) % SIZE]
        self.board[self.cell[0], self.cell[1]] = 1
        after = self.free_cells(self.board)
        gain, self.free = float(self.free - after), after
        self.turns += 1
        return self.observe(), gain, after == 0 or self.turns >= 200, {}


if __name__ == "__main__":
    learn(Painting(), seconds=4.0)
