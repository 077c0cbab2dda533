"""The ladder of maps. '#' rock/water, '.' soil, numbers come as crumbs later."""
import random

SIDE = 24


def _blank():
    return [["."] * SIDE for _ in range(SIDE)]


def meadow(dice):
    g = _blank()
    for _ in range(18):
        g[dice.randrange(SIDE)][dice.randrange(SIDE)] = "#"
    return g


def brook(dice):
    g = _blank()
    col = SIDE // 2
    fords = set()
    for _ in range(3):
        f = dice.randrange(1, SIDE - 2)
        fords |= {f, f + 1}
    for r in range(SIDE):
        if r not in fords:
            g[r][col] = "#"
        if dice.random() < 0.3:
            col = max(9, min(14, col + dice.choice((-1, 1))))
    return g


def labyrinth(dice):
    g = _blank()
    for _ in range(16):
        r, c = dice.randrange(1, SIDE - 1), dice.randrange(1, SIDE - 1)
        dr, dc = dice.choice(((0, 1), (1, 0)))
        for k in range(dice.randrange(3, 9)):
            if 0 <= r + dr * k < SIDE and 0 <= c + dc * k < SIDE:
                g[r + dr * k][c + dc * k] = "#"
    return g


LADDER = [("meadow", meadow, 14), ("brook", brook, 12), ("labyrinth", labyrinth, 10)]


def _reachable(g, a, b):
    todo, seen = [a], {a}
    while todo:
        r, c = todo.pop()
        if (r, c) == b:
            return True
        for nr, nc in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)):
            if 0 <= nr < SIDE and 0 <= nc < SIDE and g[nr][nc] != "#" and (nr, nc) not in seen:
                seen.add((nr, nc))
                todo.append((nr, nc))
    return False


def dig(rung, dice):
    name, recipe, heaps = LADDER[rung]
    while True:
        g = recipe(dice)
        ours = (dice.randrange(3, SIDE - 3), dice.randrange(2, 5))
        theirs = (SIDE - 1 - ours[0], SIDE - 1 - ours[1])
        for r, c in (ours, theirs):
            for rr in range(r - 1, r + 2):
                for cc in range(c - 1, c + 2):
                    g[rr][cc] = "."
        if _reachable(g, ours, theirs):
            break
    crumbs = {}
    while len(crumbs) < heaps:
        r, c = dice.randrange(SIDE), dice.randrange(SIDE)
        if g[r][c] == "." and (r, c) not in (ours, theirs):
            crumbs[r * SIDE + c] = dice.randrange(8, 20)
    return g, ours, theirs, crumbs
