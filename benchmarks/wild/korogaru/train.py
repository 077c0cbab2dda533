import os
import random
import time

import numpy as np
import torch

from atama import Atama, Omoide
from sekai import Sekai
from tokei import tokei

torch.set_num_threads(1)
random.seed(8)
np.random.seed(8)
torch.manual_seed(8)


def hyouka(atama, kaisuu=2):
    tokei.kaeru(9)
    tokei.tomaru = True
    ten = 0.0
    for n in range(kaisuu):
        sekai = Sekai(1000 + n)
        k, owari = sekai.hajimeru(), False
        while not owari:
            k, h, owari = sekai.ugokasu(atama.erabu(k, mayowazu=True))
            ten += h
    tokei.tomaru = False
    tokei.kaeru(0)
    return ten / kaisuu


def renshuu():
    jikan = float(os.environ.get("WILD_SECONDS", 20))
    sekai = Sekai(8)
    atama = Atama(Sekai.kansatsu_no_kazu, Sekai.ugoki_no_kazu)
    omoide = Omoide(50000, Sekai.kansatsu_no_kazu, Sekai.ugoki_no_kazu)
    ho = kai = 0
    tensuu, son = [], 0.0
    tokei.hajime()
    shimekiri = time.perf_counter() + jikan
    while time.perf_counter() < shimekiri:
        k, owari, ten = sekai.hajimeru(), False, 0.0
        while not owari:
            tokei.kaeru(5)
            u = atama.erabu(k) if ho > 500 else np.random.uniform(-1, 1, 2).astype(np.float32)
            tokei.kaeru(0)
            tsugi, h, owari = sekai.ugokasu(u)
            tokei.kaeru(6)
            omoide.oboeru(k, u, h, tsugi, float(owari and sekai.jikan < 120))
            tokei.kaeru(0)
            k = tsugi
            ho += 1
            ten += h
            if ho > 500 and ho % 2 == 0:
                tokei.kaeru(7)
                batch = omoide.omoidasu(128)
                tokei.kaeru(8)
                son = atama.manabu(*batch)
                tokei.kaeru(0)
        kai += 1
        tensuu.append(ten)
        if kai % 8 == 0:
            shiken = hyouka(atama)
            tokei.kaeru(10)
            print(f"kai {kai:3d} ho {ho:5d} ten {np.mean(tensuu[-8:]):6.2f} shiken {shiken:6.2f} son {son:.3f} ondo {atama.log_ondo.exp().item():.3f}")
            tokei.kaeru(0)
    zenbu, wake = tokei.kaku(ho, kai, atama.manabi, atama.kousin)
    print(f"{zenbu:.1f}", {n: f"{100 * v / zenbu:.1f}%" for n, v in wake.items()})


if __name__ == "__main__":
    renshuu()
