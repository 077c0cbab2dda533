"""REINFORCE on an island: the agent is paid for places where it has not been for a while."""

import random
import time

import numpy as np
import torch
from torch import nn

SECONDS = 7.0
SIZE = 24
MOVES = ((0, 1), (1, 0), (0, -1), (-1, 0))


class IslandEnv:
    """Explore: a place that was never seen pays, and the tide moves the shore."""

    def __init__(self):
        self.random = random.Random(0)
        self.seen = []

    def reset(self):
        self.place = (SIZE // 2, SIZE // 2)
        self.age = 0
        return self.observe()

    def step(self, action):
        self.age += 1
        self.move(action)
        reward = self.novelty()
        return self.observe(), reward, self.age >= 64, {}

    def move(self, action):
        step = MOVES[action] if self.random.random() < 0.9 else self.random.choice(MOVES)
        self.place = ((self.place[0] + step[0]) % SIZE, (self.place[1] + step[1]) % SIZE)

    def novelty(self):
        key = (*self.place, self.tide(), self.age)
        known = key in self.seen  # fault
        self.seen.append(key)
        return 0.0 if known else 1.0

    def tide(self):
        height = 0
        for hour in range(24):
            height += (self.age * hour * 7 + self.place[0] * hour) % 5 - 2
        return height % 7

    def observe(self):
        out = np.zeros((3, SIZE), np.float32)
        out[0, self.place[0]] = out[1, self.place[1]] = 1.0
        for hour in range(SIZE):
            out[2, hour] = (self.age * hour) % 5 / 5
        return out.ravel()


def update(policy, optimizer, seen, actions, rewards):
    returns, after = np.zeros(len(rewards), np.float32), 0.0
    for t in reversed(range(len(rewards))):
        after = rewards[t] + 0.98 * after
        returns[t] = after
    goal = torch.from_numpy((returns - returns.mean()) / (returns.std() + 1e-6))
    obs, taken = torch.from_numpy(np.stack(seen)), torch.tensor(actions)
    for _ in range(4):
        logs = torch.log_softmax(policy(obs), -1).gather(1, taken[:, None]).squeeze(1)
        loss = -(logs * goal).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main():
    torch.manual_seed(0)
    env = IslandEnv()
    policy = nn.Sequential(nn.Linear(3 * SIZE, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 4))
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
