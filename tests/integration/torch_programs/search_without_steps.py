"""Self-play: a recursive search asks the network fifty times a move, and nothing is called `step`."""

import torch
from small import improve, network


class Tree:
    def __init__(self, net):
        self.net = net

    def dive(self, board, depth):
        return self.ask(board) if depth == 0 else self.dive(board * 0.9, depth - 1)

    def ask(self, board):
        self.net.eval()
        with torch.no_grad():
            return self.net(board[None])


def one_game(net):
    for _ in range(10):
        for simulation in range(50):
            Tree(net).dive(torch.ones(4), simulation % 7)


def fit(net, optimizer):
    net.train()
    for _ in range(5):
        for _ in range(4):
            improve(optimizer, net(torch.ones(8, 4)).square().mean())


def main():
    net = network()
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(3):
        one_game(net)
        fit(net, optimizer)


main()
TRUTH = {"act": 1500, "learn.forward": 60, "updates": 60}
