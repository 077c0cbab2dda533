"""GemSwap: my own match-three puzzle as a gymnasium env.

Swap two neighbouring gems; three or more in a row vanish, the rest falls, new gems come from the top. 30 moves per game.
Each level has an order of colours to collect, shown at the side.
"""
from __future__ import annotations

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from phase_timer import TIMER

N = 7
COLOURS = 5
MOVES = 30

SWAPS = [((r, c), (r, c + 1)) for r in range(N) for c in range(N - 1)] + [((r, c), (r + 1, c)) for r in range(N - 1) for c in range(N)]


class GemSwapEnv(gym.Env):
    metadata = {"render_modes": ["ansi"]}

    def __init__(self, render_mode=None):
        super().__init__()
        self.render_mode = render_mode
        self.action_space = spaces.Discrete(len(SWAPS))
        self.observation_space = spaces.Box(0.0, 1.0, shape=(N * N * COLOURS + COLOURS + 3,), dtype=np.float32)
        self.board: list[list[int]] = []

    # ------------------------------------------------------------------ gym API
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        with TIMER.phase("env.reset"):
            self._new_board()
            self.moves_left = MOVES
            self.order = [int(x) for x in self.np_random.integers(4, 12, size=COLOURS)]
            self.points = 0
        return self._obs(), {}

    def step(self, action):
        with TIMER.phase("env.step"):
            a, b = SWAPS[int(action)]
            self._swap(a, b)
            runs = self._find_runs()
            chains = []
            if not runs:
                self._swap(a, b)
            while runs:
                chains.append(self._pop(runs))
                self._drop()
                runs = self._find_runs()
            if not self._scan_moves():
                self._new_board()
            self.moves_left -= 1
            terminated = all(o <= 0 for o in self.order)
            truncated = not terminated and self.moves_left <= 0
        reward = self._reward(chains, terminated)
        return self._obs(), reward, terminated, truncated, {"points": self.points, "chains": len(chains)}

    def render(self):
        return "\n".join(" ".join("ROGBV"[g] for g in row) for row in self.board)

    # ------------------------------------------------------------------ rules
    def _new_board(self):
        while True:
            self.board = [[int(x) for x in row] for row in self.np_random.integers(0, COLOURS, size=(N, N))]
            runs = self._find_runs()
            while runs:
                for r, c in runs:
                    self.board[r][c] = int(self.np_random.integers(COLOURS))
                runs = self._find_runs()
            if self._scan_moves():
                return

    def _swap(self, a, b):
        (r1, c1), (r2, c2) = a, b
        self.board[r1][c1], self.board[r2][c2] = self.board[r2][c2], self.board[r1][c1]

    def _find_runs(self):
        found = set()
        bd = self.board
        for r in range(N):
            start = 0
            for c in range(1, N + 1):
                if c == N or bd[r][c] != bd[r][start]:
                    if c - start >= 3:
                        found.update((r, k) for k in range(start, c))
                    start = c
        for c in range(N):
            start = 0
            for r in range(1, N + 1):
                if r == N or bd[r][c] != bd[start][c]:
                    if r - start >= 3:
                        found.update((k, c) for k in range(start, r))
                    start = r
        return found

    def _pop(self, runs):
        counts = [0] * COLOURS
        for r, c in runs:
            counts[self.board[r][c]] += 1
            self.board[r][c] = -1
        self.points += 10 * len(runs)
        return counts

    def _drop(self):
        for c in range(N):
            column = [self.board[r][c] for r in range(N) if self.board[r][c] >= 0]
            missing = N - len(column)
            if missing:
                column = [int(x) for x in self.np_random.integers(0, COLOURS, size=missing)] + column
                for r in range(N):
                    self.board[r][c] = column[r]

    def _scan_moves(self):
        """Try every swap. Remembers how many there are (self.possible) and the biggest match (self.par)."""
        self.possible, self.par = 0, 0
        for a, b in SWAPS:
            if self.board[a[0]][a[1]] == self.board[b[0]][b[1]]:
                continue
            self._swap(a, b)
            size = self._match_size(*a) + self._match_size(*b)
            self._swap(a, b)
            if size:
                self.possible += 1
                self.par = max(self.par, size)
        return self.possible

    def _match_size(self, r, c):
        g = self.board[r][c]
        across = down = 1
        k = c - 1
        while k >= 0 and self.board[r][k] == g:
            across += 1
            k -= 1
        k = c + 1
        while k < N and self.board[r][k] == g:
            across += 1
            k += 1
        k = r - 1
        while k >= 0 and self.board[k][c] == g:
            down += 1
            k -= 1
        k = r + 1
        while k < N and self.board[k][c] == g:
            down += 1
            k += 1
        return (across if across >= 3 else 0) + (down if down >= 3 else 0)

    def _reward(self, chains, finished):
        with TIMER.phase("env.reward"):
            if not chains:
                return -0.1
            reward = 0.0
            for depth, counts in enumerate(chains):
                for colour, count in enumerate(counts):
                    if not count:
                        continue
                    useful = min(count, max(0, self.order[colour]))
                    self.order[colour] -= count
                    reward += (0.1 * useful + 0.01 * count) * (1 + 0.5 * depth)
            if finished:
                reward += 2.0 + 0.05 * self.moves_left
            return reward

    def _obs(self):
        with TIMER.phase("env.observe"):
            o = np.zeros(self.observation_space.shape, dtype=np.float32)
            i = 0
            for row in self.board:
                for g in row:
                    o[i + g] = 1.0
                    i += COLOURS
            for k, left in enumerate(self.order):
                o[i + k] = max(0, left) / 12
            o[-3] = min(1.0, self.possible / 20)
            o[-2] = min(1.0, self.par / 8)
            o[-1] = self.moves_left / MOVES
            return o
