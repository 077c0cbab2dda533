import numpy as np

from cards import CARDS, COST, HAND, LANES, TRICKS

UNIT = len(TRICKS) + 5
SEEN = LANES * 2 * UNIT + HAND * (len(CARDS) + 4) + 14


class Spyglass:
    """turns a table into numbers"""

    def __init__(self):
        self.ident = np.eye(len(CARDS), dtype=np.float32)

    def look(self, t):
        o = np.zeros(SEEN, dtype=np.float32)
        k = 0
        for s in (0, 1):
            for l in range(LANES):
                u = t.lanes[s][l]
                if u is not None:
                    o[k] = 1.0
                    o[k + 1] = u[1] / 7.0
                    o[k + 2] = u[2] / 9.0
                    o[k + 3] = u[3]
                    v = t.lanes[1 - s][l]
                    o[k + 4] = 1.0 if v is not None and v[2] <= u[1] else 0.0
                    o[k + 5 + TRICKS.index(CARDS[u[0]][4])] = 1.0
                k += UNIT
        w = len(CARDS) + 4
        for h, c in enumerate(t.hand[0]):
            b = k + h * w
            o[b:b + len(CARDS)] = self.ident[c]
            o[b + len(CARDS)] = COST[c] / 6.0
            o[b + len(CARDS) + 1] = COST[c] <= t.oil[0]
            o[b + len(CARDS) + 2] = CARDS[c][2] / 7.0
            o[b + len(CARDS) + 3] = CARDS[c][3] / 9.0
        k += HAND * w
        o[k:k + 10] = (t.life[0] / 24, t.life[1] / 24, t.oil[0] / 8, t.cap[0] / 8, t.cap[1] / 8,
                       len(t.hand[0]) / 6, len(t.hand[1]) / 6, len(t.deck[0]) / 28, len(t.deck[1]) / 28, t.night / 40)
        for s in (0, 1):
            o[k + 10 + s] = sum(u[1] for u in t.lanes[s] if u is not None) / 20
            o[k + 12 + s] = sum(u[2] for u in t.lanes[s] if u is not None) / 30
        return o
