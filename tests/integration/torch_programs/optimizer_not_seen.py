"""An optimizer's method taken from its class before there was an optimizer, and an optimizer without the
parent's constructor: only backward passes can be counted."""

import torch
from small import network

step = torch.optim.SGD.step
while hasattr(step, "__wrapped__"):
    step = step.__wrapped__


class Own(torch.optim.Optimizer):
    def __init__(self, parameters):
        self.parameters = list(parameters)

    def step(self):
        with torch.no_grad():
            for parameter in self.parameters:
                parameter -= 0.01 * parameter.grad


actor, critic = network(), network()
stored, own = torch.optim.SGD(actor.parameters(), lr=0.1), Own(critic.parameters())


def update():
    loss = actor(torch.ones(4, 4)).square().mean()
    actor.zero_grad()
    loss.backward()
    with torch.no_grad():
        step(stored)
    loss = critic(torch.ones(4, 4)).square().mean()
    critic.zero_grad()
    torch.autograd.backward(loss)
    own.step()


for _ in range(50):
    update()
TRUTH = {"act": 0, "learn.forward": 100, "updates": 0, "backward": 50}
