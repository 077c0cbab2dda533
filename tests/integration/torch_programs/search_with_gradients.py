"""Self-play that never turns gradients off."""

import torch
from small import improve, network


class Brain:
    def __init__(self):
        self.net = network(3)
        self.optimizer = torch.optim.Adam(self.net.parameters())

    def predict(self, board):
        return self.net(board[None]).detach()

    def train(self):
        for _ in range(10):
            improve(self.optimizer, self.net(torch.ones(8, 4)).square().mean())


class Coach:
    def __init__(self):
        self.brain = Brain()

    def one_game(self):
        for _ in range(8):
            for _ in range(25):
                self.brain.predict(torch.ones(4))

    def learn(self):
        for _ in range(6):
            for _ in range(3):
                self.one_game()
            self.brain.train()


Coach().learn()
TRUTH = {"act": 3600, "learn.forward": 60, "updates": 60, "slack": 130}
