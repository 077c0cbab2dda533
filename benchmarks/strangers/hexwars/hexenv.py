import time

import gymnasium as gym
import numpy as np

from hexboard import HexBoard, RED, BLUE
from wallbot import WallBot

now = time.perf_counter


class HexEnv(gym.Env):
    """We are Red and start. The env keeps a 'tape': (time, what begins now) marks, which travels home in info."""

    def __init__(self, n=9, seed=0):
        self.board = HexBoard(n)
        self.bot = WallBot(BLUE, slack=0.4, seed=seed)
        self.n = n
        self.observation_space = gym.spaces.Box(-1, 1, (5, n, n), np.float32)
        self.action_space = gym.spaces.Discrete(n * n)
        self.tape = []        # goes out with the current step
        self.later = []       # goes out with the next one
        self.over = False

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        tape = self.tape if self.over else self.later
        tape.append((now(), "env.reset"))
        self.over = False
        self.board.clear()
        if self.np_random.random() < 0.5:
            tape.append((now(), "env.opponent"))
            self.board.put(BLUE, self.bot.think(self.board))
            tape.append((now(), "env.reset"))
        self.res = self.board.resistance(RED), self.board.resistance(BLUE)
        tape.append((now(), "env.observe"))
        obs = self.planes()
        tape.append((now(), None))
        return obs, {}

    def action_masks(self):
        self.later.append((now(), "env.mask"))
        ok = np.array([s == 0 for s in self.board.stones], dtype=bool)
        self.later.append((now(), None))
        return ok

    def step(self, a):
        self.tape, self.later = self.later, []
        tape = self.tape
        tape.append((now(), "env.step"))
        b = self.board
        b.put(RED, int(a))
        won = b.connected(RED)
        lost = False
        if not won:
            tape.append((now(), "env.opponent"))
            q = self.bot.think(b)
            tape.append((now(), "env.step"))
            b.put(BLUE, q)
            lost = b.connected(BLUE)
        tape.append((now(), "env.reward"))
        r = self.reward(won, lost)
        tape.append((now(), "env.observe"))
        obs = self.planes()
        tape.append((now(), None))
        self.over = won or lost
        return obs, r, self.over, False, {"tape": tape, "won": won}

    def reward(self, won, lost):
        red, blue = self.board.resistance(RED), self.board.resistance(BLUE)
        shaped = 0.05 * ((self.res[0] - red) + (blue - self.res[1]))
        self.res = red, blue
        if won:
            return 1.0 + shaped * 0
        if lost:
            return -1.0
        return float(max(-0.5, min(0.5, shaped)))

    def planes(self):
        n = self.n
        st = np.array(self.board.stones).reshape(n, n)
        out = np.zeros((5, n, n), np.float32)
        out[0] = st == RED
        out[1] = st == BLUE
        for k, who in ((2, RED), (3, BLUE)):
            d = np.array(self.board.distances(who), np.float32).reshape(n, n)
            out[k] = np.clip(d / n, 0, 1)
        if self.board.history:
            r, c = divmod(self.board.history[-1][1], n)
            out[4, r, c] = 1
        return out
