"""
Cantina - un piccolo roguelike. Si scende di cantina in cantina raccogliendo monete.

  #  muro      .  pavimento     >  scala
  $  monete    !  pozione       ?  pergamena (teletrasporto)    /  coltelli     *  bomba
  ,  muffa: si allarga piano, chi ci cammina dentro si fa male (bombe e scale la puliscono)

  r  topo (a caso)   g  goblin (insegue)   a  arciere (tira da lontano)   O  orco (lento, fa male)
"""
import random
from collections import deque

import numpy as np

W = H = 22
SIGHT = 6
WIN = 11                    # finestra dell'osservazione (dispari)
MAX_TURNS = 400
LAST_FLOOR = 5

SLOTS = 5                   # tasche dello zaino
UP, RIGHT, DOWN, LEFT, WAIT = range(5)
N_ACTIONS = 5 + SLOTS       # le altre: usa la tasca 0..4
MOVES = ((-1, 0), (0, 1), (1, 0), (0, -1))

# nome: (vita, danno, oro, fiuto)
KINDS = {"r": (2, 1, 1, 3), "g": (4, 2, 2, 8), "a": (3, 2, 3, 9), "O": (9, 4, 5, 7)}
KIND_NO = {k: i for i, k in enumerate("rgaO")}
ITEMS = "$!?/*>"
USABLE = "!?/*"
N_PLANES = 4 + len(ITEMS) + len(KINDS)
N_SCALARS = 18 + SLOTS * len(USABLE) + N_ACTIONS


class Monster:
    __slots__ = ("kind", "y", "x", "hp", "awake", "rest")

    def __init__(self, kind, y, x):
        self.kind, self.y, self.x = kind, y, x
        self.hp = KINDS[kind][0]
        self.awake = False
        self.rest = 0


def circle_rays(radius):
    """tutte le linee di Bresenham dal centro al bordo del quadrato (calcolate una volta)"""
    rays = []
    edge = [(dy, dx) for dy in range(-radius, radius + 1) for dx in range(-radius, radius + 1)
            if max(abs(dy), abs(dx)) == radius]
    for ty, tx in edge:
        pts, n = [], max(abs(ty), abs(tx))
        for k in range(1, n + 1):
            y, x = round(ty * k / n), round(tx * k / n)
            if y * y + x * x > radius * radius + 2:
                break
            pts.append((y, x))
        rays.append(pts)
    return rays


RAYS = circle_rays(SIGHT)


