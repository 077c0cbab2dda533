"""The learner is a thread that waits for batches."""

import queue
import threading

import torch
from small import Game, network

net, old, batches = network(), network(), queue.Queue()
optimizer = torch.optim.Adam(net.parameters())


class Learner(threading.Thread):
    def run(self):
        while (batch := batches.get()) is not None:
            with torch.no_grad():
                wanted = old(batch)
            loss = (net(batch) - wanted).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


learner, game = Learner(), Game()
learner.start()
seen = game.reset()
for _ in range(100):
    with torch.no_grad():
        action = net(seen[None]).argmax()
    seen, *_ = game.step(action)
    batches.put(torch.ones(8, 4))
batches.put(None)
learner.join()
TRUTH = {"act": 100, "learn.forward": 200, "updates": 100}
