"""DQN on a maze, with a network of three layers."""

import random
import time

import numpy as np
import torch
from torch import nn

SIZE = 15
SECONDS = 4.0
MOVES = ((0, 1), (1, 0), (0, -1), (-1, 0))


class MazeEnv:
    """Walk to the exit; guards patrol the corridors and see along them."""

    def reset(self):
        cells = [(row, column) for row in range(SIZE) for column in range(SIZE)]
        random.shuffle(cells)
        self.walls = set(cells[:40])
        self.player, self.exit = cells[40], cells[41]
        self.guards = [(cell, random.choice(MOVES)) for cell in cells[42:72]]
        self.time = 0
        return self.observe()

    def free(self, cell):
        return 0 <= cell[0] < SIZE and 0 <= cell[1] < SIZE and cell not in self.walls

    def sees(self, cell, heading):
        for _ in range(6):
            cell = (cell[0] + heading[0], cell[1] + heading[1])
            if not self.free(cell):
                return False
            if cell == self.player:
                return True
        return False

    def step(self, action):
        self.time += 1
        wanted = (self.player[0] + MOVES[action][0], self.player[1] + MOVES[action][1])
        if self.free(wanted):
            self.player = wanted
        seen = 0
        for i, (cell, heading) in enumerate(self.guards):
            ahead = (cell[0] + heading[0], cell[1] + heading[1])
            self.guards[i] = (ahead, heading) if self.free(ahead) else (cell, random.choice(MOVES))
            seen += self.sees(*self.guards[i])
        won = self.player == self.exit
        return self.observe(), 1.0 if won else -0.01 - 0.1 * seen, won or self.time >= 150, {}

    def observe(self):
        board = np.zeros((4, SIZE, SIZE), np.float32)
        board[0][self.player] = board[1][self.exit] = 1.0
        for cell in self.walls:
            board[2][cell] = 1.0
        for cell, _ in self.guards:
            board[3][cell] = 1.0
        return board.ravel()


class Replay:
    def __init__(self, capacity, width):
        self.obs = np.zeros((capacity, width), np.float32)
        self.next_obs = np.zeros((capacity, width), np.float32)
        self.action = np.zeros(capacity, np.int64)
        self.reward, self.done = np.zeros((2, capacity), np.float32)
        self.count = 0

    def push(self, obs, action, reward, next_obs, done):
        at = self.count % len(self.action)
        self.obs[at], self.next_obs[at] = obs, next_obs
        self.action[at], self.reward[at], self.done[at] = action, reward, done
        self.count += 1

    def sample(self, size):
        rows = np.random.randint(0, min(self.count, len(self.action)), size)
        parts = (self.obs, self.action, self.reward, self.next_obs, self.done)
        return [torch.from_numpy(part[rows]) for part in parts]


def make_network(width):
    return nn.Sequential(
        nn.Linear(width, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, len(MOVES))
    )


def optimize_model(network, target, optimizer, replay):
    obs, action, reward, next_obs, done = replay.sample(64)
    chosen = network(obs).gather(1, action[:, None]).squeeze(1)
    with torch.no_grad():
        best = target(next_obs).max(1).values
    loss = nn.functional.smooth_l1_loss(chosen, reward + 0.99 * (1 - done) * best)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    random.seed(0)
    env = MazeEnv()
    obs = env.reset()
    network, target = make_network(obs.shape[0]), make_network(obs.shape[0])
    target.load_state_dict(network.state_dict())
    optimizer = torch.optim.SGD(network.parameters(), lr=1e-2, momentum=0.9)
    replay = Replay(20_000, obs.shape[0])
    steps = 0
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if random.random() < 0.1:
            action = random.randrange(4)
        else:
            with torch.no_grad():
                action = int(network(torch.from_numpy(obs)).argmax())
        next_obs, reward, done, _ = env.step(action)
        replay.push(obs, action, reward, next_obs, done)
        obs = env.reset() if done else next_obs
        steps += 1
        if steps > 200 and steps % 4 == 0:
            optimize_model(network, target, optimizer, replay)
        if steps % 500 == 0:
            target.load_state_dict(network.state_dict())


if __name__ == "__main__":
    main()
