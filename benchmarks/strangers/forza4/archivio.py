"""Archivio delle partite giocate (le ultime N)."""
import random
from collections import deque
import numpy as np
from tempi import T


class Archivio:
    def __init__(self, massimo=400):
        self.partite = deque(maxlen=massimo)

    def metti(self, storia, esito):
        """storia: lista di (piani, pi, turno); si salva anche lo specchio"""
        t0 = T.via()
        posizioni = []
        for piani, pi, turno in storia:
            z = float(esito * turno)
            posizioni.append((piani, pi, z))
            posizioni.append((piani[:, :, ::-1].copy(), pi[::-1].copy(), z))
        self.partite.append(posizioni)
        T.stop("replay.add", t0)

    def mazzo(self, quante):
        t0 = T.via()
        scelte = [random.choice(random.choice(self.partite)) for _ in range(quante)]
        piani = np.stack([s[0] for s in scelte])
        pi = np.stack([s[1] for s in scelte])
        z = np.array([s[2] for s in scelte], dtype=np.float32)
        T.stop("replay.sample", t0)
        return piani, pi, z

    def __len__(self):
        return len(self.partite)
