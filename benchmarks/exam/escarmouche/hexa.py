"""Géométrie hexagonale, coordonnées axiales (q, r)."""
from collections import deque
from reglages import LARGEUR, HAUTEUR

DIRECTIONS = [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)]
def vers_axial(colonne, ligne):
    return colonne - (ligne - (ligne & 1)) // 2, ligne
def vers_grille(q, r):
    return q + (r - (r & 1)) // 2, r

CASES = [vers_axial(c, l) for l in range(HAUTEUR) for c in range(LARGEUR)]
ENSEMBLE_CASES = set(CASES)
def voisins(case):
    for dq, dr in DIRECTIONS:
        v = (case[0] + dq, case[1] + dr)
        if v in ENSEMBLE_CASES:
            yield v
def distance(a, b):
    return (abs(a[0] - b[0]) + abs(a[0] + a[1] - b[0] - b[1]) + abs(a[1] - b[1])) // 2
def arrondi(q, r):
    s = -q - r
    rq, rr, rs = round(q), round(r), round(s)
    dq, dr, ds = abs(rq - q), abs(rr - r), abs(rs - s)
    if dq > dr and dq > ds:
        rq = -rr - rs
    elif dr > ds:
        rr = -rq - rs
    return rq, rr
def ligne(a, b):
    n = distance(a, b)
    if n == 0:
        return [a]
    return [arrondi(a[0] + (b[0] - a[0]) * i / n + 1e-6, a[1] + (b[1] - a[1]) * i / n + 1e-6)
            for i in range(n + 1)]
def parcours(depart, bloque):
    """Distances en pas depuis une case, sans traverser ce qui bloque."""
    dist = {depart: 0}
    file = deque([depart])
    while file:
        c = file.popleft()
        for v in voisins(c):
            if v not in dist and not bloque(v):
                dist[v] = dist[c] + 1
                file.append(v)
    return dist
