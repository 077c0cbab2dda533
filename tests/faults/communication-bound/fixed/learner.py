"""A small actor-critic: one batched forward pass per step, one update per rollout."""

import numpy as np
import torch
from torch import nn

torch.set_num_threads(1)  # the network is small: one thread is fastest


class Learner:
    """Chooses actions and learns from finished rollouts."""

    def __init__(self, inputs: int, actions: int) -> None:
        torch.manual_seed(0)
        self.body = nn.Sequential(nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, actions + 1))
        self.optimizer = torch.optim.Adam(self.body.parameters(), 3e-4)

    @torch.no_grad()
    def act(self, observations: np.ndarray) -> np.ndarray:
        logits = self.body(torch.as_tensor(observations))[:, :-1]
        return torch.multinomial(logits.softmax(1), 1)[:, 0].numpy()

    def update_policy(self, observations: np.ndarray, actions: np.ndarray, returns: np.ndarray) -> None:
        out = self.body(torch.as_tensor(observations))
        chosen = out[:, :-1].log_softmax(1).gather(1, torch.as_tensor(actions)[:, None])[:, 0]
        targets = torch.as_tensor(returns)
        values = out[:, -1]
        loss = ((values - targets) ** 2).mean() - ((targets - values.detach()) * chosen).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def discounted(rewards: np.ndarray, ends: np.ndarray, gamma: float = 0.99) -> np.ndarray:
    """Returns of a rollout, all environments at once."""
    returns = np.zeros_like(rewards)
    running = np.zeros(rewards.shape[1], np.float32)
    for step in range(len(rewards) - 1, -1, -1):
        running = rewards[step] + gamma * running * ~ends[step]
        returns[step] = running
    return returns
