"""Breakthrough on 6x6. Positions are tuples seen from the side to move: 1 mine, -1 theirs, 0 empty; mine go up (towards row 0)."""
import numpy as np

from ticker import enter, leave

N = 6
MOVES = N * N * 3


class Breakthrough:
    def opening(self):
        return tuple([-1] * (2 * N) + [0] * (N * (N - 4)) + [1] * (2 * N))

    def moves(self, pos):
        enter("moves")
        out = []
        for sq, who in enumerate(pos):
            if who != 1:
                continue
            r, c = divmod(sq, N)
            if r == 0:
                continue
            for k in (-1, 0, 1):
                if 0 <= c + k < N:
                    target = pos[sq - N + k]
                    if target == 0 or (target == -1 and k != 0):
                        out.append(sq * 3 + k + 1)
        leave()
        return out

    def after(self, pos, move):
        """Position after the move, already turned round for the other side."""
        enter("after")
        sq, k = divmod(move, 3)
        board = list(pos)
        board[sq] = 0
        board[sq - N + k - 1] = 1
        turned = tuple(-x for x in reversed(board))
        leave()
        return turned

    def lost(self, pos):
        """True if the side to move has already lost."""
        enter("after")
        gone = -1 in pos[-N:] or 1 not in pos
        leave()
        return gone

    def planes(self, pos):
        enter("planes")
        b = np.array(pos, dtype=np.int8).reshape(N, N)
        x = np.stack([b == 1, b == -1, b == 0]).astype(np.float32)
        leave()
        return x

    def mirrored(self, pos, pi):
        b = tuple(np.array(pos).reshape(N, N)[:, ::-1].ravel().tolist())
        q = pi.reshape(N, N, 3)[:, ::-1, ::-1].ravel()
        return b, q
