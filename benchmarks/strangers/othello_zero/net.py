import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from othello import ACTIONS, N


class ResNetka(nn.Module):
    def __init__(self, ch=24):
        super().__init__()
        self.inp = nn.Conv2d(3, ch, 3, padding=1)
        self.a = nn.Conv2d(ch, ch, 3, padding=1)
        self.b = nn.Conv2d(ch, ch, 3, padding=1)
        self.pol = nn.Conv2d(ch, 2, 1)
        self.pol_fc = nn.Linear(2 * N * N, ACTIONS)
        self.val = nn.Conv2d(ch, 1, 1)
        self.val_fc1 = nn.Linear(N * N, 32)
        self.val_fc2 = nn.Linear(32, 1)

    def forward(self, x):
        h = F.relu(self.inp(x))
        h = F.relu(h + self.b(F.relu(self.a(h))))
        p = self.pol_fc(F.relu(self.pol(h)).flatten(1))
        v = torch.tanh(self.val_fc2(F.relu(self.val_fc1(F.relu(self.val(h)).flatten(1)))))
        return p, v[:, 0]

    def predict(self, x):
        with torch.inference_mode():
            p, v = self(torch.from_numpy(x)[None])
            return F.softmax(p, -1)[0].tolist(), float(v)
