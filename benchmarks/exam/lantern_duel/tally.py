from cards import LANES


class Tally:
    """points for the student. difference of 'how well do I stand' + win bonus"""

    def __init__(self):
        self.before = 0.0

    def standing(self, t):
        w = 0.06 * (t.life[0] - t.life[1])
        for s, sign in ((0, 1.0), (1, -1.0)):
            for l in range(LANES):
                u = t.lanes[s][l]
                if u is not None:
                    w += sign * (0.015 * u[1] + 0.01 * u[2])
                    if t.lanes[1 - s][l] is None:
                        w += sign * 0.01
        return w

    def begin(self, t):
        self.before = self.standing(t)

    def points(self, t, wasted):
        now = self.standing(t)
        p = now - self.before - 0.02 * wasted
        self.before = now
        if t.loser is not None:
            p += 1.0 if t.loser == 1 else -1.0
        return p
