import numpy as np
from collections import deque
from chasy import zamer
class Pamyat:
    """n-shagovaya pamyat s prioritetami"""
    def __init__(self, razmer=20000, n=5, gamma=0.98, alfa=0.6):
        self.razmer, self.n, self.gamma, self.alfa = razmer, n, gamma, alfa
        self.opyt = []
        self.ves = []
        self.mesto = 0
        self.hvost = deque()
    @zamer('replay.add')
    def dobavit(self, s, a, r, s2, maska2, konec):
        self.hvost.append((s, a, r))
        if len(self.hvost) == self.n:
            self._sbrosit(s2, maska2, konec)
        while konec and self.hvost:
            self._sbrosit(s2, maska2, konec)
    def _sbrosit(self, s2, maska2, konec):
        summa = 0.0
        for i, (_, _, r) in enumerate(self.hvost):
            summa += self.gamma ** i * r
        m = len(self.hvost)
        s, a, _ = self.hvost.popleft()
        zapis = (s, a, summa, s2, maska2, konec, self.gamma ** m)
        ves = max(self.ves) if self.ves else 1.0
        if len(self.opyt) < self.razmer:
            self.opyt.append(zapis)
            self.ves.append(ves)
        else:
            self.opyt[self.mesto] = zapis
            self.ves[self.mesto] = ves
            self.mesto = (self.mesto + 1) % self.razmer
    @zamer('replay.sample')
    def vybrat(self, skolko, beta=0.5):
        p = np.array(self.ves) ** self.alfa
        p /= p.sum()
        nomera = np.random.choice(len(self.opyt), skolko, p=p)
        w = (len(self.opyt) * p[nomera]) ** -beta
        w /= w.max()
        kuski = list(zip(*[self.opyt[i] for i in nomera]))
        return nomera, w.astype(np.float32), [np.array(k) for k in kuski]
    @zamer('replay.update')
    def obnovit(self, nomera, oshibki):
        for i, o in zip(nomera, oshibki):
            self.ves[i] = abs(float(o)) + 1e-3
