"""DQN on sixteen vectorised games with a wide network, on the processor."""

import time

import numpy as np
import torch
from torch import nn

SECONDS = 4.0
ENVS = 16
INPUTS = 64
ACTIONS = 8
BATCH = 1024


class Swarm:
    """Sixteen drifting points, each steered to its target; all stepped at once."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)
        self.effects = self.rng.normal(size=(ACTIONS, INPUTS)).astype(np.float32) / 8

    def reset(self) -> np.ndarray:
        self.state = self.rng.normal(size=(ENVS, INPUTS)).astype(np.float32)
        return self.state.copy()

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        self.state += self.effects[actions]
        distance = np.abs(self.state).mean(1)
        ends = (distance < 0.2) | (distance > 2.0)
        self.state[ends] = self.rng.normal(size=(int(ends.sum()), INPUTS)).astype(np.float32)
        return self.state.copy(), -distance, ends


class Memory:
    """Transitions in preallocated arrays, pushed and drawn in batches."""

    def __init__(self, capacity: int) -> None:
        self.capacity, self.size, self.next = capacity, 0, 0
        self.states = np.zeros((capacity, INPUTS), np.float32)
        self.following = np.zeros((capacity, INPUTS), np.float32)
        self.actions = np.zeros(capacity, np.int64)
        self.rewards = np.zeros(capacity, np.float32)
        self.ends = np.zeros(capacity, np.float32)
        self.rng = np.random.default_rng(1)

    def push_batch(self, states, actions, rewards, following, ends) -> None:
        rows = np.arange(self.next, self.next + ENVS) % self.capacity
        self.states[rows], self.following[rows] = states, following
        self.actions[rows], self.rewards[rows], self.ends[rows] = actions, rewards, ends
        self.next = (self.next + ENVS) % self.capacity
        self.size = min(self.capacity, self.size + ENVS)

    def sample(self) -> tuple[torch.Tensor, ...]:
        rows = self.rng.integers(self.size, size=BATCH)
        columns = (self.states, self.actions, self.rewards, self.following, self.ends)
        return tuple(torch.from_numpy(column[rows]) for column in columns)


class Agent:
    """A wide Q network and its target."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.online, self.target = self.network(), self.network()
        self.optimizer = torch.optim.SGD(self.online.parameters(), 1e-3)
        self.rng = np.random.default_rng(2)

    def network(self) -> nn.Module:
        return nn.Sequential(
            nn.Linear(INPUTS, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, ACTIONS)
        )

    @torch.no_grad()
    def select_actions(self, states: np.ndarray) -> np.ndarray:
        greedy = self.online(torch.from_numpy(states)).argmax(1).numpy()
        return np.where(self.rng.random(ENVS) < 0.1, self.rng.integers(ACTIONS, size=ENVS), greedy)

    def train_step(self, batch: tuple[torch.Tensor, ...]) -> None:
        states, actions, rewards, following, ends = batch
        with torch.no_grad():
            targets = rewards + 0.99 * (1 - ends) * self.target(following).amax(1)
        values = self.online(states).gather(1, actions[:, None])[:, 0]
        loss = nn.functional.smooth_l1_loss(values, targets)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def main() -> None:
    torch.set_num_threads(1)  # fault
    swarm, memory, agent = Swarm(), Memory(50_000), Agent()
    states = swarm.reset()
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        for _ in range(16):
            actions = agent.select_actions(states)
            following, rewards, ends = swarm.step(actions)
            memory.push_batch(states, actions, rewards, following, ends)
            states = following
        agent.train_step(memory.sample())


if __name__ == "__main__":
    main()
