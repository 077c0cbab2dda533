"""Small networks: action values, and policy with value; with convolutions where observations are images."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import torch
from torch import nn


def mlp(sizes: Sequence[int]) -> nn.Sequential:
    """Linear layers of these sizes with ReLU after each."""
    layers: list[nn.Module] = []
    for inputs, outputs in itertools.pairwise(sizes):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers)


class Pixels(nn.Module):
    """Bytes 0..255 as floats 0..1, on the device: a quarter of the copy."""

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        return pictures.float() / 255.0


def trunk(shape: tuple[int, ...], hidden: Sequence[int]) -> tuple[nn.Sequential, int]:
    """From an observation to features, and how many: convolutions for (C, H, W), else linear layers."""
    if len(shape) == 3:
        layers = nn.Sequential(
            Pixels(),
            nn.Conv2d(shape[0], 32, 8, stride=4),
            nn.ReLU(),
            nn.Conv2d(32, 64, 4, stride=2),
            nn.ReLU(),
            nn.Conv2d(64, 64, 3, stride=1),
            nn.ReLU(),
            nn.Flatten(),
        )
        with torch.no_grad():
            seen = layers(torch.zeros(1, *shape)).shape[1]
        return nn.Sequential(layers, mlp([seen, *hidden])), hidden[-1]
    flat = [nn.Flatten()] if len(shape) > 1 else []
    return nn.Sequential(*flat, *mlp([math.prod(shape), *hidden])), hidden[-1]


class QNetwork(nn.Module):
    """One value per action; with `dueling` as a value of the state plus an advantage per action."""

    def __init__(
        self, shape: tuple[int, ...], actions: int, hidden: Sequence[int], dueling: bool = False
    ) -> None:
        super().__init__()
        self.trunk, features = trunk(shape, hidden)
        self.head = nn.Linear(features, actions)
        self.value = nn.Linear(features, 1) if dueling else None

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        features = self.trunk(observations)
        values: torch.Tensor = self.head(features)
        if self.value is None:
            return values
        return self.value(features) + values - values.mean(dim=1, keepdim=True)


class ActorCritic(nn.Module):
    """Logits of the actions and the value of the state, from a trunk each (from one where it sees images)."""

    def __init__(self, shape: tuple[int, ...], actions: int, hidden: Sequence[int]) -> None:
        super().__init__()
        self.actor_trunk, features = trunk(shape, hidden)
        self.critic_trunk = self.actor_trunk if len(shape) == 3 else trunk(shape, hidden)[0]
        self.actor = nn.Linear(features, actions)
        self.critic = nn.Linear(features, 1)
        _orthogonal(self, math.sqrt(2.0))
        _orthogonal(self.actor, 0.01)
        _orthogonal(self.critic, 1.0)

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        features = self.actor_trunk(observations)
        beside = features if self.critic_trunk is self.actor_trunk else self.critic_trunk(observations)
        return self.actor(features), self.critic(beside).squeeze(-1)

    def logits(self, observations: torch.Tensor) -> torch.Tensor:
        """The policy alone: what acting greedily needs."""
        chosen: torch.Tensor = self.actor(self.actor_trunk(observations))
        return chosen

    def values(self, observations: torch.Tensor) -> torch.Tensor:
        """The value alone."""
        valued: torch.Tensor = self.critic(self.critic_trunk(observations)).squeeze(-1)
        return valued


def _orthogonal(module: nn.Module, gain: float) -> None:
    for layer in module.modules():
        if isinstance(layer, nn.Linear | nn.Conv2d):
            nn.init.orthogonal_(layer.weight, gain)
            nn.init.zeros_(layer.bias)