class Cantina:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.msg = ""

    # ------------------------------------------------------------ la partita
    def new_game(self):
        self.hp = self.max_hp = 16
        self.gold = 0
        self.bag = ["!", "/", "/"]
        self.floor = 1
        self.turn = 0
        self.dead = False
        self.won = False
        self.kills = 0
        self.last_action = WAIT
        self.dig()
        self.update_sight()

    @property
    def over(self):
        return self.dead or self.won or self.turn >= MAX_TURNS

    def dig(self):
        """stanze e corridoi; ripete finche' la scala si raggiunge (quasi sempre la prima volta)"""
        rng = self.rng
        while True:
            self.wall = [[True] * W for _ in range(H)]
            rooms = []
            for _ in range(30):
                h, w = rng.randint(3, 6), rng.randint(3, 6)
                y, x = rng.randint(1, H - h - 1), rng.randint(1, W - w - 1)
                if any(y <= b + 1 and a <= y + h and x <= d + 1 and c <= x + w for a, b, c, d in rooms):
                    continue
                rooms.append((y, y + h - 1, x, x + w - 1))
                for yy in range(y, y + h):
                    for xx in range(x, x + w):
                        self.wall[yy][xx] = False
                if len(rooms) == 6:
                    break
            if len(rooms) < 4:
                continue
            centres = [((a + b) // 2, (c + d) // 2) for a, b, c, d in rooms]
            for (y0, x0), (y1, x1) in zip(centres, centres[1:]):
                y, x = y0, x0
                while (y, x) != (y1, x1):
                    self.wall[y][x] = False
                    if x != x1 and (y == y1 or rng.random() < 0.7):
                        x += 1 if x1 > x else -1
                    else:
                        y += 1 if y1 > y else -1
            self.y, self.x = centres[0]
            dist = self.flood(self.y, self.x, 10_000)
            stairs = max((c for c in centres[1:]), key=lambda c: dist[c[0]][c[1]])
            if dist[stairs[0]][stairs[1]] < 10_000:
                break

        floor = [(y, x) for y in range(H) for x in range(W)
                 if not self.wall[y][x] and dist[y][x] < 10_000]
        far = [c for c in floor if dist[c[0]][c[1]] > 4 and c != stairs]
        rng.shuffle(far)
        self.things = {stairs: ">"}
        for what, n in (("$", 7), ("!", 2), ("?", 1), ("/", 2), ("*", 1)):
            for _ in range(n):
                self.things[far.pop()] = what
        self.traps = {far.pop() for _ in range(3)}
        self.monsters = []
        pool = "rrg" + "ga" * (self.floor - 1) + "O" * (self.floor // 2)
        for _ in range(4 + self.floor):
            self.monsters.append(Monster(rng.choice(pool), *far.pop()))
        self.mould = [[0.0] * W for _ in range(H)]
        for _ in range(3 + self.floor):
            y, x = far.pop()
            self.mould[y][x] = 1.0
        self.known = [[False] * W for _ in range(H)]
        self.visible = set()

    def flood(self, y, x, limit):
        """distanze in passi da (y, x), fino a limit"""
        big = 10_000
        dist = [[big] * W for _ in range(H)]
        dist[y][x] = 0
        todo = deque([(y, x)])
        wall = self.wall
        while todo:
            cy, cx = todo.popleft()
            d = dist[cy][cx] + 1
            if d > limit:
                break
            for dy, dx in MOVES:
                ny, nx = cy + dy, cx + dx
                if not wall[ny][nx] and dist[ny][nx] > d:
                    dist[ny][nx] = d
                    todo.append((ny, nx))
        return dist

    # --------------------------------------------------------------- l'eroe
    def legal(self):
        """maschera delle azioni: muri, e per ogni tasca se l'oggetto adesso serve a qualcosa"""
        m = [True] * N_ACTIONS
        for a, (dy, dx) in enumerate(MOVES):
            m[a] = not self.wall[self.y + dy][self.x + dx]
        # come in tutti i roguelike: non si riposa (e non si spreca una pergamena) se nessuno/qualcuno e' vicino
        near = self.flood(self.y, self.x, 7)
        threat = any(near[mo.y][mo.x] <= 7 for mo in self.monsters)
        m[WAIT] = not threat
        for k in range(SLOTS):
            m[5 + k] = self.usable(k) and (threat or self.bag[k] != "?")
        return m

    def usable(self, k):
        if k >= len(self.bag) or self.bag[k] in self.bag[:k]:
            return False        # due uguali: basta la prima tasca
        what = self.bag[k]
        if what == "!":
            return self.hp < self.max_hp
        if what == "?":
            return True         # vedi legal()
        if what == "/":
            return self.target() is not None
        return len(self.blast()) > 0

    def visible_monsters(self):
        return [mo for mo in self.monsters if (mo.y, mo.x) in self.visible]

    def target(self):
        """il mostro visibile piu' vicino, non adiacente e con la linea di tiro libera"""
        best, found = 99, None
        for mo in self.visible_monsters():
            d = abs(mo.y - self.y) + abs(mo.x - self.x)
            if 1 < d < best and self.clear_line(mo.y, mo.x):
                best, found = d, mo
        return found

    def blast(self):
        """chi prende la bomba: mostri e muffa entro due passi in linea d'aria"""
        out = []
        for dy in range(-2, 3):
            for dx in range(-2, 3):
                y, x = self.y + dy, self.x + dx
                if 0 < y < H - 1 and 0 < x < W - 1 and not self.wall[y][x] and (dy or dx):
                    mo = self.monster_at(y, x)
                    if (mo is not None or self.mould[y][x] > 0.5) and self.clear_line(y, x):
                        out.append((y, x, mo))
        return out

    def monster_at(self, y, x):
        for mo in self.monsters:
            if mo.y == y and mo.x == x:
                return mo
        return None

    def hurt(self, mo, n):
        mo.hp -= n
        mo.awake = True
        if mo.hp <= 0:
            self.monsters.remove(mo)
            self.kills += 1
            self.gold += KINDS[mo.kind][2]
            return 0.1 + 0.1 * KINDS[mo.kind][2]
        return 0.02

    def hero_turn(self, action):
        """mossa dell'eroe; restituisce la ricompensa"""
        rng = self.rng
        self.turn += 1
        self.last_action = action
        r = -0.005
        if action < 4:
            dy, dx = MOVES[action]
            y, x = self.y + dy, self.x + dx
            mo = self.monster_at(y, x)
            if mo is not None:
                r += self.hurt(mo, rng.randint(1, 4))
            elif not self.wall[y][x]:
                self.y, self.x = y, x
                r += self.stand_on(y, x)
        elif action > WAIT and self.usable(action - 5):
            r += self.use(self.bag.pop(action - 5))
        r += self.grow_mould()
        if self.turn % 12 == 0 and self.hp < self.max_hp:
            self.hp += 1
        return r

    def use(self, what):
        rng = self.rng
        if what == "!":
            healed = min(8, self.max_hp - self.hp)
            self.hp += healed
            return 0.03 * healed
        if what == "?":
            while True:
                y, x = rng.randrange(1, H - 1), rng.randrange(1, W - 1)
                if not self.wall[y][x] and self.monster_at(y, x) is None:
                    break
            self.y, self.x = y, x
            return self.stand_on(y, x)
        if what == "/":
            mo = self.target()
            return self.hurt(mo, rng.randint(2, 4)) if mo is not None and rng.random() < 0.8 else 0.0
        r = 0.0
        for y, x, mo in self.blast():
            self.mould[y][x] = 0.0
            if mo is not None:
                r += self.hurt(mo, 4)
        return r

    def grow_mould(self):
        """automa cellulare: la muffa cresce un poco e passa ai vicini, sul vecchio quadro"""
        if self.dead or self.won:
            return 0.0
        old, wall = self.mould, self.wall
        new = [row[:] for row in old]
        for y in range(1, H - 1):
            row, up, down, w = old[y], old[y - 1], old[y + 1], wall[y]
            for x in range(1, W - 1):
                if w[x]:
                    continue
                around = up[x] + down[x] + row[x - 1] + row[x + 1]
                if around > 0.0 or row[x] > 0.0:
                    v = row[x] + 0.012 * around - 0.016 * row[x] * row[x] - 0.004
                    new[y][x] = 0.0 if v < 0.004 else 1.0 if v > 1.0 else v
        self.mould = new
        if new[self.y][self.x] > 0.5:
            self.hp -= 1
            if self.hp <= 0:
                self.dead = True
                return -1.05
            return -0.05
        return 0.0

    def stand_on(self, y, x):
        r = 0.0
        if (y, x) in self.traps:
            self.traps.discard((y, x))
            self.hp -= 2
            r -= 0.1
            if self.hp <= 0:
                self.dead = True
                return r - 1.0
        what = self.things.get((y, x))
        if what is None:
            return r
        if what == ">":
            if self.floor == LAST_FLOOR:
                self.won = True
                return r + 3.0
            self.floor += 1
            self.dig()
            return r + 1.5
        del self.things[(y, x)]
        if what == "$":
            self.gold += 3
            r += 0.3
        elif len(self.bag) < SLOTS:
            self.bag.append(what)
            r += 0.1
        else:
            self.things[(y, x)] = what      # zaino pieno: resta li'
        return r

    # -------------------------------------------------------------- i mostri
    def monsters_turn(self):
        """tutti i mostri agiscono; restituisce la ricompensa (negativa) dei colpi presi"""
        if self.over:
            return 0.0
        rng = self.rng
        near = self.flood(self.y, self.x, 11)
        taken = {(m.y, m.x) for m in self.monsters}
        wound = 0
        for mo in self.monsters:
            hp, dmg, _, smell = KINDS[mo.kind]
            d = near[mo.y][mo.x]
            if not mo.awake and d <= smell and rng.random() < 0.5:
                mo.awake = True
            if mo.kind == "O":
                mo.rest ^= 1
                if mo.rest:
                    continue
            if d == 1:
                if rng.random() < 0.7:
                    wound += rng.randint(1, dmg)
                continue
            if mo.kind == "a" and mo.awake and d <= smell and (mo.y, mo.x) in self.visible:
                if self.clear_line(mo.y, mo.x) and rng.random() < 0.35:
                    wound += rng.randint(1, dmg)
                    continue
            step = None
            if mo.kind == "r" or not mo.awake or d >= 10_000:
                if rng.random() < 0.6:
                    dy, dx = rng.choice(MOVES)
                    step = (mo.y + dy, mo.x + dx)
            else:
                # in discesa sulla mappa delle distanze; gli arcieri stanno a tre passi
                want_far = mo.kind == "a" and d <= 3
                best = None
                for dy, dx in MOVES:
                    y, x = mo.y + dy, mo.x + dx
                    if self.wall[y][x] or (y, x) in taken:
                        continue
                    v = near[y][x]
                    if want_far:
                        v = -v if v < 10_000 else 0
                    v += rng.random() * 0.5
                    if best is None or v < best:
                        best, step = v, (y, x)
            if step is None or self.wall[step[0]][step[1]] or step in taken or step == (self.y, self.x):
                continue
            taken.discard((mo.y, mo.x))
            mo.y, mo.x = step
            taken.add(step)
        if wound == 0:
            return 0.0
        self.hp -= wound
        if self.hp <= 0:
            self.dead = True
            return -0.04 * wound - 1.0
        return -0.04 * wound

    def clear_line(self, y, x):
        n = max(abs(y - self.y), abs(x - self.x))
        for k in range(1, n):
            if self.wall[round(self.y + (y - self.y) * k / n)][round(self.x + (x - self.x) * k / n)]:
                return False
        return True

    # --------------------------------------------------------------- vedere
    def update_sight(self):
        """campo visivo: raggi fino al primo muro"""
        seen = {(self.y, self.x)}
        wall, known = self.wall, self.known
        cy, cx = self.y, self.x
        fresh = 0
        for ray in RAYS:
            for dy, dx in ray:
                y, x = cy + dy, cx + dx
                if y < 0 or x < 0 or y >= H or x >= W:
                    break
                seen.add((y, x))
                if wall[y][x]:
                    break
        for y, x in seen:
            if not known[y][x]:
                known[y][x] = True
                fresh += 1
        self.visible = seen
        return fresh

    def nose(self):
        """prima mossa verso: la roba vista piu' vicina, il bordo dell'ignoto, la scala (tre volte 4 direzioni).
        Senza questo in venti secondi non impara niente: l'ho scoperto dopo due giorni."""
        out = [0.0] * 12
        wall, known, things = self.wall, self.known, self.things
        room = len(self.bag) < SLOTS
        first = {(self.y, self.x): -1}
        todo = deque([(self.y, self.x)])
        missing = {0, 1, 2}
        while todo and missing:
            y, x = todo.popleft()
            for a, (dy, dx) in enumerate(MOVES):
                c = (y + dy, x + dx)
                if c in first or wall[c[0]][c[1]]:
                    continue
                way = first[(y, x)]
                way = a if way < 0 else way
                first[c] = way
                if not known[c[0]][c[1]]:
                    if 1 in missing:
                        missing.discard(1)
                        out[4 + way] = 1.0
                    continue
                what = things.get(c)
                if what == ">" and 2 in missing:
                    missing.discard(2)
                    out[8 + way] = 1.0
                elif what is not None and what != ">" and (room or what == "$") and 0 in missing:
                    missing.discard(0)
                    out[way] = 1.0
                todo.append(c)
        return out

    def picture(self):
        """(piani WIN x WIN, scalari) come un solo vettore float32"""
        planes = np.zeros((N_PLANES, WIN, WIN), np.float32)
        r = WIN // 2
        known, wall, visible, things = self.known, self.wall, self.visible, self.things
        for i in range(WIN):
            y = self.y - r + i
            if y < 0 or y >= H:
                continue
            for j in range(WIN):
                x = self.x - r + j
                if x < 0 or x >= W or not known[y][x]:
                    continue
                planes[0, i, j] = 1.0
                if wall[y][x]:
                    planes[1, i, j] = 1.0
                    continue
                if (y, x) in visible:
                    planes[2, i, j] = 1.0
                    planes[3, i, j] = self.mould[y][x]
                what = things.get((y, x))
                if what is not None:
                    planes[4 + ITEMS.index(what), i, j] = 1.0
        base = 4 + len(ITEMS)
        for mo in self.monsters:
            if (mo.y, mo.x) in visible:
                i, j = mo.y - self.y + r, mo.x - self.x + r
                if 0 <= i < WIN and 0 <= j < WIN:
                    planes[base + KIND_NO[mo.kind], i, j] = 0.3 + 0.7 * mo.hp / KINDS[mo.kind][0]
        one = [0.0] * N_ACTIONS
        one[self.last_action] = 1.0
        bag = [0.0] * (SLOTS * len(USABLE))
        for k, what in enumerate(self.bag):
            bag[k * len(USABLE) + USABLE.index(what)] = 1.0
        s = [self.hp / self.max_hp, self.gold / 40, self.floor / LAST_FLOOR, self.turn / MAX_TURNS,
             self.y / H, self.x / W] + self.nose() + bag + one
        return np.concatenate([planes.ravel(), np.array(s, np.float32)])

    def draw(self):
        out = []
        for y in range(H):
            row = ""
            for x in range(W):
                mo = self.monster_at(y, x)
                if (y, x) == (self.y, self.x):
                    row += "@"
                elif not self.known[y][x]:
                    row += " "
                elif mo is not None and (y, x) in self.visible:
                    row += mo.kind
                else:
                    bare = "," if self.mould[y][x] > 0.5 else "."
                    row += "#" if self.wall[y][x] else self.things.get((y, x), bare)
            out.append(row)
        return "\n".join(out) + f"\nvita {self.hp}  oro {self.gold}  cantina {self.floor}  turno {self.turn}  zaino {' '.join(self.bag)}"
