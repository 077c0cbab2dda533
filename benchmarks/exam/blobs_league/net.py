import torch
import torch.nn as nn
from blobs import SIZE, N_MOVES


class PolicyNet(nn.Module):
    def __init__(self, ch=24):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv2d(6, ch, 3, padding=1), nn.ReLU(),
            nn.Conv2d(ch, ch, 3, padding=1), nn.ReLU(),
            nn.Flatten())
        self.policyHead = nn.Linear(ch * SIZE * SIZE, N_MOVES)
        self.valueHead = nn.Sequential(nn.Linear(ch * SIZE * SIZE, 32), nn.ReLU(), nn.Linear(32, 1), nn.Tanh())

    def forward(self, obs, mask):
        h = self.trunk(obs)
        logits = self.policyHead(h).masked_fill(~mask, -1e9)
        return logits, self.valueHead(h).squeeze(-1)

    @torch.no_grad()
    def pickMove(self, obs, mask, greedy=False):
        logits, value = self(torch.from_numpy(obs)[None], torch.from_numpy(mask)[None])
        if greedy:
            return int(logits[0].argmax()), 0.0, float(value)
        dist = torch.distributions.Categorical(logits=logits[0])
        move = dist.sample()
        return int(move), float(dist.log_prob(move)), float(value)


def exportWeights(net):
    return {k: v.detach().numpy().copy() for k, v in net.state_dict().items()}


def importWeights(net, weights):
    net.load_state_dict({k: torch.from_numpy(v) for k, v in weights.items()})
