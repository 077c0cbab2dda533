# A school of small games: when the pupil is good enough at one, the next one opens.
import json, os, random, time
from collections import deque, defaultdict
import numpy as np
import torch
from torch import nn
torch.set_num_threads(1)

WIDTH = 40
LESSONS = []
T = defaultdict(float)
tick = time.perf_counter


def lesson(cls):
    LESSONS.append(cls)
    return cls


@lesson
class Catch:
    choices = 3
    def begin(self):
        self.col, self.drop, self.high = random.randrange(10), random.randrange(10), 12
        return self.picture()
    def picture(self):
        v = [0.0] * WIDTH
        v[self.col] = 1.0
        v[10 + self.drop] = 1.0
        v[20] = self.high / 12
        for i in range(WIDTH):
            for k in range(12):
                v[i] += 0.0001 * ((i * k) % 3)
        return v
    def apply(self, k):
        self.col = min(9, max(0, self.col + k - 1))
        self.high -= 1
        w = 0
        for i in range(900):
            w += (i * self.col) % 7
        gone = self.high == 0
        return self.picture(), (1.0 if gone and self.col == self.drop else 0.0), gone


@lesson
class Maze:
    choices = 4
    def begin(self):
        self.x = self.y = 0
        self.walls = {(random.randrange(9), random.randrange(9)) for _ in range(14)} - {(0, 0), (8, 8)}
        self.left = 60
        return self.picture()
    def picture(self):
        v = [0.0] * WIDTH
        v[self.x] = v[10 + self.y] = 1.0
        for d in range(12):
            for e in range(9):
                v[22] += (d, e) in self.walls
        v[22] /= 100
        return v
    def apply(self, k):
        dx, dy = ((1, 0), (-1, 0), (0, 1), (0, -1))[k % 4]
        nx, ny = self.x + dx, self.y + dy
        if 0 <= nx < 9 and 0 <= ny < 9 and (nx, ny) not in self.walls:
            self.x, self.y = nx, ny
        self.left -= 1
        far = self.flood()
        won = (self.x, self.y) == (8, 8)
        return self.picture(), (1.0 if won else -0.001 * far), won or self.left == 0
    def flood(self):
        seen, edge = {(self.x, self.y): 0}, deque([(self.x, self.y)])
        while edge:
            p = edge.popleft()
            for d in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                q = (p[0] + d[0], p[1] + d[1])
                if q not in seen and 0 <= q[0] < 9 and 0 <= q[1] < 9 and q not in self.walls:
                    seen[q] = seen[p] + 1
                    edge.append(q)
        return seen.get((8, 8), 30)


class Pupil:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(WIDTH, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, 4))
        self.adam = torch.optim.Adam(self.net.parameters(), 1e-3)
        self.past = deque(maxlen=20000)
        self.eps = 0.3
    def answer(self, v, n):
        if random.random() < self.eps:
            return random.randrange(n)
        with torch.no_grad():
            return int(self.net(torch.tensor(v)[None])[0, :n].argmax())
    def revise(self):
        rows = random.sample(self.past, 64)
        a, k, r, b, e = zip(*rows)
        a, b = torch.tensor(a), torch.tensor(b)
        q = self.net(a).gather(1, torch.tensor(k)[:, None])[:, 0]
        with torch.no_grad():
            goal = torch.tensor(r) + 0.97 * self.net(b).max(1).values * (1 - torch.tensor(e))
        err = nn.functional.smooth_l1_loss(q, goal)
        self.adam.zero_grad()
        err.backward()
        self.adam.step()


def main():
    limit = float(os.environ.get("WILD_SECONDS", 20))
    random.seed(4); torch.manual_seed(4)
    pupil, level, marks = Pupil(), 0, deque(maxlen=60)
    n_turns = n_games = n_rev = 0
    t_begin = tick()
    while tick() - t_begin < limit:
        room = LESSONS[random.randint(0, level)]()
        t = tick(); v = room.begin(); T["env.reset"] += tick() - t
        total, gone = 0.0, False
        while not gone:
            t = tick(); k = pupil.answer(v, room.choices); T["act"] += tick() - t
            t = tick(); w, r, gone = room.apply(k); T["env.step"] += tick() - t
            t = tick(); pupil.past.append((v, k, r, w, float(gone))); T["replay.add"] += tick() - t
            v = w
            total += r
            n_turns += 1
            if n_turns % 4 == 0 and len(pupil.past) > 300:
                t = tick(); pupil.revise(); T["learn"] += tick() - t
                n_rev += 1
        n_games += 1
        marks.append(total)
        if n_games > 60 and sum(marks) / len(marks) > 0.3 and level + 1 < len(LESSONS):
            level += 1
            marks.clear()
    wall = tick() - t_begin
    # the picture is drawn inside begin and apply: measured apart, one in 50
    stages = {"env.reset": T["env.reset"], "act": T["act"], "env.step+env.observe": T["env.step"], "replay.add": T["replay.add"], "replay.sample+learn.*": T["learn"]}
    stages["other"] = wall - sum(stages.values())
    json.dump({"wall_seconds": wall, "stages": stages, "env_steps": n_turns, "episodes": n_games, "updates": n_rev}, open(os.environ["WILD_TRUTH"], "w"))


main()
