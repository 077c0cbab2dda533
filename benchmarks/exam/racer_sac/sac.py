"""SAC in one file, after CleanRL's sac_continuous_action.py (twin critics, automatic alpha)."""
import copy
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

LOG_STD_MIN, LOG_STD_MAX = -5.0, 2.0


def mlp(*sizes):
    layers = []
    for a, b in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class Actor(nn.Module):
    def __init__(self, n_obs, n_act, hidden):
        super().__init__()
        self.body = nn.Sequential(mlp(n_obs, hidden, hidden), nn.ReLU())
        self.mu = nn.Linear(hidden, n_act)
        self.log_std = nn.Linear(hidden, n_act)

    def forward(self, obs):
        h = self.body(obs)
        log_std = torch.tanh(self.log_std(h))
        log_std = LOG_STD_MIN + 0.5 * (LOG_STD_MAX - LOG_STD_MIN) * (log_std + 1)
        return self.mu(h), log_std

    def sample(self, obs):
        mu, log_std = self(obs)
        std = log_std.exp()
        noise = torch.randn_like(mu)
        raw = mu + std * noise
        a = torch.tanh(raw)
        logp = -0.5 * noise.pow(2) - log_std - 0.5 * math.log(2 * math.pi)
        logp = logp - torch.log(1 - a.pow(2) + 1e-6)
        return a, logp.sum(1, keepdim=True)


class Twin(nn.Module):
    def __init__(self, n_obs, n_act, hidden):
        super().__init__()
        self.q1 = mlp(n_obs + n_act, hidden, hidden, 1)
        self.q2 = mlp(n_obs + n_act, hidden, hidden, 1)

    def forward(self, obs, act):
        x = torch.cat([obs, act], 1)
        return self.q1(x), self.q2(x)


class Ring:
    """numpy ring buffer"""

    def __init__(self, size, n_obs, n_act):
        self.size = size
        self.obs = np.zeros((size, n_obs), np.float32)
        self.nxt = np.zeros((size, n_obs), np.float32)
        self.act = np.zeros((size, n_act), np.float32)
        self.rew = np.zeros((size, 1), np.float32)
        self.end = np.zeros((size, 1), np.float32)
        self.i = 0
        self.n = 0

    def add(self, obs, act, rew, nxt, end):
        i = self.i
        self.obs[i], self.act[i], self.rew[i, 0], self.nxt[i], self.end[i, 0] = obs, act, rew, nxt, end
        self.i = (i + 1) % self.size
        self.n = min(self.n + 1, self.size)

    def sample(self, k, rng):
        j = rng.integers(0, self.n, k)
        return [torch.from_numpy(a[j]) for a in (self.obs, self.act, self.rew, self.nxt, self.end)]


class SAC:
    def __init__(self, n_obs, n_act, hidden=96, gamma=0.98, tau=0.01, lr=7e-4):
        self.actor = Actor(n_obs, n_act, hidden)
        self.critic = Twin(n_obs, n_act, hidden)
        self.critic_target = copy.deepcopy(self.critic).requires_grad_(False)
        self.log_alpha = torch.tensor(math.log(0.2), requires_grad=True)
        self.goal_entropy = -float(n_act)
        self.opt_actor = torch.optim.Adam(self.actor.parameters(), lr=lr)
        self.opt_critic = torch.optim.Adam(self.critic.parameters(), lr=lr)
        self.opt_alpha = torch.optim.Adam([self.log_alpha], lr=lr)
        self.gamma, self.tau = gamma, tau
        self.updates = 0

    @torch.no_grad()
    def act(self, obs):
        a, _ = self.actor.sample(torch.from_numpy(obs))
        return a.numpy()

    def update(self, batch):
        obs, act, rew, nxt, end = batch
        alpha = self.log_alpha.detach().exp()
        with torch.no_grad():
            a2, lp2 = self.actor.sample(nxt)
            t1, t2 = self.critic_target(nxt, a2)
            goal = rew + self.gamma * (1 - end) * (torch.min(t1, t2) - alpha * lp2)
        q1, q2 = self.critic(obs, act)
        loss_q = F.mse_loss(q1, goal) + F.mse_loss(q2, goal)
        self.opt_critic.zero_grad()
        loss_q.backward()
        self.opt_critic.step()

        # the actor every second time (policy_frequency = 2 in CleanRL)
        if self.updates % 2 == 0:
            a, lp = self.actor.sample(obs)
            p1, p2 = self.critic(obs, a)
            loss_pi = (alpha * lp - torch.min(p1, p2)).mean()
            self.opt_actor.zero_grad()
            loss_pi.backward()
            self.opt_actor.step()
            loss_a = -(self.log_alpha.exp() * (lp.detach() + self.goal_entropy)).mean()
            self.opt_alpha.zero_grad()
            loss_a.backward()
            self.opt_alpha.step()

        with torch.no_grad():
            for p, tp in zip(self.critic.parameters(), self.critic_target.parameters()):
                tp.lerp_(p, self.tau)
        self.updates += 1
        return loss_q.detach()
