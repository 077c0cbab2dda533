"""the one who goes down there (C51, dueling-ish)"""
import copy

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from hourglass import glass

V_LO, V_HI, ATOMS = -6.0, 14.0, 21


class Skull(nn.Module):
    def __init__(self, planes, deeds):
        super().__init__()
        self.deeds = deeds
        self.c1 = nn.Conv2d(planes, 24, 3)
        self.c2 = nn.Conv2d(24, 32, 3, stride=2)
        self.f = nn.Linear(32 * 9, 96)
        self.worth = nn.Linear(96, ATOMS)
        self.edge = nn.Linear(96, ATOMS * deeds)

    def forward(self, o):
        h = o.float().mul_(1 / 255)
        h = F.relu(self.c1(h))
        h = F.relu(self.c2(h)).flatten(1)
        h = F.relu(self.f(h))
        e = self.edge(h).view(-1, self.deeds, ATOMS)
        return self.worth(h).unsqueeze(1) + e - e.mean(1, keepdim=True)


class Delver:
    def __init__(self, planes, deeds, lr=4e-4, every=150, batch=32):
        self.skull = Skull(planes, deeds)
        self.old_skull = copy.deepcopy(self.skull)
        for p in self.old_skull.parameters():
            p.requires_grad_(False)
        self.opt = torch.optim.Adam(self.skull.parameters(), lr=lr, eps=1.5e-4)
        self.z = torch.linspace(V_LO, V_HI, ATOMS)
        self.dz = (V_HI - V_LO) / (ATOMS - 1)
        self.rng = np.random.default_rng(3)
        self.batch, self.every = batch, every
        self.lessons = 0

    @torch.no_grad()
    def decide(self, o, can, eps):
        if self.rng.random() < eps:
            return int(self.rng.choice(np.flatnonzero(can)))
        q = (self.skull(torch.from_numpy(o).unsqueeze(0)).softmax(-1) * self.z).sum(-1)[0]
        q[~torch.from_numpy(can)] = -1e9
        return int(q.argmax())

    def ponder(self, satchel):
        glass.into("replay.sample")
        o, a, r, o2, can2, disc = (torch.from_numpy(v) for v in satchel.handful(self.batch))
        glass.out()
        glass.into("learn")
        B = self.batch
        rows = torch.arange(B)
        with torch.no_grad():
            q2 = (self.skull(o2).softmax(-1) * self.z).sum(-1)
            q2[~can2] = -1e9
            p2 = self.old_skull(o2)[rows, q2.argmax(1)].softmax(-1)
            tz = (r[:, None] + disc[:, None] * self.z[None]).clamp(V_LO, V_HI)
            b = (tz - V_LO) / self.dz
            lo, hi = b.floor().long(), b.ceil().long()
            same = (lo == hi).float()
            m = torch.zeros(B, ATOMS)
            m.scatter_add_(1, lo, p2 * (hi.float() - b + same))
            m.scatter_add_(1, hi, p2 * (b - lo.float()))
        logp = self.skull(o)[rows, a].log_softmax(-1)
        loss = -(m * logp).sum(1).mean()
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.skull.parameters(), 10.0)
        self.opt.step()
        self.lessons += 1
        if self.lessons % self.every == 0:
            self.old_skull.load_state_dict(self.skull.state_dict())
        val = loss.item()
        glass.out()
        return val
