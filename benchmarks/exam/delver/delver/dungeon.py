from __future__ import annotations
import heapq
import random
from dataclasses import dataclass, field
from enum import IntEnum

from .config import DungeonConfig
from .stopwatch import STOPWATCH

class Tile(IntEnum):
    WALL = 0
    FLOOR = 1
    STAIRS = 2

@dataclass(frozen=True, order=True)
class Point:
    x: int
    y: int
    def __add__(self, other: Point) -> Point:
        return Point(self.x + other.x, self.y + other.y)
    def distance(self, other: Point) -> int:
        return max(abs(self.x - other.x), abs(self.y - other.y))

MOVES: list[Point] = [Point(dx, dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dx, dy) != (0, 0)]
NUM_ACTIONS: int = len(MOVES)

@dataclass
class Monster:
    pos: Point
    hp: int = 4
    damage: int = 2
    awake: bool = False

@dataclass
class TurnEvents:
    gold: int = 0
    damage_dealt: int = 0
    kills: int = 0
    damage_taken: int = 0
    bumped: bool = False
    descended: bool = False
    died: bool = False
    newly_seen: int = 0
    timeout: bool = False

@dataclass
class Dungeon:
    cfg: DungeonConfig
    rng: random.Random
    tiles: list[list[Tile]] = field(default_factory=list)
    monsters: list[Monster] = field(default_factory=list)
    gold: set[Point] = field(default_factory=set)
    explored: set[Point] = field(default_factory=set)
    visible: set[Point] = field(default_factory=set)
    player: Point = Point(0, 0)
    hp: int = 0
    turn: int = 0
    def reset(self) -> None:
        c = self.cfg
        self.tiles = [[Tile.WALL] * c.width for _ in range(c.height)]
        centres: list[Point] = []
        for _ in range(c.rooms):
            w, h = self.rng.randint(3, 7), self.rng.randint(3, 5)
            x, y = self.rng.randint(1, c.width - w - 1), self.rng.randint(1, c.height - h - 1)
            for yy in range(y, y + h):
                for xx in range(x, x + w):
                    self.tiles[yy][xx] = Tile.FLOOR
            centres.append(Point(x + w // 2, y + h // 2))
        for a, b in zip(centres, centres[1:]):
            for xx in range(min(a.x, b.x), max(a.x, b.x) + 1):
                self.tiles[a.y][xx] = Tile.FLOOR
            for yy in range(min(a.y, b.y), max(a.y, b.y) + 1):
                self.tiles[yy][b.x] = Tile.FLOOR
        floor = [Point(x, y) for y in range(c.height) for x in range(c.width) if self.tiles[y][x] is Tile.FLOOR]
        spots = self.rng.sample(floor, 2 + c.monsters + c.gold)
        self.player, stairs = spots[0], spots[1]
        self.tiles[stairs.y][stairs.x] = Tile.STAIRS
        self.monsters = [Monster(p) for p in spots[2:2 + c.monsters]]
        self.gold = set(spots[2 + c.monsters:])
        self.hp, self.turn = c.max_hp, 0
        self.explored = set()
        self._update_sight()
    def walkable(self, p: Point) -> bool:
        return 0 <= p.x < self.cfg.width and 0 <= p.y < self.cfg.height and self.tiles[p.y][p.x] is not Tile.WALL
    def monster_at(self, p: Point) -> Monster | None:
        return next((m for m in self.monsters if m.pos == p), None)
    def line_clear(self, a: Point, b: Point) -> bool:
        steps = a.distance(b)
        for i in range(1, steps):
            x, y = round(a.x + (b.x - a.x) * i / steps), round(a.y + (b.y - a.y) * i / steps)
            if self.tiles[y][x] is Tile.WALL:
                return False
        return True
    def step(self, action: int) -> TurnEvents:
        events = TurnEvents()
        self.turn += 1
        self._move_player(self.player + MOVES[action], events)
        if not events.descended:
            with STOPWATCH.section("env.opponent"):
                self._monsters_turn(events)
        events.newly_seen = self._update_sight()
        events.died = self.hp <= 0
        events.timeout = self.turn >= self.cfg.max_turns
        return events
    def _move_player(self, target: Point, events: TurnEvents) -> None:
        if not self.walkable(target):
            events.bumped = True
            return
        if (monster := self.monster_at(target)) is not None:
            events.damage_dealt = self.rng.randint(1, 3)
            monster.hp -= events.damage_dealt
            monster.awake = True
            if monster.hp <= 0:
                self.monsters.remove(monster)
                events.kills = 1
            return
        self.player = target
        events.gold = int(target in self.gold)
        self.gold.discard(target)
        events.descended = self.tiles[target.y][target.x] is Tile.STAIRS
    def _monsters_turn(self, events: TurnEvents) -> None:
        for m in self.monsters:
            if not m.awake:
                m.awake = m.pos in self.visible and self.rng.random() < 0.5
                continue
            if m.pos.distance(self.player) == 1:
                if self.rng.random() < 0.6:
                    self.hp -= m.damage
                    events.damage_taken += m.damage
                continue
            step = self._next_step(m.pos, self.player)
            if step is not None and step != self.player and self.monster_at(step) is None:
                m.pos = step
    def _next_step(self, start: Point, goal: Point) -> Point | None:
        """A*"""
        frontier: list[tuple[int, Point]] = [(0, start)]
        came: dict[Point, Point | None] = {start: None}
        cost: dict[Point, int] = {start: 0}
        while frontier:
            _, here = heapq.heappop(frontier)
            if here == goal:
                break
            for d in MOVES:
                nxt = here + d
                if self.walkable(nxt) and cost[here] + 1 < cost.get(nxt, 10 ** 6):
                    cost[nxt] = cost[here] + 1
                    came[nxt] = here
                    heapq.heappush(frontier, (cost[nxt] + nxt.distance(goal), nxt))
        if goal not in came:
            return None
        node = goal
        while came[node] != start:
            node = came[node]  # type: ignore[assignment]
        return node
    def _update_sight(self) -> int:
        c, r = self.cfg, self.cfg.sight
        self.visible = set()
        for y in range(max(0, self.player.y - r), min(c.height, self.player.y + r + 1)):
            for x in range(max(0, self.player.x - r), min(c.width, self.player.x + r + 1)):
                p = Point(x, y)
                if self.line_clear(self.player, p):
                    self.visible.add(p)
        fresh = self.visible - self.explored
        self.explored |= fresh
        return len(fresh)
