"""DQN on a small foraging game: gather berries, keep away from the beasts."""

import random
import time

import gymnasium as gym
import numpy as np
import torch
from torch import nn

SIZE = 13
SECONDS = 4.0
MOVES = ((0, 1), (1, 0), (0, -1), (-1, 0))


class Forage(gym.Env):
    action_space = gym.spaces.Discrete(4)
    observation_space = gym.spaces.Box(0.0, 1.0, (3 * SIZE * SIZE,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        cells = self.np_random.permutation(SIZE * SIZE)
        self.player = divmod(int(cells[0]), SIZE)
        self.beasts = [divmod(int(cell), SIZE) for cell in cells[1:70]]
        self.berries = {divmod(int(cell), SIZE) for cell in cells[70:95]}
        self.time = 0
        return self.observe(), {}

    def step(self, action):
        self.time += 1
        self.player = self.moved(self.player, MOVES[action])
        for i, beast in enumerate(self.beasts):
            if random.random() < 0.3:
                step = (np.sign(self.player[0] - beast[0]), 0)
            else:
                step = random.choice(MOVES)
            self.beasts[i] = self.moved(beast, step)
        reward = -0.01
        if self.player in self.berries:
            self.berries.discard(self.player)
            reward = 1.0
        caught = self.player in self.beasts
        return self.observe(), -1.0 if caught else reward, caught, self.time >= 200, {}

    def moved(self, place, step):
        return min(max(place[0] + int(step[0]), 0), SIZE - 1), min(max(place[1] + int(step[1]), 0), SIZE - 1)

    def observe(self):
        board = np.zeros((3, SIZE, SIZE), np.float32)
        board[0][self.player] = 1.0
        for beast in self.beasts:
            board[1][beast] = 1.0
        for berry in self.berries:
            board[2][berry] = 1.0
        return board.ravel()


class Replay:
    def __init__(self, capacity, width):
        self.obs = np.zeros((capacity, width), np.float32)
        self.next_obs = np.zeros((capacity, width), np.float32)
        self.action = np.zeros(capacity, np.int64)
        self.reward = np.zeros(capacity, np.float32)
        self.done = np.zeros(capacity, np.float32)
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


def learn(network, target, optimizer, replay):
    obs, action, reward, next_obs, done = replay.sample(32)
    chosen = network(obs).gather(1, action[:, None]).squeeze(1)
    with torch.no_grad():
        best = target(next_obs).max(1).values
    loss = nn.functional.smooth_l1_loss(chosen, reward + 0.99 * (1 - done) * best)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def main():
    torch.manual_seed(0)
    random.seed(0)
    env = Forage()
    obs, _ = env.reset(seed=0)
    width = obs.shape[0]
    network = nn.Sequential(nn.Linear(width, 64), nn.ReLU(), nn.Linear(64, 4))
    target = nn.Sequential(nn.Linear(width, 64), nn.ReLU(), nn.Linear(64, 4))
    target.load_state_dict(network.state_dict())
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    replay = Replay(20_000, width)
    steps = 0
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if random.random() < 0.1:
            action = env.action_space.sample()
        else:
            with torch.no_grad():
                action = int(network(torch.from_numpy(obs)).argmax())
        next_obs, reward, terminated, truncated, _ = env.step(action)
        replay.push(obs, action, reward, next_obs, terminated)
        obs = next_obs
        if terminated or truncated:
            obs, _ = env.reset()
        steps += 1
        if steps > 64 and steps % 4 == 0:
            learn(network, target, optimizer, replay)
        if steps % 500 == 0:
            target.load_state_dict(network.state_dict())


if __name__ == "__main__":
    main()
