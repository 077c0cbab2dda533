import copy
import random

import numpy as np
import torch
from torch import nn

from stopwatch import watch


class QNet(nn.Module):
    def __init__(self, orderCount):
        super().__init__()
        self.eyes = nn.Sequential(nn.Conv2d(7, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 16, 3, stride=2), nn.ReLU())
        self.head = nn.Sequential(nn.Linear(16 * 4 * 6, 96), nn.ReLU(), nn.Linear(96, orderCount))

    def forward(self, x):
        return self.head(self.eyes(x).flatten(1))


class ReplayBarrel:
    def __init__(self, size):
        self.size, self.items, self.spot = size, [], 0

    def throwIn(self, item):
        if len(self.items) < self.size:
            self.items.append(item)
        else:
            self.items[self.spot] = item
        self.spot = (self.spot + 1) % self.size

    def drawHandful(self, n):
        s, a, r, s2, m2, d = zip(*random.sample(self.items, n))
        return (torch.from_numpy(np.stack(s)), torch.tensor(a), torch.tensor(r), torch.from_numpy(np.stack(s2)),
                torch.from_numpy(np.stack(m2)), torch.tensor(d, dtype=torch.float32))


class StaffOfficer:
    def __init__(self, orderCount):
        self.net = QNet(orderCount)
        self.oldNet = copy.deepcopy(self.net)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=5e-4)
        self.barrel = ReplayBarrel(20000)
        self.daring, self.lessons = 1.0, 0

    def chooseOrder(self, planes, legal, daring=None):
        if random.random() < (self.daring if daring is None else daring):
            return int(np.random.choice(np.flatnonzero(legal)))
        with torch.no_grad():
            q = self.net(torch.from_numpy(planes)[None])[0].numpy()
        return int(np.where(legal, q, -1e9).argmax())

    def takeLesson(self):
        watch.push("draw")
        s, a, r, s2, m2, d = self.barrel.drawHandful(16)
        watch.pop()
        watch.push("lesson")
        with torch.no_grad():
            best = self.net(s2).masked_fill(~m2, -1e9).argmax(1, keepdim=True)
            goal = r + 0.97 * (1 - d) * self.oldNet(s2).gather(1, best)[:, 0]
        guess = self.net(s).gather(1, a[:, None])[:, 0]
        loss = nn.functional.smooth_l1_loss(guess, goal)
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        self.opt.step()
        self.lessons += 1
        if self.lessons % 150 == 0:
            self.oldNet.load_state_dict(self.net.state_dict())
        self.daring = max(0.08, self.daring * 0.998)
        out = loss.item()
        watch.pop()
        return out
