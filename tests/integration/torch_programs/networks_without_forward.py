"""Networks that are entered by methods of many names, some of which call others."""

import torch
from small import Game, improve, network
from torch import nn


class Quantiles(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = network(8), nn.Linear(8, 2)

    def features(self, seen):
        return torch.relu(self.body(seen))

    def q_values(self, seen):
        return self.head(self.features(seen))

    def iqn(self, seen, quantiles):
        return self.head(self.features(seen).repeat(quantiles, 1))


class Learner:
    def __init__(self):
        self.net, self.old = Quantiles(), Quantiles()
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def choose(self, seen):
        with torch.no_grad():
            return int(self.net.q_values(seen[None]).argmax())

    def refresh(self):
        batch = torch.ones(8, 4)
        with torch.no_grad():
            wanted = self.old.iqn(batch, 2)
        improve(self.optimizer, self.distance(batch, wanted))

    def distance(self, batch, wanted):
        return (self.net.iqn(batch, 2) - wanted).square().mean()


game, learner = Game(), Learner()
seen = game.reset()
for _ in range(200):
    seen, *_ = game.step(learner.choose(seen))
    learner.refresh()
TRUTH = {"act": 200, "learn.forward": 400, "updates": 200}
