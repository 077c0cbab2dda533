"""Blobs (an Ataxx clone) on a 6x6 board. 1 = red, -1 = blue, 0 = empty."""
import numpy as np

SIZE = 6
CELLS = SIZE * SIZE
OFFSETS = [(dy, dx) for dy in range(-2, 3) for dx in range(-2, 3) if (dy, dx) != (0, 0)]
N_OFFSETS = len(OFFSETS)          # 24
N_MOVES = CELLS * N_OFFSETS       # 864, move = fromCell * 24 + offset
MAX_PLIES = 80


class BlobsGame:
    def __init__(self):
        self.grid = [[0] * SIZE for _ in range(SIZE)]
        self.grid[0][0] = self.grid[SIZE - 1][SIZE - 1] = 1
        self.grid[0][SIZE - 1] = self.grid[SIZE - 1][0] = -1
        self.toMove = 1
        self.plies = 0
        self.winner = None            # 1, -1, 0 = draw, None = still running

    def legalMoves(self, player):
        moves = []
        for y in range(SIZE):
            for x in range(SIZE):
                if self.grid[y][x] != player:
                    continue
                for k, (dy, dx) in enumerate(OFFSETS):
                    ty, tx = y + dy, x + dx
                    if 0 <= ty < SIZE and 0 <= tx < SIZE and self.grid[ty][tx] == 0:
                        moves.append((y * SIZE + x) * N_OFFSETS + k)
        return moves

    def legalMask(self):
        mask = np.zeros(N_MOVES, dtype=bool)
        mask[self.legalMoves(self.toMove)] = True
        return mask

    def play(self, move):
        cell, k = divmod(move, N_OFFSETS)
        y, x = divmod(cell, SIZE)
        dy, dx = OFFSETS[k]
        ty, tx = y + dy, x + dx
        me = self.toMove
        self.grid[ty][tx] = me
        if max(abs(dy), abs(dx)) == 2:       # a jump leaves the old cell
            self.grid[y][x] = 0
        for ny in range(max(0, ty - 1), min(SIZE, ty + 2)):
            for nx in range(max(0, tx - 1), min(SIZE, tx + 2)):
                if self.grid[ny][nx] == -me:
                    self.grid[ny][nx] = me
        self.plies += 1
        self.toMove = -me
        self.checkOver()

    def count(self, player):
        return sum(row.count(player) for row in self.grid)

    def checkOver(self):
        red, blue = self.count(1), self.count(-1)
        over = red == 0 or blue == 0 or red + blue == CELLS or self.plies >= MAX_PLIES
        if not over and not self.legalMoves(self.toMove):
            if not self.legalMoves(-self.toMove):
                over = True
            else:
                self.toMove = -self.toMove   # pass
        if over:
            self.winner = (red > blue) - (red < blue)

    def observe(self):
        """planes from the mover's view: mine, theirs, empty, frontier of mine, frontier of theirs, game progress"""
        me = self.toMove
        obs = np.zeros((6, SIZE, SIZE), dtype=np.float32)
        for y in range(SIZE):
            for x in range(SIZE):
                v = self.grid[y][x] * me
                if v == 1:
                    obs[0, y, x] = 1
                elif v == -1:
                    obs[1, y, x] = 1
                else:
                    obs[2, y, x] = 1
                    for ny in range(max(0, y - 1), min(SIZE, y + 2)):
                        for nx in range(max(0, x - 1), min(SIZE, x + 2)):
                            w = self.grid[ny][nx] * me
                            if w == 1:
                                obs[3, y, x] += 0.125
                            elif w == -1:
                                obs[4, y, x] += 0.125
        obs[5] = self.plies / MAX_PLIES
        return obs
