"""Snake on a grid; the observation has one plane for each kind of thing."""

import random

import numpy as np
from agent import learn

SIZE = 6
PLANES = 12
MOVES = ((1, 0), (0, 1), (-1, 0), (0, -1))


class Snake:
    n_actions = 4

    def __init__(self):
        self.random = random.Random(3)
        self.planes = np.zeros((2, PLANES, SIZE, SIZE), np.float32)
        self.turn = 0

    def reset(self):
        self.body = [(SIZE // 2, SIZE // 2)]
        self.hunger = 0
        self.food = self.free_cell()
        return self.observe()

    def free_cell(self):
        while True:
            cell = (self.random.randrange(SIZE), self.random.randrange(SIZE))
            if cell not in self.body:
                return cell

    def observe(self):
        self.turn = 1 - self.turn
        planes = self.planes[self.turn]
        planes.fill(0.0)
        head, food = self.body[-1], self.food
        planes[0][head] = planes[1][food] = 1.0
        for cell in self.body:
            planes[2][cell] = 1.0
        for i, (dx, dy) in enumerate(MOVES):
            x, y = head[0] + dx, head[1] + dy
            if 0 <= x < SIZE and 0 <= y < SIZE:
                planes[3 + i][x, y] = 1.0
        planes[7][self.body[0]] = self.hunger / 100
        planes[8][food[0]] = planes[9][head[0]] = 1.0
        planes[10][:, food[1]] = planes[11][:, head[1]] = 1.0
        return planes.reshape(-1)

    def step(self, action):
        dx, dy = MOVES[action]
        head = (self.body[-1][0] + dx, self.body[-1][1] + dy)
        self.hunger += 1
        if head in self.body or not (0 <= min(head) <= max(head) < SIZE) or self.hunger > 100:
            return self.observe(), -1.0, True, {}
        self.body.append(head)
        if head == self.food:
            self.food = self.free_cell()
            self.hunger = 0
            return self.observe(), 1.0, False, {}
        self.body.pop(0)
        return self.observe(), 0.0, False, {}


if __name__ == "__main__":
    learn(Snake(), seconds=4.0)
