"""The thing behind the wheel: soft actor critic, typed over from the paper and shortened."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


def blob(i, o, h=112):
    return nn.Sequential(nn.Linear(i, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU(), nn.Linear(h, o))


class Wrist(nn.Module):
    def __init__(self, n_feel, n_deed):
        super().__init__()
        self.body = blob(n_feel, 2 * n_deed)

    def forward(self, feel):
        mu, ls = self.body(feel).chunk(2, dim=-1)
        return mu, ls.clamp(-5, 2)

    def wiggle(self, feel):
        mu, ls = self(feel)
        eps = torch.randn_like(mu)
        raw = mu + ls.exp() * eps
        deed = torch.tanh(raw)
        lp = (-0.5 * eps.pow(2) - ls - 0.9189385).sum(-1, keepdim=True)
        lp = lp - (2 * (0.6931472 - raw - F.softplus(-2 * raw))).sum(-1, keepdim=True)
        return deed, lp


class Nag(nn.Module):
    """two critics in the back seat"""

    def __init__(self, n_feel, n_deed):
        super().__init__()
        self.left = blob(n_feel + n_deed, 1)
        self.right = blob(n_feel + n_deed, 1)

    def forward(self, feel, deed):
        z = torch.cat([feel, deed], -1)
        return self.left(z), self.right(z)


class Driver:
    def __init__(self, n_feel, n_deed, gamma=0.98, lag=0.01):
        self.wrist = Wrist(n_feel, n_deed)
        self.nag = Nag(n_feel, n_deed)
        self.old_nag = copy.deepcopy(self.nag)
        for p in self.old_nag.parameters():
            p.requires_grad_(False)
        self.heat = torch.zeros(1, requires_grad=True)
        self.calm = -float(n_deed)
        self.gamma, self.lag = gamma, lag
        self.o_wrist = torch.optim.Adam(self.wrist.parameters(), lr=7e-4)
        self.o_nag = torch.optim.Adam(self.nag.parameters(), lr=1e-3)
        self.o_heat = torch.optim.Adam([self.heat], lr=1e-3)

    @torch.no_grad()
    def decide(self, feel, sober=False):
        t = torch.from_numpy(feel).unsqueeze(0)
        if sober:
            return torch.tanh(self.wrist(t)[0])[0].numpy()
        return self.wrist.wiggle(t)[0][0].numpy()

    def study(self, feel, deed, prize, after, dead):
        warmth = self.heat.exp().detach()
        with torch.no_grad():
            d2, lp2 = self.wrist.wiggle(after)
            a, b = self.old_nag(after, d2)
            aim = prize + self.gamma * (1 - dead) * (torch.min(a, b) - warmth * lp2)
        a, b = self.nag(feel, deed)
        moan = F.mse_loss(a, aim) + F.mse_loss(b, aim)
        self.o_nag.zero_grad()
        moan.backward()
        self.o_nag.step()

        for p in self.nag.parameters():
            p.requires_grad_(False)
        d, lp = self.wrist.wiggle(feel)
        a, b = self.nag(feel, d)
        sulk = (warmth * lp - torch.min(a, b)).mean()
        self.o_wrist.zero_grad()
        sulk.backward()
        self.o_wrist.step()
        for p in self.nag.parameters():
            p.requires_grad_(True)

        fever = -(self.heat * (lp.detach() + self.calm)).mean()
        self.o_heat.zero_grad()
        fever.backward()
        self.o_heat.step()

        with torch.no_grad():
            for p, q in zip(self.nag.parameters(), self.old_nag.parameters()):
                q.lerp_(p, self.lag)
        return moan.item()
