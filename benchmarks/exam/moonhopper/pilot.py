"""The brain and what a pool worker does with it."""
import os
import time

import numpy as np
import torch
import torch.nn as nn

from moon import Moon, N_OBS, N_ACT

STAGES = ["env.reset", "env.observe", "act", "env.step", "other"]
RESET, OBSERVE, ACT, STEP, OTHER = range(5)


class Pilot(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(N_OBS, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(),
                                 nn.Linear(hidden, N_ACT))

    def forward(self, x):
        return self.net(x)


def flat(model):
    return torch.nn.utils.parameters_to_vector(model.parameters()).detach().numpy().copy()


def unflat(model, vec):
    torch.nn.utils.vector_to_parameters(torch.from_numpy(vec), model.parameters())


# one per worker process, filled by boot()
_moon = None
_pilot = None


def boot():
    global _moon, _pilot
    torch.set_num_threads(1)
    _moon = Moon()
    _pilot = Pilot()


def fly(job):
    """one candidate, one flight. job = (index, mean weights, sigma, noise seed, level seed)"""
    pc = time.perf_counter
    t_in = pc()
    index, mean, sigma, noise_seed, level = job
    rng = np.random.default_rng(noise_seed)
    vec = mean + sigma * rng.standard_normal(len(mean)).astype(np.float32)
    unflat(_pilot, vec)
    spans = [(OTHER, t_in, pc())]
    t0 = spans[-1][2]
    _moon.reset(level)
    t1 = pc()
    spans.append((RESET, t0, t1))
    total, done = 0.0, False
    seen, did = [], []
    while not done:
        x = _moon.look()
        t2 = pc()
        with torch.no_grad():
            logits = _pilot(torch.tensor(x, dtype=torch.float32))
            p = torch.softmax(logits, 0).numpy().astype(np.float64)
        a = int(rng.choice(N_ACT, p=p / p.sum()))
        t3 = pc()
        r, done = _moon.step(a)
        total += r
        seen.append(x)
        did.append(a)
        t4 = pc()
        spans.append((OBSERVE, t1, t2))
        spans.append((ACT, t2, t3))
        spans.append((STEP, t3, t4))
        t1 = t4
    seen = np.array(seen, np.float32)
    did = np.array(did, np.int64)
    landed = total > 0 and all(_moon.legs)
    spans.append((OTHER, t1, pc()))
    return index, total, landed, seen, did, os.getpid(), np.array(spans)
