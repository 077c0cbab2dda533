"""What the programs share: a game of nothing, a small network."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


class Game:
    def reset(self) -> Any:
        self.turn = 0
        return torch.zeros(4)

    def step(self, action: Any) -> Any:
        self.turn += 1
        return torch.ones(4), 1.0, self.turn % 10 == 0, False, {}


def network(outputs: int = 2) -> nn.Sequential:
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, outputs))


def improve(optimizer: Any, loss: Any) -> None:
    """No forward pass is in here."""
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
