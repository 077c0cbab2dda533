"""Snake with its board in a tensor, and a Q-learner in torch."""

import random
import time

import torch
from learner import Learner

SIZE = 16
MOVES = ((1, 0), (0, 1), (-1, 0), (0, -1))
EMPTY, BODY, FOOD = 0, 1, 2


class Snake:
    def __init__(self):
        self.random = random.Random(3)

    def reset(self):
        self.board = torch.zeros((SIZE, SIZE), dtype=torch.int64)
        self.body = [(SIZE // 2, SIZE // 2)]
        self.board[self.body[0]] = BODY
        self.hunger = 0
        self.put_food()
        return self.observe()

    def put_food(self):
        cell = self.body[0]
        while cell in self.body:
            cell = (self.random.randrange(SIZE), self.random.randrange(SIZE))
        self.board[cell] = FOOD

    def observe(self):
        """How far the agent can go in each direction, and what is there."""
        head = self.body[-1]
        values = [head[0] / SIZE, head[1] / SIZE, len(self.body) / 20]
        board = self.board
        for dx, dy in MOVES:
            x, y, distance, food = head[0] + dx, head[1] + dy, 0, 0.0
            while 0 <= x < SIZE and 0 <= y < SIZE:
                found = board[x, y].item()  # fault
                if found == BODY:
                    break
                food += found == FOOD
                x, y, distance = x + dx, y + dy, distance + 1
            values += [distance / SIZE, food]
        return torch.tensor(values)

    def step(self, action):
        dx, dy = MOVES[action]
        head = (self.body[-1][0] + dx, self.body[-1][1] + dy)
        self.hunger += 1
        if head in self.body or not (0 <= min(head) <= max(head) < SIZE) or self.hunger > 60:
            return self.observe(), -1.0, True, {}
        self.body.append(head)
        ate = int(self.board[head]) == FOOD
        self.board[head] = BODY
        if ate:
            self.hunger = 0
            self.put_food()
        else:
            self.board[self.body.pop(0)] = EMPTY
        return self.observe(), float(ate), False, {}


def main(seconds):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    env = Snake()
    obs = env.reset()
    learner = Learner(len(obs), len(MOVES))
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        action = learner.select_action(obs)
        next_obs, reward, done, _ = env.step(action)
        learner.remember(obs, action, reward, next_obs, done)
        obs = env.reset() if done else next_obs
        if learner.ready():
            learner.train_step()


if __name__ == "__main__":
    main(seconds=4.0)
