import torch
from torch import nn
from arena import N_ACT, SIZE


class TankNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(5, 16, 5, stride=2, padding=2), nn.ReLU(),
                                  nn.Conv2d(16, 16, 3, stride=2, padding=1), nn.ReLU(), nn.Flatten())
        k = 16 * ((SIZE + 3) // 4) ** 2
        self.fc = nn.Sequential(nn.Linear(k, 64), nn.ReLU())
        self.pi = nn.Linear(64, N_ACT)
        self.v = nn.Linear(64, 1)

    def forward(self, x):
        h = self.fc(self.conv(x))
        return self.pi(h), self.v(h).squeeze(-1)


def weights_out(net):
    return {k: v.numpy().copy() for k, v in net.state_dict().items()}


def weights_in(net, w):
    net.load_state_dict({k: torch.from_numpy(v) for k, v in w.items()})
