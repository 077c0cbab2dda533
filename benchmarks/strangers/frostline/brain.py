import numpy as np
import torch
from torch import nn

from frost_rules import NUM_MOVES, SIZE, WATER


class SharedBrain(nn.Module):
    """One network plays both sides; it always sees the board from the mover's side."""

    def __init__(self, channels=24):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(6, channels, 3, padding=1), nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU(),
            nn.Flatten(),
            nn.Linear(channels * SIZE * SIZE, 128), nn.ReLU(),
        )
        self.policy = nn.Linear(128, NUM_MOVES)
        self.value = nn.Linear(128, 1)

    def forward(self, planes, mask):
        h = self.conv(planes)
        logits = self.policy(h).masked_fill(~mask, -1e9)
        return logits, torch.tanh(self.value(h)).squeeze(-1)


def encode(lake):
    """6 planes: water, my foxes one by one, all of theirs, ply"""
    me, you = lake.to_move, 1 - lake.to_move
    planes = np.zeros((6, SIZE, SIZE), dtype=np.float32)
    for r in range(SIZE):
        for c in range(SIZE):
            if lake.tiles[r][c] == WATER:
                planes[0, r, c] = 1
    for k, (r, c) in enumerate(lake.foxes[me]):
        planes[1 + k, r, c] = 1
    for r, c in lake.foxes[you]:
        planes[4, r, c] = 1
    planes[5] = lake.ply / 40
    return planes


def mask_of(lake):
    mask = np.zeros(NUM_MOVES, dtype=bool)
    mask[lake.legal_moves()] = True
    return mask


class Player:
    """An agent is only a name, a temperature and the shared brain."""

    def __init__(self, name, brain, temperature=1.0):
        self.name = name
        self.brain = brain
        self.temperature = temperature
        self.won = 0

    @torch.no_grad()
    def choose(self, planes, mask):
        logits, value = self.brain(torch.from_numpy(planes)[None], torch.from_numpy(mask)[None])
        p = torch.softmax(logits[0] / self.temperature, 0)
        return int(torch.multinomial(p, 1)), float(value)
