"""backgammon rules.  A board is (own, opp), both tuples of 26 seen from their OWN side:
   [25] = bar, [24..1] = points, [0] = borne off.   after each ply we flip, so the mover is always 'own'."""
import numpy as np

START = (0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0)


def start():
    return (START, START)


def flip(b):
    return (b[1], b[0])


def roll(rng):
    a, c = rng.integers(1, 7, size=2)
    return int(a), int(c)


def can_bear_off(own):
    return sum(own[7:]) == 0


def one(b, d):
    """all boards after moving one checker d pips"""
    own, opp = b
    res = []
    srcs = [25] if own[25] else [s for s in range(24, 0, -1) if own[s]]
    home = can_bear_off(own)
    for s in srcs:
        t = s - d
        if t > 0:
            if opp[25 - t] >= 2:
                continue
            o, x = list(own), list(opp)
            o[s] -= 1
            o[t] += 1
            if x[25 - t] == 1:      # hit
                x[25 - t] = 0
                x[25] += 1
            res.append((tuple(o), tuple(x)))
        elif home:
            if t < 0 and any(own[s + 1:7]):
                continue
            o = list(own)
            o[s] -= 1
            o[0] += 1
            res.append((tuple(o), opp))
    return res


def rec(b, dice, used, out):
    if not dice:
        out.append((used, b))
        return
    nxt = one(b, dice[0])
    if not nxt:
        out.append((used, b))
        return
    for n in nxt:
        rec(n, dice[1:], used + 1, out)


def plays(b, d1, d2):
    """unique after-boards (not flipped), forced to use as many dice as possible"""
    out = []
    if d1 == d2:
        rec(b, [d1] * 4, 0, out)
    else:
        rec(b, [d1, d2], 0, out)
        rec(b, [d2, d1], 0, out)
    mx = max(u for u, _ in out)
    seen = []
    s = set()
    for u, n in out:
        if u == mx and n not in s:
            s.add(n)
            seen.append(n)
    return seen


def pips(side):
    return sum(i * side[i] for i in range(1, 26))


def contact(b):
    own, opp = b
    back = max([i for i in range(26) if own[i]] or [0])
    oback = max([i for i in range(26) if opp[i]] or [0])
    return back + oback > 25


class Match:
    """keeps the actual game: board, dice, score sheet"""

    def __init__(self, rng):
        self.rng = rng
        self.new()

    def new(self):
        self.b = start()
        self.ply = 0
        self.sheet = []
        self.dice = roll(self.rng)
        while self.dice[0] == self.dice[1]:
            self.dice = roll(self.rng)
        self.side = int(self.rng.integers(2))

    def commit(self, after):
        """mover chose this after-board. True when he has won"""
        own, opp = after
        if sum(own) != 15 or sum(opp) != 15:
            raise RuntimeError("lost a checker: %r" % (after,))
        self.sheet.append((self.side, self.dice, pips(own), pips(opp), contact(after)))
        self.ply += 1
        if own[0] == 15:
            return True
        self.b = flip(after)
        self.side ^= 1
        self.dice = roll(self.rng)
        return False


def enc_side(s):
    f = []
    for i in range(1, 25):
        n = s[i]
        f.append(1.0 if n >= 1 else 0.0)
        f.append(1.0 if n >= 2 else 0.0)
        f.append(1.0 if n >= 3 else 0.0)
        f.append((n - 3) / 2.0 if n > 3 else 0.0)
    f.append(s[25] / 2.0)
    f.append(s[0] / 15.0)
    return f


def enc(b):
    """Tesauro's inputs, without the turn bits (mover is always own): 196 numbers"""
    return np.array(enc_side(b[0]) + enc_side(b[1]), dtype=np.float64)
