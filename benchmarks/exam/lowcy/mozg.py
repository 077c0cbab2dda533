import random
from collections import deque

import numpy as np
import torch
import torch.nn as nn

WEJSCIE = 4 * 11 * 11 + 4
WYJSCIE = 5


class Siec(nn.Module):
    def __init__(self):
        super().__init__()
        self.warstwy = nn.Sequential(nn.Linear(WEJSCIE, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(),
                                     nn.Linear(128, WYJSCIE))

    def forward(self, x):
        return self.warstwy(x)


class Pamiec:
    def __init__(self, ile):
        self.dane = deque(maxlen=ile)

    def zapisz(self, *przejscie):
        self.dane.append(przejscie)

    def losuj(self, ile):
        paczka = random.sample(self.dane, ile)
        s, a, r, s2, k, m2 = zip(*paczka)
        return (torch.tensor(np.array(s)), torch.tensor(a), torch.tensor(r, dtype=torch.float32),
                torch.tensor(np.array(s2)), torch.tensor(k, dtype=torch.float32), torch.tensor(np.array(m2)))

    def __len__(self):
        return len(self.dane)


class Mozg:
    def __init__(self, gamma=0.97, lr=5e-4):
        self.siec = Siec()
        self.cel = Siec()
        self.cel.load_state_dict(self.siec.state_dict())
        self.opt = torch.optim.Adam(self.siec.parameters(), lr=lr)
        self.gamma = gamma
        self.eps = 1.0
        self.ile_uczen = 0

    def wybierz(self, s, maska):
        if random.random() < self.eps:
            return int(np.random.choice(np.flatnonzero(maska)))
        with torch.no_grad():
            q = self.siec(torch.tensor(s).unsqueeze(0))[0]
        q[~torch.tensor(maska)] = -1e9
        return int(q.argmax())

    def ucz(self, paczka):
        s, a, r, s2, k, m2 = paczka
        q = self.siec(s).gather(1, a.unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            nast = self.siec(s2).masked_fill(~m2, -1e9).argmax(1, keepdim=True)
            cel = r + self.gamma * (1 - k) * self.cel(s2).gather(1, nast).squeeze(1)
        strata = nn.functional.smooth_l1_loss(q, cel)
        self.opt.zero_grad()
        strata.backward()
        nn.utils.clip_grad_norm_(self.siec.parameters(), 10)
        self.opt.step()
        self.ile_uczen += 1
        if self.ile_uczen % 300 == 0:
            self.cel.load_state_dict(self.siec.state_dict())
        return strata.item()
