import random
from collections import deque
import numpy as np
import torch

class Memoria:
    def __init__(self, capienza=60000):
        self.ricordi = deque(maxlen=capienza)

    def metti(self, *ricordo):
        self.ricordi.append(ricordo)

    def pesca(self, n):
        o, a, r, o2, fine, v, v2 = zip(*random.sample(self.ricordi, n))
        return (torch.tensor(np.array(o)), torch.tensor(a), torch.tensor(r, dtype=torch.float32),
                torch.tensor(np.array(o2)), torch.tensor(fine, dtype=torch.float32),
                torch.tensor(np.array(v)), torch.tensor(np.array(v2)))

    def __len__(self):
        return len(self.ricordi)
