"""An agent's `get_action` is called by the loop, and by its own update."""

import torch
from small import Game, improve, network


class Brain:
    def __init__(self):
        self.net, self.turns = network(), 0
        self.optimizer = torch.optim.Adam(self.net.parameters())

    def get_action(self, seen):
        return self.net(seen).argmax(-1)

    def notice(self):
        self.turns += 1
        if self.turns % 4 == 0:
            self.learn()

    def learn(self):
        batch = torch.ones(8, 4)
        self.get_action(batch)
        improve(self.optimizer, self.net(batch).square().mean())


def main():
    game, brain = Game(), Brain()
    seen = game.reset()
    for _ in range(200):
        seen, *_ = game.step(int(brain.get_action(seen)))
        brain.notice()


main()
TRUTH = {"act": 200, "learn.forward": 100, "updates": 50}
