"""The same `get_action` in the loop and in the update, with gradients everywhere; all in one function."""

import torch
from small import Game, network
from torch import nn


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.mean = nn.Linear(4, 8), nn.Linear(8, 2)

    def forward(self, seen):
        return self.mean(torch.relu(self.body(seen)))

    def get_action(self, seen):
        mean = self(seen)
        return mean + torch.randn_like(mean)


def main():
    actor, first, second, old = Actor(), network(1), network(1), network(1)
    for_actor = torch.optim.Adam(actor.parameters())
    for_critics = torch.optim.Adam([*first.parameters(), *second.parameters()])
    game = Game()
    seen = game.reset()
    for turn in range(300):
        action = actor.get_action(seen[None]).detach() if turn >= 50 else 0
        seen, *_ = game.step(action)
        if turn < 60:
            continue
        batch = torch.ones(16, 4)
        with torch.no_grad():
            actor.get_action(batch)
            wanted = old(batch)
        loss = (first(batch) - wanted).square().mean() + (second(batch) - wanted).square().mean()
        for_critics.zero_grad()
        loss.backward()
        for_critics.step()
        if turn % 2 == 0:
            for _ in range(2):
                chosen = actor.get_action(batch)
                loss = (first(batch) * chosen.mean()).mean() + second(batch).mean()
                for_actor.zero_grad()
                loss.backward()
                for_actor.step()


main()
TRUTH = {"act": 250, "learn.forward": 240 * 4 + 120 * 6, "updates": 240}
