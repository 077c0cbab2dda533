import gymnasium as gym
import numpy as np

from maps import LADDER, SIDE
from rival import RedQueen
from sandglass import GLASS
from world import FIGHT, GATHER, PRICE, World

TICKS = 5
LONGEST = 90
PLANES = 8
EXTRAS = 10


class AnthillEnv(gym.Env):
    """One decision of the black queen = TICKS ticks of ant life."""
    metadata = {"render_modes": []}

    def __init__(self, seed=0):
        self.observation_space = gym.spaces.Dict({
            "ground": gym.spaces.Box(0, 1, (PLANES, SIDE, SIDE), np.float32),
            "pantry": gym.spaces.Box(-5, 5, (EXTRAS,), np.float32)})
        self.action_space = gym.spaces.MultiDiscrete([3, 3, 9])   # lay, stance, sector
        self.rung = 0
        self.seed_count = seed

    def reset(self, *, seed=None, options=None):
        was = GLASS.to("env.reset")
        super().reset(seed=seed)
        self.seed_count += 1
        self.world = World(self.rung, self.seed_count)
        self.red = RedQueen(temper=9 - 2 * self.rung)
        self.moves = 0
        self.seen = self._tally()
        GLASS.to("env.observe")
        o = self._look()
        GLASS.to("env.mask")
        m = self.allowed()
        GLASS.to(was)
        return o, {"allowed": m}

    def _obey(self, lay, stance, sector):
        w = self.world
        if lay:
            w.lay(0, GATHER if lay == 1 else FIGHT)
        field = (w.way_home[0], w.way_to_sector(sector), w.way_home[1])[stance]
        for a in w.ants:
            if a.side == 0 and a.job == FIGHT:
                a.field = field

    def step(self, action):
        was = GLASS.to("env.step")
        w = self.world
        self._obey(*(int(x) for x in action))
        for _ in range(TICKS):
            GLASS.to("env.opponent")
            self.red.whisper(w)
            GLASS.to("env.step")
            w.tick()
            if w.fallen is not None:
                break
        self.moves += 1
        done = w.fallen is not None
        late = self.moves >= LONGEST
        GLASS.to("env.reward")
        reward = self._judge(done, late)
        GLASS.to("env.observe")
        o = self._look()
        GLASS.to("env.mask")
        m = self.allowed()
        GLASS.to(was)
        return o, reward, done, late, {"allowed": m, "won": w.fallen == 1, "rung": self.rung}

    def _tally(self):
        w = self.world
        own = foe = 0
        for a in w.ants:
            if a.side == 0:
                own += PRICE[a.job]
            else:
                foe += PRICE[a.job]
        return (w.hauled[0], w.kills[0], w.kills[1], w.nest_hp[0], w.nest_hp[1], own, foe)

    def _judge(self, done, late):
        old, new = self.seen, self._tally()
        self.seen = new
        d = [b - a for a, b in zip(old, new)]
        r = 0.04 * d[0] + 0.15 * d[1] - 0.1 * d[2] + 0.05 * d[3] - 0.08 * d[4] + 0.01 * d[5]
        if done:
            r += 5.0 if self.world.fallen == 1 else -5.0
        elif late:
            r += 1.0 if new[5] > new[6] else -1.0
        return r

    def allowed(self):
        w = self.world
        m = np.ones(15, bool)
        m[1] = w.pantry[0] >= PRICE[GATHER] and len(w.eggs[0]) < 3
        m[2] = w.pantry[0] >= PRICE[FIGHT] and len(w.eggs[0]) < 3
        m[5] = sum(1 for a in w.ants if a.side == 0 and a.job == FIGHT) >= 3
        home = w.way_home[0]
        for k in range(9):
            m[6 + k] = home[w.sector_cell(k)] < 9999
        if not m[6:].any():
            m[6:] = True
        return m

    def _look(self):
        w = self.world
        # fog first
        seen = [[False] * SIDE for _ in range(SIDE)]
        count = [[0] * (SIDE * SIDE) for _ in range(4)]
        for a in w.ants:
            count[a.side * 2 + a.job][a.cell] += 1
            if a.side == 0:
                r, c = divmod(a.cell, SIDE)
                for rr in range(max(0, r - 3), min(SIDE, r + 4)):
                    row = seen[rr]
                    for cc in range(max(0, c - 3), min(SIDE, c + 4)):
                        row[cc] = True
        ground = np.zeros((PLANES, SIDE, SIDE), np.float32)
        for r in range(SIDE):
            for c in range(SIDE):
                cell = r * SIDE + c
                if w.g[r][c] == "#":
                    ground[0, r, c] = 1.0
                if cell in w.crumbs:
                    ground[1, r, c] = min(1.0, w.crumbs[cell] / 15)
                if count[0][cell]:
                    ground[2, r, c] = min(1.0, count[0][cell] / 4)
                if count[1][cell]:
                    ground[3, r, c] = min(1.0, count[1][cell] / 4)
                if seen[r][c]:
                    ground[6, r, c] = 1.0
                    if count[2][cell]:
                        ground[4, r, c] = min(1.0, count[2][cell] / 4)
                    if count[3][cell]:
                        ground[5, r, c] = min(1.0, count[3][cell] / 4)
        for side in (0, 1):
            r, c = divmod(w.nests[side], SIDE)
            ground[7, r, c] = 1.0 if side == 0 else 0.5
        n = [sum(k) for k in count]
        pantry = np.array([w.pantry[0] / 20, w.nest_hp[0] / 60, w.nest_hp[1] / 60, n[0] / 20, n[1] / 20,
                           (n[2] + n[3]) / 30, len(w.eggs[0]) / 3, self.moves / LONGEST,
                           self.rung / len(LADDER), w.kills[0] / 20], np.float32)
        return {"ground": ground, "pantry": pantry}
