"""rete, memoria e passo di apprendimento (double DQN + dueling, come nei documenti di SB3/CleanRL)"""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class DuelNet(nn.Module):
    def __init__(self, n_in, n_act, hidden=128):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Linear(n_in, hidden), nn.ReLU(),
            nn.Linear(hidden, hidden), nn.ReLU(),
        )
        self.value = nn.Linear(hidden, 1)
        self.adv = nn.Linear(hidden, n_act)

    def forward(self, x):
        h = self.trunk(x)
        a = self.adv(h)
        return self.value(h) + a - a.mean(dim=1, keepdim=True)


class Memory:
    """buffer circolare, tutto preallocato. Si spinge un tavolo intero alla volta."""

    def __init__(self, capacity, n_in):
        self.capacity = capacity
        self.obs = torch.zeros((capacity, n_in), dtype=torch.float16)
        self.nxt = torch.zeros((capacity, n_in), dtype=torch.float16)
        self.act = torch.zeros(capacity, dtype=torch.long)
        self.rew = torch.zeros(capacity)
        self.done = torch.zeros(capacity)
        self.pos = 0
        self.full = False

    def __len__(self):
        return self.capacity if self.full else self.pos

    def push_all(self, obs, act, rew, nxt, done):
        n = obs.shape[0]
        where = (torch.arange(n) + self.pos) % self.capacity
        self.obs[where] = obs.half()
        self.nxt[where] = nxt.half()
        self.act[where] = act
        self.rew[where] = rew
        self.done[where] = done.float()
        self.pos += n
        if self.pos >= self.capacity:
            self.pos -= self.capacity
            self.full = True

    def draw(self, k):
        pick = torch.randint(0, len(self), (k,))
        return (self.obs[pick].float(), self.act[pick], self.rew[pick],
                self.nxt[pick].float(), self.done[pick])


class Learner:
    def __init__(self, n_in, n_act, lr=5e-4, gamma=0.96, sync_every=200):
        self.net = DuelNet(n_in, n_act)
        self.target = copy.deepcopy(self.net)
        for p in self.target.parameters():
            p.requires_grad_(False)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=lr)
        self.gamma = gamma
        self.sync_every = sync_every
        self.n_act = n_act
        self.updates = 0

    @torch.no_grad()
    def choose(self, obs, eps):
        q = self.net(obs)
        a = q.argmax(dim=1)
        rnd = torch.rand(len(a)) < eps
        a[rnd] = torch.randint(0, self.n_act, (int(rnd.sum()),))
        return a

    def improve(self, batch):
        obs, act, rew, nxt, done = batch
        with torch.no_grad():
            best = self.net(nxt).argmax(dim=1, keepdim=True)
            q_next = self.target(nxt).gather(1, best).squeeze(1)
            goal = rew + self.gamma * (1.0 - done) * q_next
        q = self.net(obs).gather(1, act[:, None]).squeeze(1)
        loss = F.smooth_l1_loss(q, goal)
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 10.0)
        self.opt.step()
        self.updates += 1
        if self.updates % self.sync_every == 0:
            self.target.load_state_dict(self.net.state_dict())
        return loss.detach()
