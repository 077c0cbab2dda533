"""A recurrent network: 170 rows, one after the other, for each backward pass."""

import torch
from small import Game, improve
from torch import nn


class Recurrent:
    def __init__(self):
        self.cell, self.head = nn.GRUCell(4, 8), nn.Linear(8, 2)
        self.optimizer = torch.optim.Adam([*self.cell.parameters(), *self.head.parameters()])

    def pick(self, seen, state):
        with torch.no_grad():
            state = self.cell(seen[None], state)
            return int(self.head(state).argmax()), state

    def teach(self, rows):
        state, loss = torch.zeros(1, 8), torch.zeros(())
        for row in rows:
            state = self.cell(row[None], state)
            loss = loss + self.head(state).square().mean()
        improve(self.optimizer, loss)


game, player = Game(), Recurrent()
seen, state = game.reset(), torch.zeros(1, 8)
for turn in range(100):
    action, state = player.pick(seen, state)
    seen, *_ = game.step(action)
    if turn % 10 == 9:
        player.teach([torch.ones(4)] * 170)
TRUTH = {"act": 200, "learn.forward": 3400, "updates": 10, "slack": 90}
