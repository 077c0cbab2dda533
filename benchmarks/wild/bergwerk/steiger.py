import torch
from torch import nn
from torch.distributions import Categorical


def schicht(ein, aus, staerke=1.0):
    s = nn.Linear(ein, aus)
    nn.init.orthogonal_(s.weight, staerke)
    nn.init.zeros_(s.bias)
    return s


class Steiger(nn.Module):
    def __init__(self, groesse, aktionen):
        super().__init__()
        self.auge = nn.Sequential(schicht(groesse, 128, 1.4), nn.Tanh(), schicht(128, 96, 1.4), nn.Tanh())
        self.wille = schicht(96, aktionen, 0.01)
        self.urteil = nn.Sequential(schicht(groesse, 128, 1.4), nn.Tanh(), schicht(128, aktionen))

    def policy_for(self, zustand):
        return Categorical(logits=self.wille(self.auge(zustand)))

    def evaluate(self, zustand):
        return self.urteil(zustand)

    def get_action_and_value(self, zustand, aktion=None):
        verteilung = self.policy_for(zustand)
        if aktion is None:
            aktion = verteilung.sample()
        guete = self.evaluate(zustand)
        wert = (verteilung.probs.detach() * guete).sum(-1)
        return aktion, verteilung.log_prob(aktion), verteilung.entropy(), wert, guete
