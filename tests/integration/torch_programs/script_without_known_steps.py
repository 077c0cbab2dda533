"""Everything in the script's own loop, and the world's function has no name that we know."""

import torch
from small import network

online, target = network(), network()
optimizer = torch.optim.Adam(online.parameters())


def world(action):
    return torch.ones(4)


seen, memory = world(0), []
for _ in range(400):
    with torch.no_grad():
        action = int(online(seen[None]).argmax())
    seen = world(action)
    memory.append(seen)
    if len(memory) <= 50:
        continue
    with torch.no_grad():
        wanted = target(torch.ones(16, 4)).max(1)[0]
    loss = (online(torch.ones(16, 4)).max(1)[0] - wanted).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
TRUTH = {"act": 400, "learn.forward": 700, "updates": 350}
