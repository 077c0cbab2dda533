import torch
import torch.nn as nn

from pit import NA, NOBS


class AC(nn.Module):
    def __init__(s):
        super().__init__()
        s.b = nn.Sequential(nn.Linear(NOBS, 256), nn.Tanh(), nn.Linear(256, 128), nn.Tanh())
        s.p = nn.Linear(128, NA)
        s.v = nn.Linear(128, 1)

    def forward(s, o, k):
        h = s.b(o)
        return s.p(h).masked_fill(~k, -1e9), s.v(h).squeeze(-1)


def pack(net):
    return {k: v.numpy().copy() for k, v in net.state_dict().items()}


def unpack(net, d):
    net.load_state_dict({k: torch.from_numpy(v) for k, v in d.items()})
