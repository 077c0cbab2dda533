import numpy as np

from konbini import SLOTS


class KansokuBuilder:
    """makes the numpy observation of a shop"""
    PER = 12
    DIM = 10 + SLOTS * PER

    def build(self, mise):
        v = np.zeros(self.DIM, dtype=np.float32)
        v[mise.jikan] = 1.0
        v[3] = mise.tick_no / mise.TSUGI
        v[4] = np.clip(mise.okane / 10000, -1, 3)
        v[5] = mise.basho() / mise.TANA_MAX
        v[6] = mise.level.shurui / SLOTS
        v[7] = mise.level.rival
        v[8] = len(mise.kuru) / 5
        v[9] = 1.0
        for k, t in enumerate(mise.tana):
            v[10 + k * self.PER: 10 + (k + 1) * self.PER] = self.hitotsu(mise, k, t)
        return v

    def hitotsu(self, mise, k, t):
        furui = [b.nokori for b in t.batches if b.kosuu > 0]
        kuru = sum(n for _, kk, n in mise.kuru if kk == k)
        ureta = np.array([kyou[k] for kyou in mise.kinou], dtype=np.float32)
        return np.array([
            t.zaiko / 20,
            sum(b.kosuu for b in t.batches if b.nokori <= 3) / 10,
            (min(furui) if furui else 0) / t.shouhin.kigen,
            kuru / 20,
            float(t.nebiki),
            mise.rival.nedan[k] / t.shouhin.nedan - 1,
            mise.rival.zaiko[k] / 16,
            ureta.mean() / 8,
            ureta.std() / 8,
            ureta[-1] / 8,
            ureta[-3] / 8,
            t.shouhin.ninki[mise.jikan],
        ], dtype=np.float32)


class Hyouka:
    """reward of one tick"""

    def keisan(self, mise):
        r = mise.uriage - mise.shiharai
        r -= 0.3 * mise.nogashi
        r -= 0.5 * mise.haiki
        # stock is worth something, less when it gets old
        kachi = 0.0
        for t in mise.tana:
            for b in t.batches:
                kachi += b.kosuu * t.shouhin.shiire * min(1.0, b.nokori / 4)
        for _, k, n in mise.kuru:
            kachi += n * mise.katalog[k].shiire
        mae = getattr(mise, "mae_kachi", kachi)
        mise.mae_kachi = kachi
        return (r + 0.9 * (kachi - mae)) / 100


class RewardNormalizer:
    def __init__(self, n_env, gamma=0.98):
        self.gamma = gamma
        self.ret = np.zeros(n_env)
        self.mean, self.var, self.count = 0.0, 1.0, 1e-4

    def __call__(self, rewards, dones):
        """rewards, dones: [T, N]"""
        out = np.zeros_like(rewards)
        for t in range(len(rewards)):
            self.ret = self.ret * self.gamma + rewards[t]
            self._update(self.ret)
            self.ret[dones[t] > 0] = 0
            out[t] = np.clip(rewards[t] / np.sqrt(self.var + 1e-8), -8, 8)
        return out

    def _update(self, x):
        m, v, n = x.mean(), x.var(), len(x)
        d = m - self.mean
        tot = self.count + n
        self.var = (self.var * self.count + v * n + d * d * self.count * n / tot) / tot
        self.mean += d * n / tot
        self.count = tot
