"""A rival with a network of its own, and a network that builds the observation."""

import torch
from small import improve, network
from torch import nn


class Rival(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = network()

    def forward(self, seen):
        return self.net(seen)

    def select_action(self, seen):
        with torch.no_grad():
            return int(self(seen).argmax())


class Duel:
    def __init__(self):
        self.rival, self.encoder = Rival(), nn.Linear(4, 4)

    def reset(self):
        return torch.zeros(4)

    def get_observation(self):
        with torch.no_grad():
            return self.encoder(torch.ones(4))

    def step(self, action):
        self.rival.select_action(torch.ones(1, 4))
        self.rival(torch.ones(1, 4))
        return self.get_observation(), 0.0, False, False, {}


duel, net = Duel(), network()
optimizer = torch.optim.Adam(net.parameters())
seen = duel.reset()
for _ in range(100):
    with torch.no_grad():
        action = int(net(seen[None]).argmax())
    seen, *_ = duel.step(action)
    improve(optimizer, net(torch.ones(4, 4)).mean())
TRUTH = {"act": 100, "learn.forward": 100, "updates": 100, "env.step": 100}
