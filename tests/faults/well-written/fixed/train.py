"""PPO as it should be written: many games per array operation, large batches, nothing done twice.

No fault is planted here. Whatever a rule says about this program is wrong.
"""

import time
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from goldsplit.fast import categorical
from goldsplit.fast.returns import gae

SECONDS = 4.0
GAMES = 128
HORIZON = 64
EPOCHS = 2
MINIBATCH = 2048
SIZE = 12
INPUTS = 6
ACTIONS = 5
MOVES = np.array([(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0)])


class ChaseGames:
    """Many games of catching a fleeing target on a grid, stepped together."""

    def __init__(self, games: int, seed: int) -> None:
        self.games = games
        self.rng = np.random.default_rng(seed)
        self.agent = np.zeros((games, 2), np.int64)
        self.target = np.zeros((games, 2), np.int64)
        self.turn = np.zeros(games, np.int64)

    def reset(self) -> np.ndarray:
        self.place(np.ones(self.games, bool))
        return self.observations()

    def place(self, chosen: np.ndarray) -> None:
        count = int(chosen.sum())
        self.agent[chosen] = self.rng.integers(SIZE, size=(count, 2))
        self.target[chosen] = self.rng.integers(SIZE, size=(count, 2))
        self.turn[chosen] = 0

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        self.agent = np.clip(self.agent + MOVES[actions], 0, SIZE - 1)
        flight = MOVES[self.rng.integers(ACTIONS, size=self.games)]
        self.target = np.clip(self.target + flight, 0, SIZE - 1)
        self.turn += 1
        distances = np.abs(self.agent - self.target).sum(1)
        caught = distances == 0
        ends = caught | (self.turn >= 50)
        rewards = np.where(caught, 1.0, -0.01 * distances).astype(np.float32)
        if ends.any():
            self.place(ends)
        return self.observations(), rewards, ends

    def observations(self) -> np.ndarray:
        scaled = np.empty((self.games, INPUTS), np.float32)
        scaled[:, 0:2] = self.agent
        scaled[:, 2:4] = self.target
        scaled[:, 4:6] = self.target - self.agent
        scaled /= SIZE
        return scaled


@dataclass
class Rollout:
    """Preallocated arrays of one rollout, used again and again."""

    observations: np.ndarray
    actions: np.ndarray
    log_probs: np.ndarray
    values: np.ndarray
    rewards: np.ndarray
    ends: np.ndarray

    @classmethod
    def empty(cls) -> "Rollout":
        shape = (HORIZON, GAMES)
        floats = [np.zeros(shape, np.float32) for _ in range(3)]
        return cls(
            np.zeros((*shape, INPUTS), np.float32), np.zeros(shape, np.int64), *floats, np.zeros(shape, bool)
        )


class Agent:
    """Policy and value in one body: one forward pass gives both."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.body = nn.Sequential(
            nn.Linear(INPUTS, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, ACTIONS + 1)
        )
        self.optimizer = torch.optim.Adam(self.body.parameters(), 3e-4, fused=True)
        self.rng = np.random.default_rng(0)

    @torch.inference_mode()
    def act(self, observations: np.ndarray) -> tuple[categorical.Draw, np.ndarray]:
        out = self.body(torch.from_numpy(observations)).numpy()
        return categorical.sample(out[:, :-1], rng=self.rng), out[:, -1]

    def ppo_update(self, rollout: Rollout, advantages: np.ndarray, returns: np.ndarray) -> None:
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        columns = [
            torch.from_numpy(np.ascontiguousarray(column, dtype).reshape(HORIZON * GAMES, -1))
            for column, dtype in (
                (rollout.observations, np.float32),
                (rollout.actions, np.int64),
                (rollout.log_probs, np.float32),
                (advantages, np.float32),
                (returns, np.float32),
            )
        ]
        for _ in range(EPOCHS):
            for rows in torch.randperm(HORIZON * GAMES).split(MINIBATCH):
                self.learn_batch(*(column[rows] for column in columns))

    def learn_batch(
        self,
        observations: torch.Tensor,
        actions: torch.Tensor,
        old: torch.Tensor,
        advantages: torch.Tensor,
        returns: torch.Tensor,
    ) -> None:
        out = self.body(observations)
        log_probs = out[:, :-1].log_softmax(1)
        ratio = (log_probs.gather(1, actions) - old).exp()
        clipped = ratio.clamp(0.8, 1.2)
        policy_loss = -torch.minimum(ratio * advantages, clipped * advantages).mean()
        entropy = -(log_probs.exp() * log_probs).sum(1).mean()
        loss = policy_loss + 0.5 * functional.mse_loss(out[:, -1:], returns) - 0.01 * entropy
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()


def collect(games: ChaseGames, agent: Agent, rollout: Rollout, observations: np.ndarray) -> np.ndarray:
    """Fill the rollout; the observations after it."""
    for step in range(HORIZON):
        draw, values = agent.act(observations)
        rollout.observations[step] = observations
        rollout.actions[step] = draw.actions
        rollout.log_probs[step] = draw.log_probs
        rollout.values[step] = values
        observations, rollout.rewards[step], rollout.ends[step] = games.step(draw.actions)
    return observations


def main() -> None:
    torch.set_num_threads(1)  # the network is small: one thread is fastest
    games, agent, rollout = ChaseGames(GAMES, seed=0), Agent(), Rollout.empty()
    observations = games.reset()
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        observations = collect(games, agent, rollout, observations)
        _, last_values = agent.act(observations)
        advantages, returns = gae(rollout.rewards, rollout.values, rollout.ends, last_values, 0.99, 0.95)
        agent.ppo_update(rollout, advantages, returns)
    print(f"mean reward {rollout.rewards.mean():+.3f}")


if __name__ == "__main__":
    main()
