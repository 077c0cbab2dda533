import torch
import torch.nn as nn
from torch.distributions import Categorical


class Net(nn.Module):
    def __init__(self, n_obs, n_act, hid=64):
        super().__init__()
        self.hid = hid
        self.enc = nn.Sequential(nn.Linear(n_obs, hid), nn.ReLU())
        self.gru = nn.GRUCell(hid, hid)
        self.pi = nn.Linear(hid, n_act)
        self.v = nn.Linear(hid, 1)

    def row(self, x, h):
        """one time row: [B, n_obs], [B, hid] -> logits, v, h"""
        h = self.gru(self.enc(x), h)
        return self.pi(h), self.v(h).squeeze(-1), h


class Ag:
    def __init__(self, n_obs, n_act, lr=7e-4, gam=0.98, lam=0.95, ent=0.01):
        self.net = Net(n_obs, n_act)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=lr)
        self.gam, self.lam, self.ent = gam, lam, ent
        self.n_upd = 0

    def h0(self, b):
        return torch.zeros(b, self.net.hid)

    @torch.no_grad()
    def act(self, x, h):
        lg, v, h = self.net.row(torch.from_numpy(x), h)
        a = Categorical(logits=lg).sample()
        return a.numpy(), v.numpy(), h

    @torch.no_grad()
    def val(self, x, h):
        return self.net.row(torch.from_numpy(x), h)[1].numpy()

    def upd(self, seg, adv, ret):
        xs = torch.from_numpy(seg.x)
        acts = torch.from_numpy(seg.a)
        adv = torch.from_numpy(adv)
        ret = torch.from_numpy(ret)
        keep = torch.from_numpy(1.0 - seg.d)
        adv = (adv - adv.mean()) / (adv.std() + 1e-6)
        h = seg.h
        L_pi = L_v = L_e = 0.0
        T = xs.shape[0]
        for t in range(T):                     # row by row, memory is cut where a game ended
            lg, v, h = self.net.row(xs[t], h)
            dist = Categorical(logits=lg)
            L_pi = L_pi - (dist.log_prob(acts[t]) * adv[t]).mean()
            L_v = L_v + (ret[t] - v).pow(2).mean()
            L_e = L_e + dist.entropy().mean()
            h = h * keep[t][:, None]
        loss = (L_pi + 0.5 * L_v - self.ent * L_e) / T
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
        self.opt.step()
        self.n_upd += 1
        return float(loss.detach())
