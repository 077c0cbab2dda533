"""`torch.autograd.grad`, taken by name, in place of a backward pass and an optimizer."""

import torch
from small import network
from torch.autograd import grad

net = network()


def trust_region():
    loss = net(torch.ones(4, 4)).square().mean()
    found = grad(loss, list(net.parameters()))
    with torch.no_grad():
        for parameter, slope in zip(net.parameters(), found, strict=True):
            parameter -= 0.01 * slope


for _ in range(30):
    trust_region()
TRUTH = {"act": 0, "learn.forward": 30, "updates": 0, "gradients": 30}
