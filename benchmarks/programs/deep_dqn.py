"""A DQN as people write it by hand: a small environment in NumPy, torch for every step and every update."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

import numpy as np
import torch
from clocks import Truth, program_arguments
from dqn import seed_everything
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


def main() -> None:
    args = program_arguments("a DQN written by hand").parse_args()
    seed_everything(args.seed)
    truth, env, agent = Truth("deep_dqn", args.seconds, args.steps), Drift(), Agent()
    observation = env.reset()
    while truth.keep_going():
        action = agent.act(observation)
        following, reward, ended, _, _ = env.step(action)
        agent.memory.append((observation, action, reward, following, ended))
        observation = env.reset() if ended else following
        if len(agent.memory) >= BATCH:
            agent.learn()


if __name__ == "__main__":
    main()
