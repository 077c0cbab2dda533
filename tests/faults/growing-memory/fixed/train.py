"""Policy gradient on a painter's canvas; the last paintings are kept, to show them later."""

import random
import time
from collections import deque

import numpy as np
import torch
from torch import nn

SECONDS = 4.0
SIZE = 48


class CanvasEnv:
    """Follow a wandering brush: up, down, left, right."""

    def __init__(self):
        self.gallery = deque(maxlen=64)

    def reset(self):
        self.canvas = np.zeros((SIZE, SIZE), np.float32)
        self.brush, self.model, self.age = [SIZE // 2] * 2, [SIZE // 2] * 2, 0
        return self.observe()

    def step(self, action):
        self.age += 1
        self.shift(self.brush, action)
        self.shift(self.model, random.randrange(4))
        for wet in range(60):  # the paint runs
            row, column = (self.brush[0] + wet // 8) % SIZE, (self.brush[1] + wet % 8) % SIZE
            self.canvas[row, column] = 0.9 * self.canvas[row, column] + 0.1
        self.gallery.append(self.canvas.copy())
        distance = abs(self.brush[0] - self.model[0]) + abs(self.brush[1] - self.model[1])
        return self.observe(), -distance / SIZE, self.age >= 128, {}

    def shift(self, point, action):
        point[action // 2] = (point[action // 2] + (1 if action % 2 else -1)) % SIZE

    def observe(self):
        out = np.empty(68, np.float32)
        self.canvas.reshape(8, 6, 8, 6).mean((1, 3), out=out[:64].reshape(8, 8))
        out[64:66], out[66:] = self.brush, self.model
        out[64:] /= SIZE
        return out


def update(policy, optimizer, seen, actions, rewards):
    returns, after = np.zeros(len(rewards), np.float32), 0.0
    for t in reversed(range(len(rewards))):
        after = rewards[t] + 0.95 * after
        returns[t] = after
    goal = torch.from_numpy((returns - returns.mean()) / (returns.std() + 1e-6))
    obs, taken = torch.from_numpy(np.stack(seen)), torch.from_numpy(np.array(actions))
    for _ in range(8):
        logs = torch.log_softmax(policy(obs), -1).gather(1, taken[:, None]).squeeze(1)
        loss = -(logs * goal).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main():
    torch.manual_seed(0)
    env = CanvasEnv()
    policy = nn.Sequential(nn.Linear(68, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, 4))
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        obs, done = env.reset(), False
        seen, actions, rewards = [], [], []
        while not done:
            with torch.no_grad():
                chances = torch.softmax(policy(torch.from_numpy(obs)), -1).numpy()
            action = min(int(np.searchsorted(np.cumsum(chances), random.random())), 3)
            seen.append(obs)
            actions.append(action)
            obs, reward, done, _ = env.step(action)
            rewards.append(reward)
        update(policy, optimizer, seen, actions, rewards)


if __name__ == "__main__":
    main()
