# hex on a 6x6 rhombus.  board = flat int8 array of 36, 0 empty, 1 = red (top-bottom), 2 = blue (left-right)
import numpy as np

S = 6
CELLS = S * S


def _around(c):
    r, k = divmod(c, S)
    out = []
    for dr, dk in ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0)):
        rr, kk = r + dr, k + dk
        if 0 <= rr < S and 0 <= kk < S:
            out.append(rr * S + kk)
    return out


AROUND = [_around(c) for c in range(CELLS)]
START = {1: [c for c in range(CELLS) if c < S], 2: [c for c in range(CELLS) if c % S == 0]}
GOAL = {1: {c for c in range(CELLS) if c >= CELLS - S}, 2: {c for c in range(CELLS) if c % S == S - 1}}


def fresh():
    return np.zeros(CELLS, dtype=np.int8)


def connected(bd, who):
    goal = GOAL[who]
    todo = [c for c in START[who] if bd[c] == who]
    seen = set(todo)
    while todo:
        c = todo.pop()
        if c in goal:
            return True
        for n in AROUND[c]:
            if bd[n] == who and n not in seen:
                seen.add(n)
                todo.append(n)
    return False


def put(bd, cell, who):
    """new board and the winner (0 = goes on). asks both colours, to be safe"""
    if bd[cell] != 0:
        raise ValueError("cell %d is taken" % cell)
    nb = bd.copy()
    nb[cell] = who
    for w in (1, 2):
        if connected(nb, w):
            return nb, w
    return nb, 0


def empties(bd):
    return [c for c in range(CELLS) if bd[c] == 0]


def planes(bd, who):
    """always seen as the top-bottom player: blue boards are transposed"""
    g = bd.reshape(S, S)
    if who == 2:
        g = g.T
    x = np.zeros((4, S, S), dtype=np.float32)
    x[0] = g == who
    x[1] = g == 3 - who
    x[2] = g == 0
    x[3, 0, :] = 1
    x[3, -1, :] = 1
    return x


def turned(cell, who):
    """cell number in the picture of `who`"""
    if who == 1:
        return cell
    r, k = divmod(cell, S)
    return k * S + r


def show(bd):
    return "\n".join(" " * r + " ".join(".XO"[v] for v in bd[r * S:r * S + S]) for r in range(S))
