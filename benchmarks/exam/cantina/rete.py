"""attore-critico con memoria GRU"""
import torch
import torch.nn as nn
from torch.distributions import Categorical

from mondo import N_ACTIONS, N_PLANES, N_SCALARS, WIN


def ortho(layer, gain=2 ** 0.5):
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


class Hero(nn.Module):
    def __init__(self, hidden=96):
        super().__init__()
        self.hidden = hidden
        self.cells = N_PLANES * WIN * WIN
        # prima c'erano due Conv2d: su CPU, con 8 partite alla volta, costavano il triplo
        self.eye = nn.Sequential(ortho(nn.Linear(self.cells, 64), 0.7), nn.ReLU())
        self.mix = nn.Sequential(ortho(nn.Linear(64 + N_SCALARS, hidden)), nn.ReLU())
        self.memory = nn.GRUCell(hidden, hidden)
        self.policy = ortho(nn.Linear(2 * hidden, N_ACTIONS), 0.01)
        self.value = ortho(nn.Linear(2 * hidden, 1), 1.0)

    def look(self, obs):
        return self.mix(torch.cat([self.eye(obs[:, :self.cells]), obs[:, self.cells:]], 1))

    def heads(self, h, x, mask):
        h = torch.cat([h, x], -1)       # anche quello che si vede adesso, senza passare dalla memoria
        logits = self.policy(h).masked_fill(~mask, -1e9)
        return Categorical(logits=logits), self.value(h).squeeze(-1)

    def one(self, obs, mask, h):
        """un turno (B partite)"""
        x = self.look(obs)
        h = self.memory(x, h)
        dist, v = self.heads(h, x, mask)
        return dist, v, h

    def many(self, obs, mask, h, start):
        """una sequenza (T, B): la memoria si azzera dove comincia una partita"""
        T, B = obs.shape[:2]
        x = self.look(obs.reshape(T * B, -1)).view(T, B, -1)
        hs = []
        for t in range(T):
            h = self.memory(x[t], h * (1.0 - start[t])[:, None])
            hs.append(h)
        return self.heads(torch.stack(hs), x, mask)
