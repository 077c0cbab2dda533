"""Learn to walk through hills: the observation has the sight that each side of the hero has."""

import random

import numpy as np
from agent import learn

SIZE = 40
MOVES = ((1, 0), (-1, 0), (0, 1), (0, -1))


class Layers:
    def __init__(self, dice):
        self.height = [dice.randrange(9) for _ in range(SIZE * SIZE)]
        self.cover = [dice.randrange(3) for _ in range(SIZE * SIZE)]


class Board:
    def __init__(self, dice):
        self.layers = Layers(dice)


class World:
    def __init__(self, dice):
        self.board = Board(dice)


class Hills:
    n_actions = 4

    def __init__(self):
        self.random = random.Random(5)

    def reset(self):
        self.world = World(self.random)
        self.hero = (SIZE // 2, SIZE // 2)
        self.turns = 0
        return self.observe()

    def sight(self, middle):
        """How much is seen to the left and to the right."""
        height, cover = self.world.board.layers.height, self.world.board.layers.cover
        left = right = 0
        for place in range(SIZE * SIZE):
            if place < middle:
                left += height[place] + cover[place]
            else:
                right += height[place] + cover[place]
        return left, right

    def observe(self):
        column, row = self.hero
        left, right = self.sight(row * SIZE + column)
        return np.array([column / SIZE, row / SIZE, left / 9e3, right / 9e3, self.turns / 50], np.float32)

    def step(self, action):
        columns, rows = MOVES[action]
        cell = (self.hero[0] + columns, self.hero[1] + rows)
        if min(cell) >= 0 and max(cell) < SIZE:
            self.hero = cell
        self.turns += 1
        height = self.world.board.layers.height[self.hero[1] * SIZE + self.hero[0]]
        return self.observe(), height / 9, self.turns >= 50, {}


if __name__ == "__main__":
    learn(Hills(), seconds=5.0)
