"""ユニットと地形のデータ / unit and terrain tables"""
from dataclasses import dataclass

PLAIN, FOREST, HILL, WALL, FORT = range(5)
MOVE_COST = {PLAIN: 1, FOREST: 2, HILL: 2, WALL: 99, FORT: 1}
DEF_BONUS = {PLAIN: 0, FOREST: 2, HILL: 1, WALL: 0, FORT: 2}
AVOID = {PLAIN: 0.0, FOREST: 0.2, HILL: 0.1, WALL: 0.0, FORT: 0.1}
GLYPH = {PLAIN: ".", FOREST: "f", HILL: "^", WALL: "#", FORT: "H"}


@dataclass(frozen=True)
class Job:
    name: str
    hp: int
    atk: int
    df: int
    move: int
    rmin: int
    rmax: int
    magic: bool = False


JOBS = [
    Job("Knight", 24, 10, 5, 2, 1, 1),
    Job("Archer", 16, 9, 2, 3, 2, 3),
    Job("Mage", 14, 8, 1, 2, 1, 2, magic=True),
    Job("Rider", 18, 9, 3, 3, 1, 1),
]


class Unit:
    __slots__ = ("job", "cls", "side", "slot", "x", "y", "hp", "acted", "morale")

    def __init__(self, cls, side, slot, x, y):
        self.cls = cls
        self.job = JOBS[cls]
        self.side = side
        self.slot = slot
        self.x = x
        self.y = y
        self.hp = self.job.hp
        self.acted = False
        self.morale = 0

    @property
    def alive(self):
        return self.hp > 0

    @property
    def pos(self):
        return (self.x, self.y)
