"""Shapes of the wood block puzzle, as lists of (row, col)."""
import numpy as np

SHAPES = [
    "#", "##", "#/#", "###", "#/#/#", "####", "#/#/#/#", "#####", "#/#/#/#/#",
    "##/##", "#./##", ".#/##", "##/#.", "##/.#",
    "###/.#.", ".#./###", "#./##/#.", ".#/##/.#",
    "##./.##", ".##/##.", "#../#../###", "###/#../#..", "###/..#/..#", "..#/..#/###",
    ".#./###/.#.", "#./#./##", "###/###/###",
]


def parse(text):
    return [(r, c) for r, row in enumerate(text.split("/")) for c, ch in enumerate(row) if ch == "#"]


PIECES = [parse(s) for s in SHAPES]


def piece_plane(piece):
    plane = np.zeros((5, 5), dtype=np.float32)
    for r, c in piece:
        plane[r, c] = 1.0
    return plane
