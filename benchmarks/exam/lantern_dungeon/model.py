import torch
from torch import nn
from torch.distributions import Categorical


class RecurrentAC(nn.Module):
    def __init__(self, n_in, n_act, hid=128):
        super().__init__()
        self.hid = hid
        self.enc = nn.Sequential(nn.Linear(n_in, 128), nn.Tanh())
        self.gru = nn.GRUCell(128, hid)
        self.pi = nn.Linear(hid, n_act)
        self.v = nn.Linear(hid, 1)

    def step(self, x, h, start):
        """one time step for all envs; start=1 where a new episode begins"""
        h = h * (1 - start).unsqueeze(-1)
        h = self.gru(self.enc(x), h)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1), h

    def unroll(self, xs, h, starts):
        """xs: T x B x n"""
        logits, values = [], []
        for t in range(xs.shape[0]):
            d, v, h = self.step(xs[t], h, starts[t])
            logits.append(d.logits)
            values.append(v)
        return Categorical(logits=torch.stack(logits)), torch.stack(values)
