import math, random
from dataclasses import dataclass
from typing import Optional
from stopwatch import watch
from systems import EconomySystem, ProductionSystem, MovementSystem, CollisionSystem, CombatSystem, CleanupSystem
from aiController import AIController

#              hp  dmg range cooldown speed cost buildTicks
UNIT_STATS = {
    "worker":  (20, 2, 1.2, 10, 0.45, 50, 30),
    "soldier": (45, 6, 1.5, 8, 0.50, 75, 40),
    "archer":  (28, 5, 6.0, 12, 0.42, 90, 45),
    "base":    (500, 8, 7.0, 10, 0.0, 0, 0),
}

@dataclass
class Unit:
    uid: int
    team: int
    kind: str
    x: float; y: float; hp: float
    order: str = "idle"
    targetX: float = 0.0; targetY: float = 0.0
    targetUnit: Optional[int] = None
    cooldown: int = 0; cargo: int = 0
    @property
    def stats(self):
        return UNIT_STATS[self.kind]
    def distanceTo(self, other):
        return math.sqrt((self.x - other.x) ** 2 + (self.y - other.y) ** 2)

class Team:
    def __init__(self, index):
        self.index, self.minerals, self.queue = index, 150, []
        self.kills = self.losses = self.harvested = 0

class Engine:
    maxTicks = 1600
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.systems = [EconomySystem(), ProductionSystem(), MovementSystem(),
                        CollisionSystem(), CombatSystem(), CleanupSystem()]
        self.ai = AIController(1, self.rng)
        self.start()
    def start(self):
        self.tickCount = self.nextUid = 0
        self.units, self.teams = [], [Team(0), Team(1)]
        self.fields = [(10.0, 22.0, 0), (54.0, 42.0, 0), (32.0, 32.0, 0)]
        self.bases = {}
        for team, (bx, by) in enumerate([(8.0, 10.0), (56.0, 54.0)]):
            self.bases[team] = self.spawn(team, "base", bx, by)
            for kind in ["worker"] * 5 + ["soldier"] * 4:
                self.spawn(team, kind, bx + self.rng.uniform(-4, 4), by + self.rng.uniform(-4, 4))
        self.ai.restart()
    def spawn(self, team, kind, x, y):
        unit = Unit(self.nextUid, team, kind, x, y, UNIT_STATS[kind][0])
        if kind == "worker":
            unit.order = "harvest"
        self.nextUid += 1
        self.units.append(unit)
        return unit
    def findUnit(self, uid):
        return next((unit for unit in self.units if unit.uid == uid), None)
    def unitsOf(self, team, *kinds):
        return [u for u in self.units if u.team == team and (not kinds or u.kind in kinds)]
    def enqueue(self, teamIndex, kind):
        team = self.teams[teamIndex]
        cost, buildTicks = UNIT_STATS[kind][5], UNIT_STATS[kind][6]
        if team.minerals >= cost and len(team.queue) < 3:
            team.minerals -= cost
            team.queue.append([kind, buildTicks])
    def tick(self):
        if self.tickCount % 10 == 0:
            watch.push("env.opponent")
            self.ai.think(self)
            watch.pop()
        for system in self.systems:
            system.update(self)
        self.tickCount += 1
    def isOver(self):
        return self.bases[0].hp <= 0 or self.bases[1].hp <= 0 or self.tickCount >= self.maxTicks
    def winner(self):
        return 0 if self.bases[1].hp <= 0 else 1 if self.bases[0].hp <= 0 else None
