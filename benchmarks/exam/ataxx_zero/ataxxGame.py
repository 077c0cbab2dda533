import numpy as np


class AtaxxGame:
    """5x5 Ataxx. action = (fromRow, fromCol, dRow+2, dCol+2) flattened, last index = pass"""

    def __init__(self, n=5):
        self.n = n
        self.passAction = n * n * 25

    def getInitBoard(self):
        b = np.zeros((self.n, self.n), dtype=np.int8)
        b[0, 0] = b[-1, -1] = 1
        b[0, -1] = b[-1, 0] = -1
        return b

    def getActionSize(self):
        return self.n * self.n * 25 + 1

    def decode(self, a):
        sq, off = divmod(a, 25)
        r, c = divmod(sq, self.n)
        dr, dc = divmod(off, 5)
        return r, c, dr - 2, dc - 2

    def getNextState(self, board, player, action):
        if action == self.passAction:
            return board.copy(), -player
        b = board.copy()
        r, c, dr, dc = self.decode(action)
        tr, tc = r + dr, c + dc
        b[tr, tc] = player
        if max(abs(dr), abs(dc)) == 2:
            b[r, c] = 0
        for y in range(max(0, tr - 1), min(self.n, tr + 2)):
            for x in range(max(0, tc - 1), min(self.n, tc + 2)):
                if b[y, x] == -player:
                    b[y, x] = player
        return b, -player

    def getValidMoves(self, board, player):
        valids = np.zeros(self.getActionSize(), dtype=np.float32)
        found = False
        for r in range(self.n):
            for c in range(self.n):
                if board[r, c] != player:
                    continue
                for dr in range(-2, 3):
                    for dc in range(-2, 3):
                        y, x = r + dr, c + dc
                        if 0 <= y < self.n and 0 <= x < self.n and board[y, x] == 0:
                            valids[(r * self.n + c) * 25 + (dr + 2) * 5 + dc + 2] = 1
                            found = True
        if not found:
            valids[self.passAction] = 1
        return valids

    def hasMoves(self, board, player):
        for r in range(self.n):
            for c in range(self.n):
                if board[r, c] == player:
                    area = board[max(0, r - 2):r + 3, max(0, c - 2):c + 3]
                    if (area == 0).any():
                        return True
        return False

    def getGameEnded(self, board, player):
        """0 = running, 1 = player won, -1 = lost, 1e-4 = draw"""
        mine = int((board == player).sum())
        his = int((board == -player).sum())
        if mine and his and (self.hasMoves(board, 1) or self.hasMoves(board, -1)):
            return 0
        if mine == his:
            return 1e-4
        return 1 if mine > his else -1

    def getCanonicalForm(self, board, player):
        return board * player

    def getSymmetries(self, board, pi):
        n = self.n
        p = np.asarray(pi[:-1]).reshape(n, n, 5, 5)
        out = []
        for k in range(4):
            for flip in (False, True):
                nb = np.rot90(board, k)
                np_ = np.rot90(np.rot90(p, k, axes=(0, 1)), k, axes=(2, 3))
                if flip:
                    nb = np.fliplr(nb)
                    np_ = np_[:, ::-1, :, ::-1]
                out.append((nb.copy(), np.append(np_.ravel(), pi[-1])))
        return out

    def boardKey(self, board):
        return board.tobytes()
