"""The DQN."""
import random
from collections import deque

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from command import N_ORDERS
from stopwatch import watch


class QNet(nn.Module):
    def __init__(self, planes, side):
        super().__init__()
        self.c1 = nn.Conv2d(planes, 16, 3, stride=2, padding=1)
        self.c2 = nn.Conv2d(16, 16, 3, padding=1)
        out = (side + 1) // 2
        self.fc = nn.Linear(16 * out * out, 96)
        self.q = nn.Linear(96, N_ORDERS)

    def forward(self, x):
        x = F.relu(self.c1(x))
        x = F.relu(self.c2(x))
        x = F.relu(self.fc(x.flatten(1)))
        return self.q(x)


class General:
    def __init__(self, shape, lr=5e-4, gamma=0.97, capacity=20000):
        self.online = QNet(shape[0], shape[1])
        self.target = QNet(shape[0], shape[1])
        self.target.load_state_dict(self.online.state_dict())
        self.opt = torch.optim.Adam(self.online.parameters(), lr=lr)
        self.gamma = gamma
        self.archive = deque(maxlen=capacity)
        self.epsilon = 1.0
        self.lessons = 0
        self.blank = np.zeros(shape, dtype=np.float32)
        self.none_legal = np.ones(N_ORDERS, dtype=bool)

    def decide(self, obs, legal):
        watch.start("act")
        if random.random() < self.epsilon:
            order = int(random.choice(np.flatnonzero(legal)))
        else:
            with torch.no_grad():
                q = self.online(torch.from_numpy(obs).unsqueeze(0))[0].numpy()
            q = np.where(legal, q, -np.inf)
            order = int(q.argmax())
        watch.stop()
        return order

    def remember(self, obs, order, reward, nxt, nxt_legal, done):
        watch.start("replay.add")
        if nxt is None:
            nxt, nxt_legal = self.blank, self.none_legal
        self.archive.append((obs, order, reward, nxt, nxt_legal, done))
        watch.stop()

    def study(self, batch=48):
        watch.start("replay.sample")
        rows = random.sample(self.archive, batch)
        obs = torch.from_numpy(np.stack([r[0] for r in rows]))
        act = torch.tensor([r[1] for r in rows])
        rew = torch.tensor([r[2] for r in rows], dtype=torch.float32)
        nxt = torch.from_numpy(np.stack([r[3] for r in rows]))
        leg = torch.from_numpy(np.stack([r[4] for r in rows]))
        don = torch.tensor([r[5] for r in rows], dtype=torch.float32)
        watch.stop()

        watch.start("learn.update")
        with torch.no_grad():
            pick = self.online(nxt).masked_fill(~leg, -1e9).argmax(1, keepdim=True)
            nq = self.target(nxt).gather(1, pick).squeeze(1)
            goal = rew + self.gamma * (1 - don) * nq
        q = self.online(obs).gather(1, act[:, None]).squeeze(1)
        loss = F.smooth_l1_loss(q, goal)
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.online.parameters(), 10.0)
        self.opt.step()
        self.lessons += 1
        if self.lessons % 200 == 0:
            self.target.load_state_dict(self.online.state_dict())
        watch.stop()
        return loss.item()
