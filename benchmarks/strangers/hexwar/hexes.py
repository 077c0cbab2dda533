"""Axial hex helpers. Based on the redblobgames article, as everybody's are."""

DIRS = [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)]


def add(a, b):
    return (a[0] + b[0], a[1] + b[1])


def distance(a, b):
    dq = a[0] - b[0]
    dr = a[1] - b[1]
    return (abs(dq) + abs(dr) + abs(dq + dr)) // 2


def disc(radius):
    cells = []
    for q in range(-radius, radius + 1):
        for r in range(max(-radius, -q - radius), min(radius, -q + radius) + 1):
            cells.append((q, r))
    return cells


def neighbours(cell):
    return [add(cell, d) for d in DIRS]
