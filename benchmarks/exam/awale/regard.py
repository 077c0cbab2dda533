import numpy as np

CASES = 13
TAILLE = 12 * CASES + 2


def voir(p):
    """Le plateau vu du joueur au trait, en petits drapeaux."""
    v = np.zeros(TAILLE, dtype=np.float32)
    decal = 6 * p.trait
    for k in range(12):
        g = p.maisons[(k + decal) % 12]
        v[k * CASES + min(g, CASES - 1)] = 1.0
    v[-2] = p.greniers[p.trait] / 24.0
    v[-1] = p.greniers[1 - p.trait] / 24.0
    return v


def masque(p):
    m = np.zeros(6, dtype=bool)
    if not p.fini:
        m[p.coupsPermis()] = True
    return m
