import torch
from torch import nn
import torch.nn.functional as F
from spiel import AKTIONEN, FELDER


class DachsNetz(nn.Module):
    def __init__(self, kanaele=32):
        super().__init__()
        self.ein = nn.Conv2d(4, kanaele, 3, padding=1)
        self.k1 = nn.Conv2d(kanaele, kanaele, 3, padding=1)
        self.k2 = nn.Conv2d(kanaele, kanaele, 3, padding=1)
        self.politik = nn.Linear(kanaele * FELDER, AKTIONEN)
        self.w1 = nn.Linear(kanaele * FELDER, 48)
        self.w2 = nn.Linear(48, 1)

    def forward(self, x):
        x = F.relu(self.ein(x))
        x = F.relu(x + self.k2(F.relu(self.k1(x))))
        x = x.flatten(1)
        return self.politik(x), torch.tanh(self.w2(F.relu(self.w1(x)))).squeeze(1)


def befragen(netz, ebenen):
    with torch.no_grad():
        logits, wert = netz(torch.from_numpy(ebenen).unsqueeze(0))
        return torch.softmax(logits[0], 0).numpy(), float(wert[0])
