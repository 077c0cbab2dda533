# nou = brain
import numpy as np
import torch
import torch.nn as nn
from tokei import tokei


class Me:
    """eyes: RGB -> gray -> half size -> 4 frames kasaneru"""

    def __init__(self, n=4):
        self.n = n
        self.kasane = np.zeros((n, 72, 80), np.float32)

    def shori(self, e):
        g = (e.astype(np.float32) @ np.array([0.299, 0.587, 0.114], np.float32)) / 255.0
        return (g[::2, ::2] + g[1::2, ::2] + g[::2, 1::2] + g[1::2, 1::2]) / 4

    def hajime(self, e):
        tokei.osu("env.observe")
        g = self.shori(e)
        for i in range(self.n):
            self.kasane[i] = g
        o = self.kasane.copy()
        tokei.hanasu()
        return o

    def miru(self, e):
        tokei.osu("env.observe")
        self.kasane = np.roll(self.kasane, -1, axis=0)
        self.kasane[-1] = self.shori(e)
        o = self.kasane.copy()
        tokei.hanasu()
        return o


class Nou(nn.Module):
    def __init__(self, kazu):
        super().__init__()
        self.mekara = nn.Sequential(
            nn.Conv2d(4, 16, 8, 4), nn.ReLU(),
            nn.Conv2d(16, 32, 4, 2), nn.ReLU(), nn.Flatten(),
            nn.Linear(32 * 7 * 8, 128), nn.ReLU())
        self.te = nn.Linear(128, kazu)      # hand: policy
        self.kokoro = nn.Linear(128, 1)     # heart: value
        nn.init.orthogonal_(self.te.weight, 0.01)

    def houshin(self, x):
        return torch.distributions.Categorical(logits=self.te(self.mekara(x)))

    def kachi(self, x):
        return self.kokoro(self.mekara(x)).squeeze(-1)


class Sensei:
    """teacher: PPO"""

    def __init__(self, nou, lr=3e-4, eps=0.2, mawasu=3, mini=64):
        self.nou, self.eps, self.mawasu, self.mini = nou, eps, mawasu, mini
        self.opt = torch.optim.Adam(nou.parameters(), lr=lr)
        self.kaisuu = 0

    def erabu(self, obs):
        tokei.osu("act")
        with torch.no_grad():
            d = self.nou.houshin(torch.from_numpy(np.array(obs)))
            a = d.sample()
            lp = d.log_prob(a)
        tokei.hanasu()
        return a.numpy(), lp.numpy()

    def hyouka(self, obs):
        tokei.osu("act.value")
        with torch.no_grad():
            v = self.nou.kachi(torch.from_numpy(np.array(obs))).numpy()
        tokei.hanasu()
        return v

    def keisan(self, r, d, v, saigo, gamma=0.99, lam=0.95):
        tokei.osu("learn.returns")
        T, N = len(r), len(r[0])
        adv = np.zeros((T, N), np.float32)
        for n in range(N):
            g = 0.0
            for t in reversed(range(T)):
                tsugi = saigo[n] if t == T - 1 else v[t + 1][n]
                ikiru = 1.0 - d[t][n]
                delta = r[t][n] + gamma * tsugi * ikiru - v[t][n]
                g = delta + gamma * lam * ikiru * g
                adv[t, n] = g
        ret = adv + np.array(v, np.float32)
        tokei.hanasu()
        return adv, ret

    def oshieru(self, o, a, lp, adv, ret):
        tokei.osu("learn.update")
        o = torch.tensor(np.array(o)).flatten(0, 1)
        a, lp = torch.tensor(np.array(a)).flatten(), torch.tensor(np.array(lp)).flatten()
        adv, ret = torch.tensor(adv).flatten(), torch.tensor(ret).flatten()
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        for _ in range(self.mawasu):
            for i in torch.randperm(len(a)).split(self.mini):
                d = self.nou.houshin(o[i])
                hi = (d.log_prob(a[i]) - lp[i]).exp()
                l1 = -torch.min(hi * adv[i], hi.clamp(1 - self.eps, 1 + self.eps) * adv[i]).mean()
                l2 = (self.nou.kachi(o[i]) - ret[i]).pow(2).mean()
                loss = l1 + 0.5 * l2 - 0.01 * d.entropy().mean()
                self.opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.nou.parameters(), 0.5)
                self.opt.step()
                self.kaisuu += 1
        tokei.hanasu()
        return loss.item()
