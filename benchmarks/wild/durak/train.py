import json
import os
import time

import numpy as np
import torch
from torch import nn

import chasy
from igra import Durak, VSEGO_HODOV
from vzglyad import DLINA, maska, posmotret

torch.set_num_threads(1)
torch.manual_seed(36)


class Golova(nn.Module):
    def __init__(self):
        super().__init__()
        self.telo = nn.Sequential(nn.Linear(DLINA, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU())
        self.hod = nn.Linear(64, VSEGO_HODOV)
        self.ocenka = nn.Linear(64, 1)

    def forward(self, x, m):
        h = self.telo(x)
        return self.hod(h).masked_fill(~m, -1e9), self.ocenka(h).squeeze(-1)


class Uchenik:
    def __init__(self):
        self.golova = Golova()
        self.shag = torch.optim.Adam(self.golova.parameters(), lr=7e-4)
        self.pamyat = []
        self.urokov = 0

    def vybrat(self, vid, m):
        with torch.inference_mode():
            ocenki, _ = self.golova(torch.from_numpy(vid)[None], torch.from_numpy(m)[None])
            veroyatnosti = torch.softmax(ocenki[0], 0)
            return int(torch.multinomial(veroyatnosti, 1))

    def zapomnit(self, partiya_shagi):
        itogo, vozvraty = 0.0, []
        for *_, nagrada in reversed(partiya_shagi):
            itogo = nagrada + 0.98 * itogo
            vozvraty.append(itogo)
        for (vid, m, hod, _), g in zip(partiya_shagi, reversed(vozvraty)):
            self.pamyat.append((vid, m, hod, g))

    def urok(self):
        vidy, m, hody, g = (np.array(x) for x in zip(*self.pamyat))
        self.pamyat = []
        vidy, m, hody = torch.from_numpy(vidy), torch.from_numpy(m), torch.from_numpy(hody)
        g = torch.tensor(g, dtype=torch.float32)
        logity, ocenka = self.golova(vidy, m)
        rasp = torch.distributions.Categorical(logits=logity)
        preim = g - ocenka.detach()
        preim = (preim - preim.mean()) / (preim.std() + 1e-6)
        poterya = -(rasp.log_prob(hody) * preim).mean() + 0.5 * (ocenka - g).pow(2).mean() - 0.01 * rasp.entropy().mean()
        self.shag.zero_grad()
        poterya.backward()
        nn.utils.clip_grad_norm_(self.golova.parameters(), 1.0)
        self.shag.step()
        self.urokov += 1
        return poterya.item()


igra = Durak(2024)
uchenik = Uchenik()
shagov = partij = 0
itogi, poterya = [], float("nan")
predel = float(os.environ.get("WILD_SECONDS", 20))
chasy.pusk()
konec_vremeni = time.time() + predel

while time.time() < konec_vremeni:
    chasy.nachat("razdacha")
    igra.razdat()
    chasy.konchit()
    shagi = []
    konec = igra.partiya["itog"] is not None
    while not konec:
        chasy.nachat("vzglyad")
        vid = posmotret(igra.partiya)
        chasy.konchit()
        chasy.nachat("maska")
        m = maska(igra.mozhno("ya"))
        chasy.konchit()
        chasy.nachat("vybor")
        hod = uchenik.vybrat(vid, m)
        chasy.konchit()
        chasy.nachat("hod")
        nagrada, konec = igra.shodit(hod)
        chasy.konchit()
        shagi.append((vid, m, hod, nagrada))
        shagov += 1
    chasy.nachat("vozvraty")
    uchenik.zapomnit(shagi)
    chasy.konchit()
    partij += 1
    itogi.append(igra.partiya["itog"] == "ya")
    if partij % 10 == 0:
        chasy.nachat("urok")
        poterya = uchenik.urok()
        chasy.konchit()
    if partij % 100 == 0:
        chasy.nachat("pechat")
        print(f"partij {partij}, hodov {shagov}, pobed {np.mean(itogi[-200:]):.2f}, poterya {poterya:.3f}", flush=True)
        chasy.konchit()

vsego = chasy.stop()
imena = {"razdacha": "env.reset", "vzglyad": "env.observe", "maska": "env.mask", "vybor": "act", "hod": "env.step+env.reward",
         "sosed": "env.opponent", "vozvraty": "learn.returns", "urok": "learn.*", "pechat": "log", "ostalnoe": "other"}
put = os.environ.get("WILD_TRUTH")
if put:
    with open(put, "w") as f:
        json.dump({"wall_seconds": vsego / 1e9, "stages": {imena[k]: v / 1e9 for k, v in chasy.summa.items()}, "env_steps": shagov,
                   "episodes": partij, "updates": uchenik.urokov,
                   "note": "env.observe = vzglyad.posmotret (nested dict to vector); env.step+env.reward = Durak.shodit less "
                           "Durak.hod_soseda (env.opponent: only its choice; the rules applied for its card are env.step; its choices "
                           "during dealing are env.opponent too); env.reset = razdat; learn.returns = Uchenik.zapomnit (returns and "
                           "storing the episode); learn.* = urok incl. stacking the arrays."}, f, indent=1)
