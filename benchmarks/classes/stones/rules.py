import numpy as np
SIZE = 9
LINES = ((1, 0), (0, 1), (1, 1), (1, -1))


class Position:
    __slots__ = ("stones", "turn", "last", "_won")

    def __init__(self, stones=None, turn=1, last=None):
        self.stones = stones or [0] * (SIZE * SIZE)
        self.turn, self.last = turn, last
        self._won = self._look()

    def open(self):
        return [i for i, s in enumerate(self.stones) if s == 0]

    def after(self, m):
        s = list(self.stones)
        s[m] = self.turn
        return Position(s, -self.turn, m)

    def _look(self):
        if self.last is None:
            return None
        who = self.stones[self.last]
        y, x = divmod(self.last, SIZE)
        for dy, dx in LINES:
            n = 1
            for sign in (1, -1):
                i, j = y + sign * dy, x + sign * dx
                while 0 <= i < SIZE and 0 <= j < SIZE and self.stones[i * SIZE + j] == who:
                    n += 1
                    i, j = i + sign * dy, j + sign * dx
            if n >= 5:
                return who
        return None

    def winner(self):
        return self._won

    def planes(self):
        a = np.array(self.stones, dtype=np.int8).reshape(SIZE, SIZE)
        return np.stack([a == self.turn, a == -self.turn]).astype(np.float32)
