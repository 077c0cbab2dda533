import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

from uhr import gemessen


class AkteurKritiker(nn.Module):
    def __init__(self, eingaben, aktionen):
        super().__init__()
        self.rumpf = nn.Sequential(nn.Linear(eingaben, 96), nn.Tanh(), nn.Linear(96, 96), nn.Tanh())
        self.kopfPolitik = nn.Linear(96, aktionen)
        self.kopfWert = nn.Linear(96, 1)

    def forward(self, x, maske):
        h = self.rumpf(x)
        logits = self.kopfPolitik(h).masked_fill(~maske, -1e8)
        return Categorical(logits=logits), self.kopfWert(h).squeeze(-1)


class Speicher:
    def __init__(self):
        self.leeren()

    def leeren(self):
        self.sicht, self.masken, self.aktionen = [], [], []
        self.logWahr, self.werte, self.loehne, self.enden = [], [], [], []

    def merken(self, sicht, maske, aktion, logWahr, wert, lohn, ende):
        self.sicht.append(sicht)
        self.masken.append(maske)
        self.aktionen.append(aktion)
        self.logWahr.append(logWahr)
        self.werte.append(wert)
        self.loehne.append(lohn)
        self.enden.append(ende)

    def __len__(self):
        return len(self.aktionen)


class PpoAgent:
    def __init__(self, eingaben, aktionen, ein):
        self.ein = ein
        self.netz = AkteurKritiker(eingaben, aktionen)
        self.optimierer = torch.optim.Adam(self.netz.parameters(), lr=ein.lernRate)
        self.schritte = 0

    @gemessen("act")
    def waehle(self, sicht, maske, gierig=False):
        with torch.no_grad():
            verteilung, wert = self.netz(torch.as_tensor(sicht)[None], torch.as_tensor(maske)[None])
            if gierig:
                aktion = verteilung.probs.argmax(-1)
            else:
                aktion = verteilung.sample()
            logWahr = verteilung.log_prob(aktion)
        return int(aktion), float(logWahr), float(wert)

    @gemessen("learn.returns")
    def vorteile(self, sp, letzterWert):
        n = len(sp)
        vorteil = np.zeros(n, dtype=np.float32)
        gae = 0.0
        for t in reversed(range(n)):
            naechster = letzterWert if t == n - 1 else sp.werte[t + 1]
            weiter = 1.0 - sp.enden[t]
            delta = sp.loehne[t] + self.ein.gamma * naechster * weiter - sp.werte[t]
            gae = delta + self.ein.gamma * self.ein.lam * weiter * gae
            vorteil[t] = gae
        return vorteil, vorteil + np.array(sp.werte, dtype=np.float32)

    @gemessen("learn.ppo")
    def lerne(self, sp, vorteil, ziel):
        sicht = torch.as_tensor(np.stack(sp.sicht))
        masken = torch.as_tensor(np.stack(sp.masken))
        aktionen = torch.as_tensor(sp.aktionen)
        alteLog = torch.as_tensor(sp.logWahr)
        vorteil = torch.as_tensor(vorteil)
        vorteil = (vorteil - vorteil.mean()) / (vorteil.std() + 1e-8)
        ziel = torch.as_tensor(ziel)
        n = len(sp)
        verlustSumme = 0.0
        for _ in range(self.ein.epochen):
            reihenfolge = torch.randperm(n)
            for anfang in range(0, n, self.ein.miniBatch):
                idx = reihenfolge[anfang:anfang + self.ein.miniBatch]
                verteilung, wert = self.netz(sicht[idx], masken[idx])
                verhaeltnis = (verteilung.log_prob(aktionen[idx]) - alteLog[idx]).exp()
                geklippt = verhaeltnis.clamp(1 - self.ein.clipBereich, 1 + self.ein.clipBereich)
                politik = -torch.min(verhaeltnis * vorteil[idx], geklippt * vorteil[idx]).mean()
                wertVerlust = (wert - ziel[idx]).pow(2).mean()
                verlust = politik + self.ein.wertGewicht * wertVerlust - self.ein.entropieGewicht * verteilung.entropy().mean()
                self.optimierer.zero_grad()
                verlust.backward()
                nn.utils.clip_grad_norm_(self.netz.parameters(), 0.5)
                self.optimierer.step()
                self.schritte += 1
                verlustSumme += verlust.item()
        return verlustSumme
