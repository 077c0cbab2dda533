import numpy as np
from engine import Engine, UNIT_STATS
from stopwatch import watch

ACTIONS = ["wait", "trainWorker", "trainSoldier", "trainArcher", "attackBase", "attackNearest", "defend"]
GRID, CHANNELS = 16, 6

class SkirmishEnv:
    ticksPerAction = 8
    def __init__(self, seed):
        self.engine = Engine(seed)
        self.lastScore = 0.0
    def reset(self):
        watch.push("env.reset")
        self.engine.start()
        self.lastScore = self.score()
        watch.pop()
        return self.observe()
    def actionMask(self):
        watch.push("env.mask")
        team = self.engine.teams[0]
        canQueue = len(team.queue) < 3
        army = self.engine.unitsOf(0, "soldier", "archer")
        mask = np.ones(len(ACTIONS), dtype=np.float32)
        for i, kind in enumerate(("worker", "soldier", "archer")):
            mask[1 + i] = canQueue and team.minerals >= UNIT_STATS[kind][5]
        mask[4] = mask[5] = mask[6] = bool(army)
        watch.pop()
        return mask
    def giveOrders(self, action):
        name = ACTIONS[action]
        engine = self.engine
        if name.startswith("train"):
            engine.enqueue(0, name[5:].lower())
            return
        army = engine.unitsOf(0, "soldier", "archer")
        enemies = engine.unitsOf(1)
        for unit in army:
            if name == "attackBase":
                unit.order, unit.targetUnit = "attack", engine.bases[1].uid
            elif name == "attackNearest":
                unit.order, unit.targetUnit = "attack", min(enemies, key=unit.distanceTo).uid
            elif name == "defend":
                unit.order, unit.targetUnit = "move", None
                unit.targetX, unit.targetY = engine.bases[0].x + 4, engine.bases[0].y + 4
    def score(self):
        engine = self.engine
        total = 0.004 * (engine.bases[0].hp - engine.bases[1].hp)
        for unit in engine.units:
            value = UNIT_STATS[unit.kind][5] / 400.0 * unit.hp / UNIT_STATS[unit.kind][0]
            total += value if unit.team == 0 else -value
        return total + 0.001 * engine.teams[0].harvested
    def computeReward(self):
        watch.push("env.reward")
        newScore = self.score()
        reward = newScore - self.lastScore + {0: 3.0, 1: -3.0, None: 0.0}[self.engine.winner()]
        self.lastScore = newScore
        watch.pop()
        return reward
    def observe(self):
        watch.push("env.observe")
        planes = np.zeros((CHANNELS, GRID, GRID), dtype=np.float32)
        for unit in self.engine.units:
            gx, gy = min(GRID - 1, int(unit.x / 4)), min(GRID - 1, int(unit.y / 4))
            channel = (0 if unit.kind == "worker" else 1 if unit.kind == "base" else 2) + 3 * unit.team
            planes[channel, gx, gy] += unit.hp / UNIT_STATS[unit.kind][0]
        mine, theirs = self.engine.teams
        scalars = np.array([mine.minerals / 300, len(mine.queue) / 3, len(theirs.queue) / 3,
                            self.engine.tickCount / self.engine.maxTicks, mine.kills / 20, mine.losses / 20], dtype=np.float32)
        flat = np.concatenate([planes.ravel(), scalars])
        watch.pop()
        return flat
    def step(self, action):
        watch.push("env.step")
        self.giveOrders(action)
        for _ in range(self.ticksPerAction):
            self.engine.tick()
            if self.engine.isOver():
                break
        watch.pop()
        reward = self.computeReward()
        return self.observe(), reward, self.engine.isOver()
