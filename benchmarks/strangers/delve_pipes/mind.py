import torch
import torch.nn as nn
import torch.nn.functional as F


class Mind(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(n_in, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU())
        self.pi = nn.Linear(128, n_out)
        self.v = nn.Linear(128, 1)

    def forward(self, x):
        h = self.trunk(x)
        return self.pi(h), self.v(h)[:, 0]

    @torch.no_grad()
    def choose(self, sights):
        logits, _ = self(torch.from_numpy(sights))
        return torch.multinomial(F.softmax(logits, -1), 1)[:, 0].numpy()
