import torch
import torch.nn as nn
from torch.distributions import Categorical


class TenchoNet(nn.Module):
    def __init__(self, dim, n_act, hidden=96):
        super().__init__()
        self.hidden = hidden
        self.iriguchi = nn.Sequential(nn.Linear(dim, 96), nn.Tanh())
        self.gru = nn.GRUCell(96, hidden)
        self.pi = nn.Linear(hidden, n_act)
        self.v = nn.Linear(hidden, 1)

    def forward(self, x, h):
        h = self.gru(self.iriguchi(x), h)
        return self.pi(h), self.v(h).squeeze(-1), h


class Agent:
    def __init__(self, dim, n_act, lr=1e-3):
        self.net = TenchoNet(dim, n_act)
        self.opt = torch.optim.RMSprop(self.net.parameters(), lr=lr, alpha=0.99, eps=1e-5)
        self.ent, self.vf = 0.01, 0.5

    def zero_h(self, n):
        return torch.zeros(n, self.net.hidden)

    @torch.no_grad()
    def erabu(self, obs, mask, h, greedy=False):
        logits, v, h2 = self.net(torch.from_numpy(obs), h)
        logits = logits.masked_fill(~torch.from_numpy(mask), -1e9)
        a = logits.argmax(-1) if greedy else Categorical(logits=logits).sample()
        return a.tolist(), v.numpy(), h2

    @torch.no_grad()
    def kachi(self, obs, h):
        return self.net(torch.from_numpy(obs), h)[1].numpy()

    def manabu(self, roll, adv, ret):
        """one A2C update, the GRU is unrolled again from the first hidden state"""
        h = roll.h0
        logp, ent, val = [], [], []
        for t in range(len(roll.obs)):
            logits, v, h = self.net(torch.from_numpy(roll.obs[t]), h)
            d = Categorical(logits=logits.masked_fill(~torch.from_numpy(roll.mask[t]), -1e9))
            logp.append(d.log_prob(torch.tensor(roll.act[t])))
            ent.append(d.entropy())
            val.append(v)
            h = h * (1.0 - torch.from_numpy(roll.done[t]).unsqueeze(1))
        logp, ent, val = torch.stack(logp), torch.stack(ent), torch.stack(val)
        adv, ret = torch.from_numpy(adv), torch.from_numpy(ret)
        adv = (adv - adv.mean()) / (adv.std() + 1e-6)
        loss_pi = -(logp * adv).mean()
        loss_v = (ret - val).pow(2).mean()
        loss = loss_pi + self.vf * loss_v - self.ent * ent.mean()
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
        self.opt.step()
        return loss_pi.item(), loss_v.item(), ent.mean().item()
