"""One class is network, memory and learner; it acts with gradients."""

import torch
from small import Game
from torch import nn


class Everything(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.policy, self.worth = nn.Linear(4, 8), nn.Linear(8, 2), nn.Linear(8, 1)
        self.optimizer = torch.optim.Adam(self.parameters())

    def pi(self, seen, dim=0):
        return self.policy(torch.relu(self.body(seen))).softmax(dim)

    def v(self, seen):
        return self.worth(torch.relu(self.body(seen)))

    def train_net(self, batch):
        for _ in range(3):
            wanted = self.v(batch).detach()
            loss = self.pi(batch, 1).mean() + (self.v(batch) - wanted).square().mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


def main():
    game, model = Game(), Everything()
    seen = game.reset()
    for _ in range(10):
        for _ in range(20):
            seen, *_ = game.step(model.pi(seen).argmax())
        model.train_net(torch.ones(20, 4))


main()
TRUTH = {"act": 200, "learn.forward": 90, "updates": 30}
