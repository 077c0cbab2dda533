import torch
import torch.nn as nn
import torch.nn.functional as F

from cfg import NP, NX


class Net(nn.Module):
    def __init__(s):
        super().__init__()
        s.c1 = nn.Conv2d(NP, 12, 3, padding=1, stride=2)
        s.c2 = nn.Conv2d(12, 16, 3, padding=1)
        s.l1 = nn.Linear(16 * 49 + NX, 96)
        s.pi = nn.Linear(96, 4)
        s.vl = nn.Linear(96, 1)

    def forward(s, pl, xv, mk):
        h = F.relu(s.c1(pl.float()))
        h = F.relu(s.c2(h)).flatten(1)
        h = F.relu(s.l1(torch.cat([h, xv], 1)))
        return s.pi(h).masked_fill(~mk, -1e9), s.vl(h)[:, 0]

    def gt(s):
        return {k: v.numpy().copy() for k, v in s.state_dict().items()}

    def ld(s, wt):
        s.load_state_dict({k: torch.from_numpy(v) for k, v in wt.items()})
