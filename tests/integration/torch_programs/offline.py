"""Learning from a file, with a target network: nobody acts."""

import torch
from small import network

online, target = network(), network()
optimizer = torch.optim.Adam(online.parameters())
for _ in range(10):
    for _ in range(20):
        batch = torch.ones(16, 4)
        with torch.no_grad():
            wanted = target(batch).max(1)[0]
        loss = (online(batch).max(1)[0] - wanted).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
TRUTH = {"act": 0, "learn.forward": 400, "updates": 200}
