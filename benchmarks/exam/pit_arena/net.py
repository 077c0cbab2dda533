import torch
import torch.nn as nn
from game import OBS_SIZE, N_ACTIONS


class Brain(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(OBS_SIZE, 256), nn.Tanh(), nn.Linear(256, 192), nn.Tanh())
        self.pi = nn.Linear(192, N_ACTIONS)
        self.v = nn.Linear(192, 1)
        with torch.no_grad():
            self.pi.weight.mul_(0.1)

    def forward(self, x):
        h = self.body(x)
        return self.pi(h), self.v(h).squeeze(-1)


def to_arrays(net):
    return {k: p.detach().numpy().copy() for k, p in net.state_dict().items()}


def from_arrays(net, arrays):
    net.load_state_dict({k: torch.from_numpy(a) for k, a in arrays.items()})
