"""Der Computergegner: laeuft auf kuerzestem Weg zum naechsten Feind und haut drauf."""
from collections import deque

from brett import nachbar, abstand


def weg_zum_feind(p, e):
    """Breitensuche; gibt die erste Richtung oder None zurueck."""
    feinde = {(f.x, f.y) for f in p.truppe(1 - e.partei)}
    eigene = {(f.x, f.y) for f in p.truppe(e.partei)}
    gesehen = {(e.x, e.y)}
    schlange = deque()
    for r in range(6):
        n = nachbar(e.x, e.y, r)
        if n in feinde:
            return r
        if p.brett.begehbar(*n) and n not in eigene:
            gesehen.add(n)
            schlange.append((n, r))
    while schlange:
        (x, y), erste = schlange.popleft()
        for r in range(6):
            n = nachbar(x, y, r)
            if n in feinde:
                return erste
            if n in gesehen or n in eigene or not p.brett.begehbar(*n):
                continue
            gesehen.add(n)
            schlange.append((n, erste))
    return None


def spiele_zug(p):
    for e in p.truppe(1):
        while e.lebt and e.punkte > 0:
            if not p.truppe(0):
                return
            ziel = p.ziel_fuer_schuss(e)
            if ziel is not None:
                p.kampf(e, ziel)
                continue
            if p.zufall.random() < 0.1:      # manchmal pennt er
                break
            r = weg_zum_feind(p, e)
            if r is None:
                break
            p.bewege(e, r)
