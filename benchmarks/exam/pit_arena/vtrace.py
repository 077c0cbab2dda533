import numpy as np


def vtrace(rew, values, log_rhos, gamma, rho_bar=1.0, c_bar=1.0, lam=0.95):
    """One whole episode (ends terminal, so bootstrap 0). numpy, backwards."""
    rhos = np.minimum(rho_bar, np.exp(log_rhos))
    cs = lam * np.minimum(c_bar, np.exp(log_rhos))
    n = len(rew)
    nxt = np.append(values[1:], 0.0)
    delta = rhos * (rew + gamma * nxt - values)
    vs = np.empty(n, np.float32)
    acc = 0.0
    for t in range(n - 1, -1, -1):
        acc = delta[t] + gamma * cs[t] * acc
        vs[t] = values[t] + acc
    vs_next = np.append(vs[1:], 0.0)
    adv = rhos * (rew + gamma * vs_next - values)
    return vs, adv.astype(np.float32)
