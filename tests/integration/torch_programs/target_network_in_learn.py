"""Twenty passes of a target network without gradients in each update; random moves first."""

import torch
from small import Game, improve, network


class Agent:
    def __init__(self):
        self.online, self.target = network(), network()
        self.optimizer = torch.optim.Adam(self.online.parameters())

    def pick(self, seen):
        with torch.no_grad():
            return int(self.online(seen[None]).argmax())

    def learn(self):
        batch = torch.ones(16, 4)
        with torch.no_grad():
            for _ in range(20):
                wanted = self.target(batch).max(1)[0]
        improve(self.optimizer, (self.online(batch).max(1)[0] - wanted).square().mean())


def main():
    game, agent = Game(), Agent()
    seen = game.reset()
    for turn in range(300):
        seen, *_ = game.step(agent.pick(seen))
        if turn >= 100:
            agent.learn()


main()
TRUTH = {"act": 300, "learn.forward": 200 * 21, "updates": 200, "slack": 21}
