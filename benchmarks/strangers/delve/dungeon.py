"""The dungeon: map, monsters, items and the rules. No gym in here."""
import random
from collections import deque
from dataclasses import dataclass

W, H = 34, 20
WALL, FLOOR, STAIRS = 0, 1, 2
DIRS = [(0, -1), (1, 0), (0, 1), (-1, 0)]
DIRS8 = DIRS + [(1, -1), (1, 1), (-1, 1), (-1, -1)]

BESTIARY = {
    "rat": (3, 1, 0.9, 2),
    "goblin": (6, 2, 0.7, 5),
    "ogre": (14, 4, 0.5, 12),
}


@dataclass
class Monster:
    kind: str
    x: int
    y: int
    hp: int
    dmg: int
    speed: float
    xp: int
    awake: bool = False


@dataclass
class Hero:
    x: int = 0
    y: int = 0
    hp: int = 20
    max_hp: int = 20
    atk: int = 3
    xp: int = 0
    level: int = 1
    potions: int = 1
    gold: int = 0


class Room:
    def __init__(self, x, y, w, h):
        self.x, self.y, self.w, self.h = x, y, w, h

    def center(self):
        return self.x + self.w // 2, self.y + self.h // 2

    def hits(self, o):
        return (self.x <= o.x + o.w + 1 and o.x <= self.x + self.w + 1
                and self.y <= o.y + o.h + 1 and o.y <= self.y + self.h + 1)


