from collections import deque

ROCK, FLOOR = 1, 0
WAYS = ((0, -1), (1, 0), (0, 1), (-1, 0))


def carve(dice, side, depth):
    """rooms + dog-leg corridors. returns rock grid and list of room rects"""
    rock = [[ROCK] * side for _ in range(side)]
    rooms = []
    tries = 0
    while len(rooms) < 5 and tries < 60:
        tries += 1
        w, h = dice.randint(3, 6), dice.randint(3, 5)
        x, y = dice.randint(1, side - w - 1), dice.randint(1, side - h - 1)
        clash = False
        for (a, b, c, d) in rooms:
            if x <= a + c and a <= x + w and y <= b + d and b <= y + h:
                clash = True
                break
        if clash:
            continue
        for yy in range(y, y + h):
            for xx in range(x, x + w):
                rock[yy][xx] = FLOOR
        if rooms:
            a, b, c, d = rooms[-1]
            x0, y0 = a + c // 2, b + d // 2
            x1, y1 = x + w // 2, y + h // 2
            while x0 != x1:
                rock[y0][x0] = FLOOR
                x0 += 1 if x1 > x0 else -1
            while y0 != y1:
                rock[y0][x0] = FLOOR
                y0 += 1 if y1 > y0 else -1
            rock[y1][x1] = FLOOR
        rooms.append((x, y, w, h))
    # some rubble deeper down
    for _ in range(min(depth, 6)):
        x, y, w, h = dice.choice(rooms)
        px, py = dice.randint(x, x + w - 1), dice.randint(y, y + h - 1)
        if (px, py) != (x + w // 2, y + h // 2):
            rock[py][px] = ROCK
            if not _all_joined(rock, rooms):
                rock[py][px] = FLOOR
    return rock, rooms


def _all_joined(rock, rooms):
    x, y, w, h = rooms[0]
    wet = soak(rock, x + w // 2, y + h // 2)
    for (a, b, c, d) in rooms:
        if wet[b + d // 2][a + c // 2] < 0:
            return False
    return True


def soak(rock, x, y, limit=999):
    """flood distances from x,y ; -1 where the water can't get"""
    side = len(rock)
    wet = [[-1] * side for _ in range(side)]
    wet[y][x] = 0
    todo = deque(((x, y),))
    while todo:
        cx, cy = todo.popleft()
        d = wet[cy][cx] + 1
        if d > limit:
            break
        for dx, dy in WAYS:
            nx, ny = cx + dx, cy + dy
            if rock[ny][nx] == FLOOR and wet[ny][nx] < 0:
                wet[ny][nx] = d
                todo.append((nx, ny))
    return wet


def sightline(rock, x0, y0, x1, y1):
    """bresenham, True if nothing solid strictly between"""
    dx, dy = abs(x1 - x0), -abs(y1 - y0)
    sx = 1 if x0 < x1 else -1
    sy = 1 if y0 < y1 else -1
    err = dx + dy
    while True:
        if x0 == x1 and y0 == y1:
            return True
        e2 = 2 * err
        if e2 >= dy:
            err += dy
            x0 += sx
        if e2 <= dx:
            err += dx
            y0 += sy
        if rock[y0][x0] and not (x0 == x1 and y0 == y1):
            return False
