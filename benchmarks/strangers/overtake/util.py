import numpy as np


def ema(old, new, k=0.95):
    return new if old is None else old * k + new * (1 - k)


def bar(frac, width=20):
    n = int(frac * width)
    return "#" * n + "." * (width - n)


def discount(rewards, dones, bootstrap, gamma):
    """rewards, dones: lists of arrays [T][N]"""
    out = np.zeros((len(rewards), len(bootstrap)), np.float32)
    run = np.array(bootstrap, np.float32)
    for t in range(len(rewards) - 1, -1, -1):
        run = rewards[t] + gamma * run * (1.0 - dones[t])
        out[t] = run
    return out
