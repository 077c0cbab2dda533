import random

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from dungeon import Dungeon, FLOOR, STAIRS, W, H
from laps import NoLaps

R = 5
ITEM_CODE = {"gold": 0.3, "potion": 0.6, "sword": 1.0}
KIND_CODE = {"rat": 0.3, "goblin": 0.6, "ogre": 1.0}


class DelveEnv(gym.Env):
    metadata = {"render_modes": []}

    def __init__(self, seed=0, laps=None, max_turns=300):
        self.game = Dungeon(random.Random(seed))
        self.laps = laps or NoLaps()
        self.max_turns = max_turns
        n = 2 * R + 1
        self.observation_space = spaces.Box(-1.0, 2.0, (5 * n * n + 8,), np.float32)
        self.action_space = spaces.Discrete(6)

    def reset(self, *, seed=None, options=None):
        with self.laps.of("env.reset"):
            super().reset(seed=seed)
            if seed is not None:
                self.game.rng.seed(seed)
            self.game.new_game()
            self.turns = 0
            self.best_depth = 1
        return self._view(), {}

    def step(self, action):
        g = self.game
        with self.laps.of("env.step"):
            self.turns += 1
            happened = g.hero_turn(int(action))
            if "stairs" in happened:
                g.depth += 1
                g.dig_level()
                fresh = 0
                pain = 0
            else:
                fresh = g.look()
                pain = g.monsters_turn()
            terminated = g.dead or g.depth > 5
            truncated = self.turns >= self.max_turns
            reward = self._score(happened, fresh, pain)
        info = {"depth": g.depth}
        return self._view(), reward, terminated, truncated, info

    def _score(self, happened, fresh, pain):
        r = 0.01 * fresh - 0.05 * pain - 0.005
        for h in happened:
            if h == "stairs":
                r += 5
            elif h == "kill":
                r += 1
            elif h == "level":
                r += 1
            elif h == "bump":
                r -= 0.03
            elif h in ITEM_CODE:
                r += 0.5
        if self.game.dead:
            r -= 3
        return float(r)

    def _view(self):
        with self.laps.of("env.observe"):
            g, h = self.game, self.game.hero
            n = 2 * R + 1
            v = np.zeros((5, n, n), np.float32)
            for j in range(n):
                y = h.y + j - R
                if not 0 <= y < H:
                    continue
                row, seen = g.tiles[y], g.seen[y]
                for i in range(n):
                    x = h.x + i - R
                    if not 0 <= x < W or not seen[x]:
                        continue
                    v[4, j, i] = 1
                    if row[x] == FLOOR:
                        v[0, j, i] = 1
                    elif row[x] == STAIRS:
                        v[1, j, i] = 1
                    it = g.items.get((x, y))
                    if it:
                        v[2, j, i] = ITEM_CODE[it]
            for m in g.monsters:
                i, j = m.x - h.x + R, m.y - h.y + R
                if 0 <= i < n and 0 <= j < n and (m.x, m.y) in g.visible:
                    v[3, j, i] = KIND_CODE[m.kind]
            stats = [h.hp / h.max_hp, h.potions / 5, h.atk / 10, h.level / 5, g.depth / 5,
                     h.x / W, h.y / H, self.turns / self.max_turns]
            out = np.concatenate([v.ravel(), np.array(stats, np.float32)])
            return np.clip(out, -1, 2)