class Dungeon:
    def __init__(self, rng=None):
        self.rng = rng or random.Random()
        self.depth = 1
        self.hero = Hero()
        self.messages = []

    # ---- generation -------------------------------------------------
    def new_game(self):
        self.depth = 1
        self.hero = Hero()
        self.turn = 0
        self.dead = False
        self.dig_level()

    def dig_level(self):
        r = self.rng
        self.tiles = [[WALL] * W for _ in range(H)]
        self.seen = [[False] * W for _ in range(H)]
        self.items = {}
        self.monsters = []
        rooms = []
        for _ in range(40):
            w, h = r.randint(3, 8), r.randint(3, 5)
            room = Room(r.randint(1, W - w - 2), r.randint(1, H - h - 2), w, h)
            if any(room.hits(o) for o in rooms):
                continue
            for yy in range(room.y, room.y + h):
                for xx in range(room.x, room.x + w):
                    self.tiles[yy][xx] = FLOOR
            if rooms:
                self.tunnel(rooms[-1].center(), room.center())
            rooms.append(room)
        self.rooms = rooms
        self.hero.x, self.hero.y = rooms[0].center()
        sx, sy = rooms[-1].center()
        self.tiles[sy][sx] = STAIRS
        for room in rooms[1:]:
            for _ in range(r.randint(0, 2)):
                self.spawn(room)
            if r.random() < 0.6:
                pos = self.free_spot(room)
                self.items[pos] = r.choice(["gold", "gold", "potion", "sword"])
        self.visible = set()
        self.look()

    def tunnel(self, a, b):
        (x, y), (x2, y2) = a, b
        horizontal_first = self.rng.random() < 0.5
        while (x, y) != (x2, y2):
            if self.tiles[y][x] == WALL:
                self.tiles[y][x] = FLOOR
            if (horizontal_first and x != x2) or y == y2:
                x += 1 if x2 > x else -1
            else:
                y += 1 if y2 > y else -1

    def free_spot(self, room):
        return (self.rng.randrange(room.x, room.x + room.w),
                self.rng.randrange(room.y, room.y + room.h))

    def spawn(self, room):
        kind = self.rng.choices(list(BESTIARY), [5, 3, self.depth * 0.5])[0]
        hp, dmg, speed, xp = BESTIARY[kind]
        x, y = self.free_spot(room)
        if not self.monster_at(x, y):
            self.monsters.append(Monster(kind, x, y, hp + self.depth, dmg, speed, xp))

    # ---- queries ----------------------------------------------------
    def monster_at(self, x, y):
        for m in self.monsters:
            if m.x == x and m.y == y:
                return m
        return None

    def walkable(self, x, y):
        return 0 <= x < W and 0 <= y < H and self.tiles[y][x] != WALL

    def line_clear(self, x0, y0, x1, y1):
        dx, dy = abs(x1 - x0), -abs(y1 - y0)
        sx = 1 if x0 < x1 else -1
        sy = 1 if y0 < y1 else -1
        err = dx + dy
        while (x0, y0) != (x1, y1):
            e2 = 2 * err
            if e2 >= dy:
                err += dy
                x0 += sx
            if e2 <= dx:
                err += dx
                y0 += sy
            if (x0, y0) != (x1, y1) and self.tiles[y0][x0] == WALL:
                return False
        return True

    def look(self, radius=5):
        hx, hy = self.hero.x, self.hero.y
        vis = set()
        for y in range(max(0, hy - radius), min(H, hy + radius + 1)):
            for x in range(max(0, hx - radius), min(W, hx + radius + 1)):
                if self.line_clear(hx, hy, x, y):
                    vis.add((x, y))
        self.visible = vis
        fresh = 0
        for x, y in vis:
            if not self.seen[y][x]:
                self.seen[y][x] = True
                fresh += 1
        return fresh

    def scent(self, limit=12):
        dist = {(self.hero.x, self.hero.y): 0}
        q = deque(dist)
        while q:
            x, y = q.popleft()
            d = dist[x, y] + 1
            if d > limit:
                continue
            for dx, dy in DIRS8:
                p = (x + dx, y + dy)
                if p not in dist and self.walkable(*p):
                    dist[p] = d
                    q.append(p)
        return dist

    # ---- a turn -----------------------------------------------------
    def hero_turn(self, what):
        """0-3 walk/fight, 4 quaff, 5 wait. Returns list of things that happened."""
        h = self.hero
        happened = []
        if what < 4:
            dx, dy = DIRS[what]
            nx, ny = h.x + dx, h.y + dy
            m = self.monster_at(nx, ny)
            if m:
                m.hp -= self.rng.randint(1, h.atk)
                m.awake = True
                happened.append("hit")
                if m.hp <= 0:
                    self.monsters.remove(m)
                    h.xp += m.xp
                    happened.append("kill")
                    if h.xp >= 15 * h.level:
                        h.level += 1
                        h.atk += 1
                        h.max_hp += 4
                        h.hp = min(h.max_hp, h.hp + 4)
                        happened.append("level")
            elif self.walkable(nx, ny):
                h.x, h.y = nx, ny
                it = self.items.pop((nx, ny), None)
                if it == "gold":
                    h.gold += self.rng.randint(1, 9)
                elif it == "potion":
                    h.potions += 1
                elif it == "sword":
                    h.atk += 1
                if it:
                    happened.append(it)
                if self.tiles[ny][nx] == STAIRS:
                    happened.append("stairs")
            else:
                happened.append("bump")
        elif what == 4:
            if h.potions:
                h.potions -= 1
                h.hp = min(h.max_hp, h.hp + 10)
                happened.append("quaff")
        return happened

    def monsters_turn(self):
        h = self.hero
        pain = 0
        scent = None
        for m in self.monsters:
            if not m.awake:
                if (m.x, m.y) in self.visible and self.rng.random() < 0.7:
                    m.awake = True
                continue
            if self.rng.random() > m.speed:
                continue
            if max(abs(m.x - h.x), abs(m.y - h.y)) == 1:
                pain += self.rng.randint(0, m.dmg)
                continue
            if scent is None:
                scent = self.scent()
            best, spot = scent.get((m.x, m.y), 99), None
            for dx, dy in DIRS8:
                p = (m.x + dx, m.y + dy)
                d = scent.get(p, 99)
                if d < best and d > 0 and not self.monster_at(*p):
                    best, spot = d, p
            if spot:
                m.x, m.y = spot
        h.hp -= pain
        if h.hp <= 0:
            self.dead = True
        return pain
