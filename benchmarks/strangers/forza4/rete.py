import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from gioco import RIGHE, COLONNE
from tempi import T


class Rete(nn.Module):
    def __init__(self, canali=24):
        super().__init__()
        self.conv1 = nn.Conv2d(3, canali, 3, padding=1)
        self.conv2 = nn.Conv2d(canali, canali, 3, padding=1)
        self.fc = nn.Linear(canali * RIGHE * COLONNE, 64)
        self.politica = nn.Linear(64, COLONNE)
        self.valore = nn.Linear(64, 1)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = F.relu(self.fc(x.flatten(1)))
        return self.politica(x), torch.tanh(self.valore(x)).squeeze(1)


class Cervello:
    """La rete con il suo ottimizzatore e le comodita'."""

    def __init__(self, lr=2e-3):
        self.rete = Rete()
        self.ottimizzatore = torch.optim.SGD(self.rete.parameters(), lr=lr, momentum=0.9, weight_decay=1e-4)

    @torch.no_grad()
    def prevedi(self, partita):
        x = partita.codifica()
        t0 = T.via()
        logit, v = self.rete(torch.from_numpy(x).unsqueeze(0))
        p = torch.softmax(logit[0], 0).numpy()
        v = float(v[0])
        T.stop("act.predict", t0)
        return p, v

    def impara(self, piani, pi, z):
        t0 = T.via()
        piani, pi, z = torch.from_numpy(piani), torch.from_numpy(pi), torch.from_numpy(z)
        logit, v = self.rete(piani)
        errore = -(pi * F.log_softmax(logit, 1)).sum(1).mean() + F.mse_loss(v, z)
        self.ottimizzatore.zero_grad()
        errore.backward()
        self.ottimizzatore.step()
        e = errore.item()
        T.stop("learn.*", t0)
        return e
