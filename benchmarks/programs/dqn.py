"""A plain DQN learner as users write it: a network, an agent, a replay memory; with clocks in its loop."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (the usual name)
from clocks import Truth
from torch import nn

Batch = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]


class QNetwork(nn.Module):
    def __init__(self, observation_size: int, action_count: int, hidden: int = 128) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(observation_size, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, action_count),
        )

    def forward(self, observations: torch.Tensor) -> Any:
        return self.layers(observations)


class ReplayMemory:
    def __init__(self, capacity: int, observation_size: int) -> None:
        self.capacity = capacity
        self.observations = np.zeros((capacity, observation_size), dtype=np.float32)
        self.next_observations = np.zeros((capacity, observation_size), dtype=np.float32)
        self.actions = np.zeros(capacity, dtype=np.int64)
        self.rewards = np.zeros(capacity, dtype=np.float32)
        self.dones = np.zeros(capacity, dtype=np.float32)
        self.position = 0
        self.size = 0

    def push(self, observation: Any, action: int, reward: float, next_observation: Any, done: bool) -> None:
        row = self.position
        self.observations[row] = observation
        self.actions[row] = action
        self.rewards[row] = reward
        self.next_observations[row] = next_observation
        self.dones[row] = done
        self.position = (row + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, batch_size: int) -> Batch:
        rows = np.random.randint(0, self.size, size=batch_size)
        return (
            torch.from_numpy(self.observations[rows]),
            torch.from_numpy(self.actions[rows]),
            torch.from_numpy(self.rewards[rows]),
            torch.from_numpy(self.next_observations[rows]),
            torch.from_numpy(self.dones[rows]),
        )


class Agent:
    def __init__(self, truth: Truth, observation_size: int, action_count: int, epsilon: float = 0.05) -> None:
        self.truth = truth
        self.action_count = action_count
        self.epsilon = epsilon
        self.online = QNetwork(observation_size, action_count)
        self.target = QNetwork(observation_size, action_count)
        self.target.load_state_dict(self.online.state_dict())
        self.optimizer = torch.optim.Adam(self.online.parameters(), lr=1e-3)

    def select_action(self, observation: Any) -> int:
        if random.random() < self.epsilon:
            return random.randrange(self.action_count)
        with torch.no_grad():
            values = self.online(torch.as_tensor(observation).unsqueeze(0))
        return int(values.argmax(dim=1).item())

    def select_actions(self, observations: Any) -> list[int]:
        with torch.no_grad():
            values = self.online(torch.as_tensor(observations))
        greedy = values.argmax(dim=1).tolist()
        return [random.randrange(self.action_count) if random.random() < self.epsilon else a for a in greedy]

    def optimize(self, batch: Batch) -> float:
        # The outer clock holds what is left of the update: reading the loss and freeing the graph.
        with self.truth.clock("learn.loss"):
            return self._update(batch)

    def _update(self, batch: Batch) -> float:
        observations, actions, rewards, next_observations, dones = batch
        with self.truth.clock("learn.forward"):
            values = self.online(observations)
            with torch.no_grad():
                next_values = self.target(next_observations)
        chosen = values.gather(1, actions.unsqueeze(1)).squeeze(1)
        wanted = rewards + 0.99 * (1.0 - dones) * next_values.max(dim=1).values
        loss = F.smooth_l1_loss(chosen, wanted)
        with self.truth.clock("learn.optimizer"):
            self.optimizer.zero_grad()
        with self.truth.clock("learn.backward"):
            loss.backward()
        with self.truth.clock("learn.optimizer"):
            self.optimizer.step()
        self.truth.count(updates=1)
        return float(loss.detach())


def seed_everything(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(1)
