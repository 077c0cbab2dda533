"""Small trainings with one fault each, for benchmarks/try_bars.py: python try_programs.py NAME SEED."""

from __future__ import annotations

import random
import sys
from typing import Any

OPAQUE: set[int] = set()
CALLS = [0]
RULES = [f"units[{n % 8}] * {n} + turn % {n + 2}" for n in range(40)]


def sees(a: int, b: int) -> bool:
    """A check that is always true: nothing is opaque."""
    return not any((a * 7 + b * i) % 97 in OPAQUE for i in range(60))


def bonus(unit: int) -> int:
    """It looks pure, and is not: it counts its own calls."""
    CALLS[0] += 1
    return sum(i * unit for i in range(400)) + CALLS[0] // 300


class Game:
    """A board of units; what a step costs depends on the fault."""

    def __init__(self, fault: str) -> None:
        self.fault = fault

    def reset(self) -> tuple[int, ...]:
        self.turn = 0
        self.units = list(range(8))
        return tuple(self.units)

    def step(self, action: int) -> tuple[tuple[int, ...], float, bool, dict[str, Any]]:
        self.turn += 1
        self.units[self.turn % 8] += action
        reward = 0.0
        if self.fault == "constant":
            reward = float(sum(sees(a, b) for a in self.units for b in self.units))
        elif self.fault == "text":
            values = {"units": self.units, "turn": self.turn}
            reward = float(sum(eval(rule, {}, values) for rule in RULES))
        elif self.fault == "impure":
            reward = float(sum(bonus(unit % 3) for unit in self.units))
        return tuple(self.units), reward, self.turn >= 50, {}


def play(fault: str, seed: int) -> None:
    """Random actions until the run is ended."""
    draw = random.Random(seed)
    game = Game(fault)
    game.reset()
    while True:
        _, _, done, _ = game.step(draw.randrange(3))
        if done:
            game.reset()


class Boards:
    """16 boards as one vector."""

    def __init__(self, seed: int) -> None:
        import numpy as np

        self.draw = np.random.default_rng(seed)

    def reset(self) -> Any:
        self.state = self.draw.random((16, 8)).astype("float32")
        return self.state

    def step(self, actions: Any) -> tuple[Any, Any, Any, dict[str, Any]]:
        self.state = (self.state * 0.9 + 0.1 * actions[:, None]).astype("float32")
        return self.state, self.state.mean(axis=1), actions < 0, {}


def train_dqn(seed: int) -> None:
    """64 updates of a tiny network per vector step, on two torch threads."""
    import torch
    from torch import nn

    torch.set_num_threads(2)
    torch.manual_seed(seed)
    network = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 3))
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    boards = Boards(seed)
    seen = torch.from_numpy(boards.reset())
    while True:
        with torch.no_grad():
            actions = network(seen).argmax(dim=1).numpy()
        observations, rewards, _, _ = boards.step(actions)
        following = torch.from_numpy(observations)
        targets = torch.from_numpy(rewards)
        for _ in range(64):
            rows = torch.randint(0, 16, (64,))
            chosen = network(seen[rows]).max(dim=1).values
            loss = nn.functional.smooth_l1_loss(chosen, targets[rows] + 0.9 * chosen.detach())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        seen = following


if __name__ == "__main__":
    name, number = sys.argv[1], int(sys.argv[2])
    if name == "dqn":
        train_dqn(number)
    else:
        play(name, number)
