"""Actor and critic with an optimizer each; every second turn both learn."""

import torch
from small import Game, improve, network


class Pair:
    def __init__(self):
        self.actor, self.critic, self.old = network(), network(1), network(1)
        self.for_actor = torch.optim.Adam(self.actor.parameters())
        self.for_critic = torch.optim.Adam(self.critic.parameters())
        self.for_others = [torch.optim.Adam(network().parameters()) for _ in range(2)]

    def act(self, seen):
        return int(self.actor(seen[None]).argmax())

    def better(self, batch):
        self.better_critic(batch)
        self.better_actor(batch)
        for optimizer in self.for_others:
            optimizer.step()

    def better_critic(self, batch):
        with torch.no_grad():
            wanted = self.old(batch)
        improve(self.for_critic, (self.critic(batch) - wanted).square().mean())

    def better_actor(self, batch):
        advantage = self.critic(batch).detach()
        improve(self.for_actor, (self.actor(batch).log_softmax(1)[:, 0] * advantage[:, 0]).mean())


def run():
    game, pair = Game(), Pair()
    seen = game.reset()
    for turn in range(200):
        seen, *_ = game.step(pair.act(seen))
        if turn % 2:
            pair.better(torch.ones(8, 4))


run()
TRUTH = {"act": 200, "learn.forward": 400, "updates": 100, "backward": 200}
