"""DQN on thirty-two worlds in torch."""

import time

import numpy as np
import torch
from torch import nn
from worlds import N_ACTIONS, N_OBS, Worlds

ENVS = 32
CAPACITY = 2_000
BATCH = 256


class ReplayMemory:
    def __init__(self):
        self.obs = np.zeros((CAPACITY, N_OBS), np.float32)
        self.next_obs = np.zeros((CAPACITY, N_OBS), np.float32)
        self.actions = np.zeros(CAPACITY, np.int64)
        self.rewards = np.zeros(CAPACITY, np.float32)
        self.ends = np.zeros(CAPACITY, np.float32)
        self.rng = np.random.default_rng(4)
        self.added = 0

    def push_batch(self, obs, actions, rewards, next_obs, ends):
        slots = (self.added + np.arange(len(actions))) % CAPACITY
        self.obs[slots], self.next_obs[slots] = obs, next_obs
        self.actions[slots], self.rewards[slots], self.ends[slots] = actions, rewards, ends
        self.added += len(actions)

    def sample(self):
        rows = self.rng.integers(0, min(self.added, CAPACITY), BATCH)
        columns = (self.obs, self.actions, self.rewards, self.next_obs, self.ends)
        return [torch.from_numpy(column[rows]) for column in columns]


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
        memory.push_batch(obs, actions, rewards, next_obs, dones)
        obs = next_obs
        if memory.added >= 1_000:
            agent.train_step(memory.sample())


if __name__ == "__main__":
    main(seconds=4.0)
