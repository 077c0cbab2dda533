from __future__ import annotations
import numpy as np
import torch
from torch import Tensor, nn
from torch.distributions import Categorical

def layer_init(layer: nn.Module, std: float = np.sqrt(2), bias: float = 0.0) -> nn.Module:
    nn.init.orthogonal_(layer.weight, std)  # type: ignore[arg-type]
    nn.init.constant_(layer.bias, bias)  # type: ignore[arg-type]
    return layer

class Agent(nn.Module):
    def __init__(self, shape: tuple[int, int, int], actions: int) -> None:
        super().__init__()
        self.network = nn.Sequential(
            layer_init(nn.Conv2d(shape[0], 16, 3, stride=2)), nn.ReLU(),
            layer_init(nn.Conv2d(16, 32, 3)), nn.ReLU(), nn.Flatten(),
            layer_init(nn.Linear(32 * 4 * 4, 128)), nn.ReLU())
        self.actor = layer_init(nn.Linear(128, actions), std=0.01)
        self.critic = layer_init(nn.Linear(128, 1), std=1.0)
    def get_value(self, x: Tensor) -> Tensor:
        return self.critic(self.network(x))
    def get_action_and_value(self, x: Tensor, action: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        hidden = self.network(x)
        probs = Categorical(logits=self.actor(hidden))
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action), probs.entropy(), self.critic(hidden)
