"""Rollout and update in one function, through one method of a network without `forward`."""

import torch
from small import Game, network
from torch import nn
from torch.distributions import Categorical


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.actor, self.critic = network(), network(1)

    def get_action_and_value(self, seen, action=None):
        choice = Categorical(logits=self.actor(seen))
        if action is None:
            action = choice.sample()
        return action, choice.log_prob(action), self.critic(seen)


def main():
    game, agent = Game(), Agent()
    optimizer = torch.optim.Adam(agent.parameters())
    seen = game.reset()
    for _ in range(10):
        rollout = []
        for _ in range(32):
            with torch.no_grad():
                action, _, _ = agent.get_action_and_value(seen[None])
            seen, *_ = game.step(action)
            rollout.append(seen)
        batch = torch.stack(rollout)
        for _ in range(4):
            _, chances, values = agent.get_action_and_value(batch, torch.zeros(32))
            loss = chances.mean() + values.square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


main()
TRUTH = {"act": 320, "learn.forward": 40, "updates": 40}
