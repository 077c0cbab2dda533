import random
from collections import deque
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class QNetz(nn.Module):
    def __init__(self, ein, aus):
        super().__init__()
        self.stamm = nn.Sequential(nn.Linear(ein, 160), nn.ReLU(), nn.Linear(160, 128), nn.ReLU())
        self.wert = nn.Linear(128, 1)
        self.vorteil = nn.Linear(128, aus)

    def forward(self, x):
        h = self.stamm(x)
        v = self.vorteil(h)
        return self.wert(h) + v - v.mean(1, keepdim=True)


class Gedaechtnis:
    def __init__(self, groesse=15000):
        self.d = deque(maxlen=groesse)

    def merken(self, *uebergang):
        self.d.append(uebergang)

    def ziehen(self, n):
        s, a, r, s2, m2, fertig = zip(*random.sample(self.d, n))
        return (torch.from_numpy(np.stack(s)), torch.tensor(a), torch.tensor(r, dtype=torch.float32),
                torch.from_numpy(np.stack(s2)), torch.from_numpy(np.stack(m2)), torch.tensor(fertig, dtype=torch.float32))

    def __len__(self):
        return len(self.d)


class DoppelDQN:
    def __init__(self, ein, aus, gamma=0.99, tau=0.01, lr=7e-4):
        self.netz, self.ziel = QNetz(ein, aus), QNetz(ein, aus)
        self.ziel.load_state_dict(self.netz.state_dict())
        self.opt = torch.optim.Adam(self.netz.parameters(), lr=lr)
        self.gamma, self.tau, self.aus = gamma, tau, aus
        self.updates = 0

    def waehle(self, x, maske, eps):
        if random.random() < eps:
            # beim Probieren lieber fahren als boxen, sonst steht man nur in der Box
            kand = [i for i in range(self.aus) if maske[i]]
            gewichte = [1.0 if i < 3 else 0.22 for i in kand]
            return random.choices(kand, gewichte)[0]
        with torch.no_grad():
            q = self.netz(torch.from_numpy(x).unsqueeze(0))[0].numpy()
        return int(np.where(maske, q, -1e9).argmax())

    def lernen(self, paket):
        s, a, r, s2, m2, fertig = paket
        q = self.netz(s).gather(1, a.unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            beste = self.netz(s2).masked_fill(~m2, -1e9).argmax(1, keepdim=True)
            ziel = r + self.gamma * (1 - fertig) * self.ziel(s2).gather(1, beste).squeeze(1)
        verlust = F.smooth_l1_loss(q, ziel)
        self.opt.zero_grad()
        verlust.backward()
        nn.utils.clip_grad_norm_(self.netz.parameters(), 5.0)
        self.opt.step()
        with torch.no_grad():
            for p, z in zip(self.netz.parameters(), self.ziel.parameters()):
                z.mul_(1 - self.tau).add_(p, alpha=self.tau)
        self.updates += 1
        return verlust.item()
