import random
import time

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from pieces import PIECES, piece_plane

SIZE = 9
HAND = 3


class WoodBlocksEnv(gym.Env):
    """Place the three offered pieces on the 9x9 board; full rows, columns and 3x3 boxes vanish.
    Action = slot * 81 + row * 9 + col. The game ends when nothing fits any more."""

    metadata = {"render_modes": []}

    def __init__(self):
        super().__init__()
        self.action_space = spaces.Discrete(HAND * SIZE * SIZE)
        self.observation_space = spaces.Box(0.0, 1.0, (SIZE * SIZE * (2 + HAND) + HAND * 25,), np.float32)
        self.board = [[0] * SIZE for _ in range(SIZE)]
        self.hand = [None] * HAND
        self.spent = {}          # stage -> seconds since the last report, goes out through info

    def _tick(self, stage, t0):
        now = time.perf_counter()
        self.spent[stage] = self.spent.get(stage, 0.0) + now - t0
        return now

    def _report(self):
        out, self.spent = self.spent, {}
        return out

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        t = time.perf_counter()
        self.board = [[0] * SIZE for _ in range(SIZE)]
        # start with some litter so that games are not all alike
        for _ in range(random.randint(4, 10)):
            self.board[random.randrange(SIZE)][random.randrange(SIZE)] = 1
        self._offer()
        self.moves = self.score = self.combo = 0
        self.potential = self._roominess()
        t = self._tick("env.reset", t)
        obs = self._observe()
        self._tick("env.observe", t)
        return obs, {"spent": self._report()}

    def step(self, action):
        t = time.perf_counter()
        slot, cell = divmod(int(action), SIZE * SIZE)
        row, col = divmod(cell, SIZE)
        piece = self.hand[slot]
        for r, c in piece:
            self.board[row + r][col + c] = 1
        self.hand[slot] = None
        cleared = self._clear()
        if all(p is None for p in self.hand):
            self._offer()
        self.moves += 1
        over = not any(self._fits(p, r, c) for p in self.hand if p is not None for r in range(SIZE) for c in range(SIZE))
        t = self._tick("env.step", t)

        reward = self._reward(len(piece), cleared, over)
        t = self._tick("env.reward", t)
        obs = self._observe()
        self._tick("env.observe", t)
        info = {"spent": self._report()}
        if over:
            info["score"] = self.score
        return obs, reward, over, self.moves >= 400, info

    def action_masks(self):
        t = time.perf_counter()
        mask = []
        for piece in self.hand:
            for r in range(SIZE):
                for c in range(SIZE):
                    mask.append(piece is not None and self._fits(piece, r, c))
        mask = np.array(mask, dtype=bool)
        self._tick("env.mask", t)
        return mask

    # -- rules
    def _offer(self):
        self.hand = [random.choice(PIECES) for _ in range(HAND)]

    def _fits(self, piece, row, col):
        for r, c in piece:
            if row + r >= SIZE or col + c >= SIZE or self.board[row + r][col + c]:
                return False
        return True

    def _clear(self):
        groups = [[(r, c) for c in range(SIZE)] for r in range(SIZE)]
        groups += [[(r, c) for r in range(SIZE)] for c in range(SIZE)]
        groups += [[(br + r, bc + c) for r in range(3) for c in range(3)] for br in (0, 3, 6) for bc in (0, 3, 6)]
        full = [g for g in groups if all(self.board[r][c] for r, c in g)]
        for g in full:
            for r, c in g:
                self.board[r][c] = 0
        return len(full)

    # -- shaping: a board with few separate holes into which all kinds of pieces fit is a good board
    def _roominess(self):
        fitting = 0
        for piece in PIECES:
            places = sum(self._fits(piece, r, c) for r in range(SIZE) for c in range(SIZE))
            fitting += min(1.0, places / 8)
        seen, regions = set(), 0
        for r in range(SIZE):
            for c in range(SIZE):
                if self.board[r][c] or (r, c) in seen:
                    continue
                regions += 1
                todo = [(r, c)]
                while todo:
                    y, x = todo.pop()
                    if (y, x) in seen or not (0 <= y < SIZE and 0 <= x < SIZE) or self.board[y][x]:
                        continue
                    seen.add((y, x))
                    todo += [(y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)]
        return fitting / len(PIECES) - 0.1 * regions

    def _reward(self, placed, cleared, over):
        self.combo = self.combo + 1 if cleared else 0
        gained = placed + 18 * cleared + 5 * max(0, self.combo - 1)
        self.score += gained
        room = self._roominess()
        reward = 0.02 * gained + 0.3 * (room - self.potential) - (1.0 if over else 0.0)
        self.potential = room
        return reward

    def _observe(self):
        board = np.array(self.board, dtype=np.float32)
        # how full the lines through each cell are
        lines = np.zeros((SIZE, SIZE), dtype=np.float32)
        for r in range(SIZE):
            for c in range(SIZE):
                br, bc = r // 3 * 3, c // 3 * 3
                lines[r, c] = max(board[r].sum(), board[:, c].sum(), board[br:br + 3, bc:bc + 3].sum()) / SIZE
        fits = np.zeros((HAND, SIZE, SIZE), dtype=np.float32)
        shapes = np.zeros((HAND, 5, 5), dtype=np.float32)
        for i, piece in enumerate(self.hand):
            if piece is None:
                continue
            shapes[i] = piece_plane(piece)
            for r in range(SIZE):
                for c in range(SIZE):
                    fits[i, r, c] = self._fits(piece, r, c)
        return np.concatenate([board.ravel(), lines.ravel(), fits.ravel(), shapes.ravel()])
