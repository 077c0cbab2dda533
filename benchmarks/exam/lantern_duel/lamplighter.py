from cards import CARDS, COST, LANES


class Lamplighter:
    """greedy opponent: tries out every card in every lane, looks at the next exchange of blows"""

    def __init__(self, rng):
        self.rng = rng

    def have_a_go(self, t):
        for _ in range(5):
            best, what = self.worth(t.lanes[1], t.lanes[0], t.life[1]) - 0.3, None
            for slot, c in enumerate(t.hand[1]):
                if COST[c] > t.oil[1]:
                    continue
                for lane in range(LANES):
                    if t.lanes[1][lane] is not None:
                        continue
                    mine = [None if u is None else u[:] for u in t.lanes[1]]
                    his = [None if u is None else u[:] for u in t.lanes[0]]
                    _, _, a, hp, trick = CARDS[c]
                    mine[lane] = [c, a, hp, trick != "rush"]
                    if trick == "burn" and his[lane] is not None:
                        his[lane][2] -= 2
                        if his[lane][2] <= 0:
                            his[lane] = None
                    w = self.worth(mine, his, t.life[1]) + self.dream(mine, his) + self.rng.random() * 0.8
                    if w > best:
                        best, what = w, (slot, lane)
            if what is None:
                return
            t.put(1, *what)

    def dream(self, mine, his):
        """three nights of blows if nobody played another card"""
        hurt = 0.0
        for night in range(3):
            for who, a, b in ((1, mine, his), (-1, his, mine)):
                for l in range(LANES):
                    u, v = a[l], b[l]
                    if u is None:
                        continue
                    if v is None:
                        hurt += who * u[1] * (1.0 - 0.25 * night)
                        continue
                    v[2] -= u[1]
                    u[2] -= max(1, v[1] // 2)
                    if v[2] <= 0:
                        b[l] = None
                    if u[2] <= 0:
                        a[l] = None
        return 0.4 * hurt

    def worth(self, mine, his, life):
        w = 0.0
        for l in range(LANES):
            u, v = mine[l], his[l]
            if u is not None:
                w += u[1] + 0.7 * u[2]
                if v is None:
                    w += 1.5 * u[1]
                elif u[1] >= v[2]:
                    w += 2.0 + v[1]
            if v is not None:
                w -= v[1] + 0.7 * v[2]
                if u is None:
                    w -= (2.5 if life < 8 else 1.2) * v[1]
                elif v[1] >= u[2]:
                    w -= 1.0
        return w
