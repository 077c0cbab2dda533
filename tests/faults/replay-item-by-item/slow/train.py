"""DQN on thirty-two worlds in torch."""

import random
import time

import torch
from torch import nn
from worlds import N_ACTIONS, N_OBS, Worlds

ENVS = 32
CAPACITY = 2_000
BATCH = 256


class ReplayMemory:
    def __init__(self):
        self.items = []
        self.added = 0
        self.random = random.Random(4)

    def push(self, obs, action, reward, next_obs, end):
        item = (
            torch.tensor(obs, dtype=torch.float32),  # fault
            torch.tensor(action),
            torch.tensor(reward, dtype=torch.float32),
            torch.tensor(next_obs, dtype=torch.float32),
            torch.tensor(end, dtype=torch.float32),
        )
        if len(self.items) < CAPACITY:
            self.items.append(item)
        else:
            self.items[self.added % CAPACITY] = item
        self.added += 1

    def sample(self):
        rows = [self.items[self.random.randrange(len(self.items))] for _ in range(BATCH)]
        return [torch.stack(column) for column in zip(*rows, strict=True)]


class Agent:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(N_OBS, 128), nn.ReLU(), nn.Linear(128, N_ACTIONS))
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.01)

    def select_actions(self, obs):
        with torch.no_grad():
            values = self.net(torch.from_numpy(obs))
            return (values + 0.1 * torch.rand(values.shape)).argmax(1).numpy()

    def train_step(self, batch):
        obs, actions, rewards, next_obs, ends = batch
        with torch.no_grad():
            targets = rewards + 0.98 * (1.0 - ends) * self.net(next_obs).max(1).values
        values = self.net(obs).gather(1, actions[:, None]).squeeze(1)
        loss = nn.functional.smooth_l1_loss(values, targets)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def main(seconds):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    envs = Worlds(ENVS)
    obs = envs.reset()
    agent, memory = Agent(), ReplayMemory()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        actions = agent.select_actions(obs)
        next_obs, rewards, dones, _ = envs.step(actions)
        for i in range(ENVS):
            memory.push(obs[i], actions[i], rewards[i], next_obs[i], dones[i])
        obs = next_obs
        if memory.added >= 1_000:
            agent.train_step(memory.sample())


if __name__ == "__main__":
    main(seconds=4.0)
