"""A DQN as people write it by hand: a small environment in NumPy, torch for every step and every update.

    python deep_dqn.py SECONDS

Prints its steps and its CPU seconds as JSON.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import deque
from typing import Any

import numpy as np
import torch
from torch import nn

OBSERVATION_SIZE, ACTIONS, BATCH = 8, 4, 64


class Drift:
    """A point that should be kept near the middle."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(1)
        self.reset()

    def reset(self) -> Any:
        self.place = self.random.normal(size=OBSERVATION_SIZE)
        self.turn = 0
        return self.observe()

    def observe(self) -> Any:
        return np.array([float(value) for value in self.place], dtype=np.float32)

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.turn += 1
        self.place[action] *= 0.9
        self.place += self.random.normal(scale=0.05, size=OBSERVATION_SIZE)
        return self.observe(), -float(np.abs(self.place).sum()), self.turn >= 200, False, {}


class Agent:
    def __init__(self) -> None:
        self.network, self.target = (
            nn.Sequential(nn.Linear(OBSERVATION_SIZE, 64), nn.ReLU(), nn.Linear(64, ACTIONS)) for _ in "ab"
        )
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=1e-3)
        self.memory: deque[tuple[Any, ...]] = deque(maxlen=10_000)

    def act(self, observation: Any) -> int:
        if random.random() < 0.1:
            return random.randrange(ACTIONS)
        with torch.no_grad():
            return int(self.network(torch.from_numpy(observation).unsqueeze(0)).argmax().item())

    def sample(self) -> list[Any]:
        rows = zip(*random.sample(self.memory, BATCH), strict=True)
        return [torch.from_numpy(np.array(column, dtype=np.float32)) for column in rows]

    def learn(self) -> float:
        observations, actions, rewards, following, ended = self.sample()
        values = self.network(observations).gather(1, actions.long().unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            wanted = rewards + 0.99 * (1.0 - ended) * self.target(following).max(1).values
        loss = nn.functional.smooth_l1_loss(values, wanted)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), 10.0)
        self.optimizer.step()
        with torch.no_grad():
            for slow, fast in zip(self.target.parameters(), self.network.parameters(), strict=True):
                slow.mul_(0.99).add_(0.01 * fast)
        return loss.item()


def main(seconds: float) -> None:
    torch.set_num_threads(1)
    env, agent, steps = Drift(), Agent(), 0
    observation = env.reset()
    end, cpu = time.monotonic() + seconds, time.process_time()
    while time.monotonic() < end:
        action = agent.act(observation)
        following, reward, ended, _, _ = env.step(action)
        agent.memory.append((observation, action, reward, following, ended))
        observation = env.reset() if ended else following
        steps += 1
        if len(agent.memory) >= BATCH:
            agent.learn()
    print(json.dumps({"steps": steps, "cpu": time.process_time() - cpu}))


if __name__ == "__main__":
    main(float(sys.argv[1]))
