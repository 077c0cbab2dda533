"""Each round a copy of the champion learns, with an optimizer of its own."""

import copy

import torch
from small import improve, network


class Champion:
    def __init__(self, net=None):
        self.net = net or network()
        self.optimizer = torch.optim.Adam(self.net.parameters())

    def look(self, board):
        with torch.no_grad():
            return self.net(board[None])

    def study(self):
        for _ in range(10):
            improve(self.optimizer, self.net(torch.ones(8, 4)).square().mean())

    def twin(self):
        return Champion(copy.deepcopy(self.net))


def round_of(champion):
    for _ in range(100):
        champion.look(torch.ones(4))
    rookie = champion.twin()
    rookie.study()
    return rookie


champion = Champion()
for _ in range(6):
    champion = round_of(champion)
TRUTH = {"act": 600, "learn.forward": 60, "updates": 60}
