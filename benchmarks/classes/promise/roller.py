import random, time
import numpy as np
import torch
from torch import nn
torch.set_num_threads(1)
HORIZON = 256
now = time.perf_counter


class Lander:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.reset()

    def reset(self):
        self.px, self.py, self.vx, self.vy, self.a = self.r.uniform(-1, 1), 2.0, self.r.uniform(-.3, .3), 0.0, 0.0
        self.ground = [self.r.uniform(0, .3) for _ in range(48)]
        self.n = 0
        return self._o()

    def _o(self):
        return np.array([self.px, self.py, self.vx, self.vy, self.a, *self.ground[::6]], np.float32)

    def step(self, u):
        for _ in range(18):
            thrust = (0.0, .9, .5, .5)[u]
            self.vy += (thrust - .5) * .01
            self.vx += ((u == 2) - (u == 3)) * .003
            self.px += self.vx * .01; self.py += self.vy * .01
            low = min(self.ground[i] + abs(self.px - (i - 24) / 12) for i in range(48))
            if self.py < low:
                ok = abs(self.vy) < .4
                return self._o(), 1.0 if ok else -1.0, True, {}
        self.n += 1
        return self._o(), -abs(self.px) * .01, self.n >= 150, {}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(13, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.p, self.v = nn.Linear(64, 4), nn.Linear(64, 1)

    def forward(self, x):
        h = self.f(x)
        return self.p(h), self.v(h).squeeze(-1)


def make_model():
    return Net()


_env = {}


def roll(weights, seed):
    begin = now()
    model = make_model()
    model.load_state_dict({k: torch.from_numpy(v) for k, v in weights.items()})
    if seed not in _env:
        _env[seed] = Lander(seed)
    env = _env[seed]
    secs = {"act": 0.0, "env.step": 0.0, "env.reset": 0.0}
    keep = {k: [] for k in ("obs", "act", "rew", "val", "done", "logp")}
    t = now(); o = env.reset(); secs["env.reset"] += now() - t
    for _ in range(HORIZON):
        t = now()
        with torch.no_grad():
            p, v = model(torch.from_numpy(o))
            d = torch.distributions.Categorical(logits=p)
            u = d.sample()
        lp, u = d.log_prob(u).item(), u.item()
        secs["act"] += now() - t
        t = now(); o2, r, done, _ = env.step(u); secs["env.step"] += now() - t
        for k, x in zip(keep, (o, u, r, float(v), float(done), lp)):
            keep[k].append(x)
        o = o2
        if done:
            t = now(); o = env.reset(); secs["env.reset"] += now() - t
    with torch.no_grad():
        last = float(model(torch.from_numpy(o))[1])
    out = {k: np.array(x, dtype=np.int64 if k == "act" else np.float32) for k, x in keep.items()}
    secs["whole"] = now() - begin
    return {**out, "last": last, "seed": seed, "secs": secs}
