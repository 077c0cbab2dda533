import copy
import math
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from campo import DIM_OSS, N_AZIONI

def rete():
    return nn.Sequential(nn.Linear(DIM_OSS, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, N_AZIONI))

class AgenteSAC:
    """SAC discreto, una sola politica per tutte le contrade"""

    def __init__(self, gamma=0.98, tau=0.01, lr=4e-4):
        self.attore = rete()
        self.q1, self.q2 = rete(), rete()
        self.q1_lento, self.q2_lento = copy.deepcopy(self.q1), copy.deepcopy(self.q2)
        self.log_alfa = torch.tensor(math.log(0.1), requires_grad=True)
        self.entropia_voluta = 0.35 * math.log(N_AZIONI)
        self.ott_attore = torch.optim.Adam(self.attore.parameters(), lr=lr)
        self.ott_q = torch.optim.Adam(list(self.q1.parameters()) + list(self.q2.parameters()), lr=lr)
        self.ott_alfa = torch.optim.Adam([self.log_alfa], lr=lr)
        self.gamma, self.tau = gamma, tau

    def _politica(self, oss, valide):
        logit = self.attore(oss).masked_fill(~valide, -1e9)
        logp = F.log_softmax(logit, dim=-1)
        return logp.exp(), logp

    @torch.no_grad()
    def scegli(self, oss, valide, avido=False):
        p, _ = self._politica(torch.from_numpy(oss).unsqueeze(0), torch.from_numpy(valide).unsqueeze(0))
        if avido:
            return int(p.argmax())
        return int(torch.distributions.Categorical(p).sample())

    def impara(self, lotto):
        o, a, r, o2, fine, v, v2 = lotto
        alfa = self.log_alfa.exp().detach()
        with torch.no_grad():
            p2, lp2 = self._politica(o2, v2)
            q_min = torch.min(self.q1_lento(o2), self.q2_lento(o2))
            val = (p2 * (q_min - alfa * lp2)).sum(1)
            bersaglio = r + self.gamma * (1 - fine) * val
        qa = self.q1(o).gather(1, a[:, None]).squeeze(1)
        qb = self.q2(o).gather(1, a[:, None]).squeeze(1)
        perdita_q = F.mse_loss(qa, bersaglio) + F.mse_loss(qb, bersaglio)
        self.ott_q.zero_grad()
        perdita_q.backward()
        self.ott_q.step()

        p, lp = self._politica(o, v)
        with torch.no_grad():
            q = torch.min(self.q1(o), self.q2(o))
        perdita_pi = (p * (alfa * lp - q)).sum(1).mean()
        self.ott_attore.zero_grad()
        perdita_pi.backward()
        self.ott_attore.step()

        entropia = -(p * lp).sum(1).detach().mean()
        perdita_alfa = self.log_alfa * (entropia - self.entropia_voluta)
        self.ott_alfa.zero_grad()
        perdita_alfa.backward()
        self.ott_alfa.step()

        with torch.no_grad():
            for lenta, viva in ((self.q1_lento, self.q1), (self.q2_lento, self.q2)):
                for pl, pv in zip(lenta.parameters(), viva.parameters()):
                    pl.mul_(1 - self.tau).add_(pv, alpha=self.tau)
        return float(perdita_q), float(perdita_pi), float(entropia)

    def salva(self, dove):
        torch.save({"attore": self.attore.state_dict(), "q1": self.q1.state_dict(), "q2": self.q2.state_dict(),
                    "ott_q": self.ott_q.state_dict(), "ott_attore": self.ott_attore.state_dict()}, dove)
