"""REINFORCE: the passes that act are those that the loss is made of."""

import torch
from small import Game, improve, network

policy, chances = network(), []
optimizer = torch.optim.Adam(policy.parameters())


def select(seen):
    chances.append(policy(seen).log_softmax(-1)[0])
    return 0


def finish():
    improve(optimizer, -torch.stack(chances).sum())
    chances.clear()


def main():
    game = Game()
    seen = game.reset()
    for _ in range(30):
        for _ in range(10):
            seen, *_ = game.step(select(seen))
        finish()


main()
TRUTH = {"act": 300, "learn.forward": 0, "updates": 30}
