"""A scaler, a scheduler and a foreach optimizer between the program and `step`."""

import torch
from small import network

net = network()
optimizer = torch.optim.Adam(net.parameters(), foreach=True)
scaler, scheduler = torch.amp.GradScaler("cpu"), torch.optim.lr_scheduler.StepLR(optimizer, 10)
for _ in range(50):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = net(torch.ones(4, 4)).square().mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    scheduler.step()
TRUTH = {"act": 0, "learn.forward": 50, "updates": 50, "backward": 50}
