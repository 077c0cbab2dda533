"""A Q-learner in torch with a ring of transitions."""

import torch
from torch import nn

CAPACITY = 1_000
BATCH = 128
STEPS_PER_UPDATE = 4


class Learner:
    def __init__(self, n_obs, n_actions):
        self.net = nn.Sequential(nn.Linear(n_obs, 64), nn.ReLU(), nn.Linear(64, n_actions))
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.01)
        self.rng = torch.Generator().manual_seed(1)
        self.n_actions = n_actions
        self.obs = torch.zeros(CAPACITY, n_obs)
        self.next_obs = torch.zeros(CAPACITY, n_obs)
        self.actions = torch.zeros(CAPACITY, dtype=torch.int64)
        self.rest = torch.zeros(CAPACITY, 2)
        self.added = 0

    def select_action(self, obs):
        with torch.no_grad():
            values = self.net(obs) + 0.1 * torch.rand(self.n_actions, generator=self.rng)
        return int(values.argmax())

    def remember(self, obs, action, reward, next_obs, done):
        slot = self.added % CAPACITY
        self.obs[slot] = obs
        self.next_obs[slot] = next_obs
        self.actions[slot] = action
        self.rest[slot, 0] = reward
        self.rest[slot, 1] = float(done)
        self.added += 1

    def ready(self):
        return self.added >= BATCH and self.added % STEPS_PER_UPDATE == 0

    def train_step(self):
        rows = torch.randint(0, min(self.added, CAPACITY), (BATCH,), generator=self.rng)
        rewards, ends = self.rest[rows].unbind(1)
        with torch.no_grad():
            targets = rewards + 0.98 * (1.0 - ends) * self.net(self.next_obs[rows]).max(1).values
        values = self.net(self.obs[rows]).gather(1, self.actions[rows, None]).squeeze(1)
        loss = nn.functional.smooth_l1_loss(values, targets)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
