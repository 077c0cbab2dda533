import torch
from torch import nn

from simulation import NUMBER_OF_ACTIONS, OBSERVATION_PLANES


class MayorNetwork(nn.Module):
    def __init__(self, height, width, number_count=7):
        super().__init__()
        self.convolutions = nn.Sequential(
            nn.Conv2d(OBSERVATION_PLANES, 16, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(16, 24, 3, stride=2, padding=1), nn.ReLU(), nn.Flatten())
        flat_size = 24 * ((height + 3) // 4) * ((width + 3) // 4)
        self.body = nn.Sequential(nn.Linear(flat_size + number_count, 96), nn.Tanh())
        self.policy_head = nn.Linear(96, NUMBER_OF_ACTIONS)
        self.value_head = nn.Linear(96, 1)

    def forward(self, planes, numbers, masks):
        hidden = self.body(torch.cat([self.convolutions(planes), numbers], dim=1))
        logits = self.policy_head(hidden).masked_fill(~masks, -1e9)
        return logits, self.value_head(hidden).squeeze(1)
