"""Actor-Critic und PPO."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from partie import BEFEHLE, EBENEN
from brett import BREITE, HOEHE


class Feldherr(nn.Module):
    def __init__(self, breit=16):
        super().__init__()
        self.rumpf = nn.Sequential(
            nn.Conv2d(EBENEN, breit, 3, padding=1), nn.ReLU(),
            nn.Conv2d(breit, breit, 3, padding=1), nn.ReLU(),
            nn.Flatten(),
            nn.Linear(breit * BREITE * HOEHE, 128), nn.ReLU())
        self.politik = nn.Linear(128, BEFEHLE)
        self.wert = nn.Linear(128, 1)
        nn.init.orthogonal_(self.politik.weight, 0.01)

    def forward(self, blick, maske):
        h = self.rumpf(blick)
        logits = self.politik(h).masked_fill(~maske, -1e9)
        return torch.distributions.Categorical(logits=logits), self.wert(h).squeeze(-1)

    @torch.no_grad()
    def entscheide(self, blick, maske):
        vert, wert = self(torch.from_numpy(blick), torch.from_numpy(maske))
        a = vert.sample()
        return a.numpy(), vert.log_prob(a).numpy(), wert.numpy()

    @torch.no_grad()
    def bester(self, blick, maske):
        vert, _ = self(torch.from_numpy(blick[None]), torch.from_numpy(maske[None]))
        return int(vert.probs.argmax())


class Ausbilder:
    def __init__(self, netz, lr=4e-4, klammer=0.2, epochen=2, haeppchen=256):
        self.netz = netz
        self.opt = torch.optim.Adam(netz.parameters(), lr=lr, eps=1e-5)
        self.klammer, self.epochen, self.haeppchen = klammer, epochen, haeppchen
        self.schritte = 0

    def drille(self, B, M, A, L, V, R):
        n = len(A)
        V = (V - V.mean()) / (V.std() + 1e-8)
        B, M, A, L, V, R = map(torch.from_numpy, (B, M, A, L, V, R))
        verlust = 0.0
        for _ in range(self.epochen):
            reihen = torch.randperm(n)
            for s in range(0, n, self.haeppchen):
                i = reihen[s:s + self.haeppchen]
                vert, wert = self.netz(B[i], M[i])
                q = (vert.log_prob(A[i]) - L[i]).exp()
                pol = -torch.min(q * V[i], q.clamp(1 - self.klammer, 1 + self.klammer) * V[i]).mean()
                krit = F.mse_loss(wert, R[i])
                l = pol + 0.5 * krit - 0.01 * vert.entropy().mean()
                self.opt.zero_grad()
                l.backward()
                nn.utils.clip_grad_norm_(self.netz.parameters(), 0.5)
                self.opt.step()
                self.schritte += 1
                verlust += l.item()
        return verlust
