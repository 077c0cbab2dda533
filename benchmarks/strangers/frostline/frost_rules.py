"""FROSTLINE - two players, three foxes each, on a melting 8x8 lake.

On your turn one of your foxes slides 1..3 tiles in one of 8 directions (no jumping) and the tile it left melts.
Whoever can't move has lost.
"""
from __future__ import annotations

from collections import deque

SIZE = 8
DIRECTIONS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
REACH = 3
FOXES = 3
NUM_MOVES = FOXES * len(DIRECTIONS) * REACH

ICE, WATER = 0, 1


class IllegalMove(Exception):
    pass


class Lake:
    """State of one game."""

    def __init__(self):
        self.restart()

    def restart(self):
        self.tiles = [[ICE] * SIZE for _ in range(SIZE)]
        self.foxes = [
            [(0, 1), (0, 3), (0, 5)],
            [(SIZE - 1, 1), (SIZE - 1, 3), (SIZE - 1, 5)],
        ]
        self.to_move = 0
        self.ply = 0
        self.loser = None

    # -- rules ---------------------------------------------------------------
    def blocked(self, r, c):
        if not (0 <= r < SIZE and 0 <= c < SIZE):
            return True
        if self.tiles[r][c] == WATER:
            return True
        return (r, c) in self.foxes[0] or (r, c) in self.foxes[1]

    def legal_moves(self, side=None):
        side = self.to_move if side is None else side
        moves = []
        for f, (r, c) in enumerate(self.foxes[side]):
            for d, (dr, dc) in enumerate(DIRECTIONS):
                rr, cc = r, c
                for n in range(REACH):
                    rr += dr
                    cc += dc
                    if self.blocked(rr, cc):
                        break
                    moves.append((f * 8 + d) * REACH + n)
        return moves

    def play(self, move):
        fox, rest = divmod(move, 8 * REACH)
        d, n = divmod(rest, REACH)
        dr, dc = DIRECTIONS[d]
        r, c = self.foxes[self.to_move][fox]
        rr, cc = r, c
        for _ in range(n + 1):
            rr += dr
            cc += dc
            if self.blocked(rr, cc):
                raise IllegalMove(move)
        self.foxes[self.to_move][fox] = (rr, cc)
        self.tiles[r][c] = WATER
        self._drift()
        self.to_move = 1 - self.to_move
        self.ply += 1
        if not self.can_move(self.to_move):
            self.loser = self.to_move

    def can_move(self, side):
        for r, c in self.foxes[side]:
            for dr, dc in DIRECTIONS:
                if not self.blocked(r + dr, c + dc):
                    return True
        return False

    def _drift(self):
        """Ice floes which touch no fox and have fewer than 4 tiles sink."""
        todo = {(r, c) for r in range(SIZE) for c in range(SIZE) if self.tiles[r][c] == ICE}
        while todo:
            start = todo.pop()
            floe, q = [start], [start]
            while q:
                r, c = q.pop()
                for dr, dc in DIRECTIONS:
                    p = (r + dr, c + dc)
                    if p in todo:
                        todo.remove(p)
                        floe.append(p)
                        q.append(p)
            if len(floe) < 4 and not any(p in self.foxes[0] or p in self.foxes[1] for p in floe):
                for r, c in floe:
                    self.tiles[r][c] = WATER

    # -- judging -------------------------------------------------------------
    def territory(self):
        """tiles nearer to side 0 minus tiles nearer to side 1"""
        fields = []
        for side in (0, 1):
            dist = {p: 0 for p in self.foxes[side]}
            q = deque(self.foxes[side])
            while q:
                r, c = q.popleft()
                for dr, dc in DIRECTIONS:
                    p = (r + dr, c + dc)
                    if p not in dist and not self.blocked(*p):
                        dist[p] = dist[(r, c)] + 1
                        q.append(p)
            fields.append(dist)
        score = 0
        for p in fields[0].keys() | fields[1].keys():
            a, b = fields[0].get(p, 99), fields[1].get(p, 99)
            score += (a < b) - (b < a)
        return score
