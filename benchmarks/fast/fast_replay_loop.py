"""Before and after in a whole DQN loop with prioritised replay: what the buffer gains end to end.

    python benchmarks/fast/fast_replay_loop.py

One turn is 4 environment steps (pushes) and one update: sample 256, forward, backward, optimizer, new
priorities. "before" is the usual hand-written buffer: a list of transitions and a sum tree class in plain
Python. "after" is PrioritizedReplay, alone and behind a Prefetcher. The network and its torch code are the
same. The Prefetcher enters each round with its two batches ready, of the 40 that a round takes.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

from fast_timing import interleave, print_table, summary, write_json
from goldsplit.fast.replay import Field, Prefetcher, PrioritizedReplay

BATCH, WIDTH, ACTIONS, GAMMA = 256, 323, 13, 0.99
ALPHA, BETA = 0.6, 0.4


class PythonSumTree:
    """The class that most projects copy: one node at a time, in Python."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.tree = np.zeros(2 * capacity - 1)
        self.data: list[Any] = [None] * capacity
        self.write = 0

    def update(self, index: int, priority: float) -> None:
        change = priority - self.tree[index]
        self.tree[index] = priority
        while index:
            index = (index - 1) // 2
            self.tree[index] += change

    def add(self, priority: float, data: Any) -> None:
        self.data[self.write] = data
        self.update(self.write + self.capacity - 1, priority)
        self.write = (self.write + 1) % self.capacity

    def get(self, mass: float) -> tuple[int, float, Any]:
        index = 0
        while 2 * index + 1 < len(self.tree):
            left = 2 * index + 1
            if mass <= self.tree[left]:
                index = left
            else:
                mass -= self.tree[left]
                index = left + 1
        return index, self.tree[index], self.data[index - self.capacity + 1]


class PythonReplay:
    def __init__(self, capacity: int) -> None:
        self.tree = PythonSumTree(capacity)

    def add(self, **step: Any) -> None:
        self.tree.add(
            1.0, (step["obs"].copy(), step["next_obs"].copy(), step["action"], step["reward"], step["done"])
        )

    def sample(self) -> tuple[list[int], list[torch.Tensor], torch.Tensor]:
        part = self.tree.tree[0] / BATCH
        found = [self.tree.get(random.uniform(i * part, (i + 1) * part)) for i in range(BATCH)]
        indices = [index for index, _, _ in found]
        chances = np.array([priority for _, priority, _ in found]) / self.tree.tree[0]
        weights = (self.tree.capacity * chances) ** -BETA
        columns = zip(*[data for _, _, data in found], strict=True)
        tensors = [torch.as_tensor(np.array(column)) for column in columns]
        return indices, tensors, torch.as_tensor(weights / weights.max(), dtype=torch.float32)

    def update_priorities(self, indices: list[int], priorities: Any) -> None:
        for index, priority in zip(indices, priorities, strict=True):
            self.tree.update(index, float(priority) ** ALPHA)


class Learner:
    """A small double-layer Q network, as in the projects this is for."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.net = nn.Sequential(
            nn.Linear(WIDTH, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, ACTIONS)
        )
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=1e-4)

    def learn(self, obs: Any, next_obs: Any, action: Any, reward: Any, done: Any, weights: Any) -> Any:
        with torch.no_grad():
            target = reward + GAMMA * (1 - done.float()) * self.net(next_obs).max(dim=1).values
        error = self.net(obs).gather(1, action[:, None].long())[:, 0] - target
        loss = (weights * error.square()).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return error.detach().abs().numpy() + 1e-6


def before(capacity: int, step: dict[str, Any]) -> Callable[[], None]:
    buffer, learner = PythonReplay(capacity), Learner()
    for _ in range(capacity):
        buffer.add(**step)

    def turn() -> None:
        for _ in range(4):
            buffer.add(**step)
        indices, (obs, next_obs, action, reward, done), weights = buffer.sample()
        buffer.update_priorities(indices, learner.learn(obs, next_obs, action, reward.float(), done, weights))

    return turn


def goldsplit_buffer(capacity: int, step: dict[str, Any]) -> PrioritizedReplay:
    obs = Field((WIDTH,), np.float32)
    scalars = {"action": Field((), np.int64), "reward": Field((), np.float32), "done": Field((), np.bool_)}
    buffer = PrioritizedReplay(
        capacity, {"obs": obs, "next_obs": obs, **scalars}, alpha=ALPHA, beta=BETA, seed=0
    )
    for _ in range(capacity):
        buffer.add(**step)
    return buffer


def after(capacity: int, step: dict[str, Any]) -> Callable[[], None]:
    buffer, learner = goldsplit_buffer(capacity, step), Learner()

    def turn() -> None:
        for _ in range(4):
            buffer.add(**step)
        batch = buffer.sample(BATCH)
        columns = [torch.from_numpy(value) for value in batch[:5]]
        priorities = learner.learn(*columns, torch.from_numpy(batch.weights))
        buffer.update_priorities(batch.indices, priorities)

    return turn


def prefetched(capacity: int, step: dict[str, Any]) -> Callable[[], None]:
    buffer, learner = goldsplit_buffer(capacity, step), Learner()
    batches = Prefetcher(buffer, BATCH, device="cpu")

    def turn() -> None:
        for _ in range(4):
            buffer.add(**step)
        batch = batches.get()
        batches.update_priorities(batch.indices, learner.learn(*batch[:5], batch.weights))

    return turn


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--capacity", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    obs = rng.random((2, WIDTH), np.float32)
    step = {"obs": obs[0], "next_obs": obs[1], "action": 3, "reward": 0.5, "done": False}
    variants = {
        "before: Python sum tree": before(options.capacity, step),
        "after: PrioritizedReplay": after(options.capacity, step),
        "after: with Prefetcher": prefetched(options.capacity, step),
    }
    timings = interleave(variants, options.rounds, 40, cpu_clock_ns=time.process_time_ns)
    print_table(
        "one DQN turn: 4 pushes and an update (cpu: all threads)", timings, "after: PrioritizedReplay"
    )
    write_json("fast_replay_loop", {"turn": summary(timings, "after: PrioritizedReplay")})


if __name__ == "__main__":
    main()
