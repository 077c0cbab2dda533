#!/usr/bin/env python3
# SNEAK - steal the gem, don't get seen. ppo, one file, no classes (ok, one)
import json, os, random, sys, time
from collections import defaultdict
import numpy as np
import torch
import torch.nn as nn

W, H = 15, 11
N_GUARDS = 5
N_ENVS = 8
T = 64              # rollout len
EPOCHS = 3
MB = 128
GAMMA, LAM, CLIP = 0.99, 0.95, 0.2
LR = 3e-4
ENT, VF = 0.01, 0.5
MAX_TURNS = 150
VIEW = 7            # guard view distance
SECS = float(os.environ.get("WILD_SECONDS", 20))
DIRS = [(0, -1), (1, 0), (0, 1), (-1, 0)]     # n e s w, 4 = wait

torch.set_num_threads(1)
rng = random.Random(4)
torch.manual_seed(4)
np.random.seed(4)

clk = defaultdict(float)
now = time.perf_counter


# ---------------------------------------------------------------- game
def floor_ok(walls, a, b):
    """can we walk from a to b"""
    todo, seen = [a], {a}
    while todo:
        x, y = todo.pop()
        if (x, y) == b:
            return True
        for dx, dy in DIRS:
            c = (x + dx, y + dy)
            if c not in seen and c not in walls:
                seen.add(c)
                todo.append(c)
    return False


def new_game():
    t0 = now()
    while True:
        walls = set()
        for x in range(W):
            walls.add((x, 0)); walls.add((x, H - 1))
        for y in range(H):
            walls.add((0, y)); walls.add((W - 1, y))
        for _ in range(9):
            x, y = rng.randint(2, W - 3), rng.randint(2, H - 3)
            dx, dy = rng.choice(DIRS)
            for k in range(rng.randint(2, 4)):
                if 1 < x + k * dx < W - 2 and 1 < y + k * dy < H - 2:
                    walls.add((x + k * dx, y + k * dy))
        thief, gem = (1, H - 2), (W - 2, 1)
        if floor_ok(walls, thief, gem):
            break
    free = [(x, y) for x in range(4, W - 1) for y in range(1, H - 3) if (x, y) not in walls]
    g = dict(walls=walls, thief=thief, gem=gem, exit=thief, got=False, turn=0, alarm=0.0, total=0.0, over=False, won=False)
    g["guards"] = [dict(pos=rng.choice(free), dir=rng.randrange(4), goal=None, path=[]) for _ in range(N_GUARDS)]
    g["seen"] = set()
    look_around(g)
    clk["env.reset"] += now() - t0
    return g


def route(walls, a, b):
    """bfs path for guards"""
    prev = {a: None}
    todo = [a]
    for c in todo:
        if c == b:
            break
        for dx, dy in DIRS:
            n = (c[0] + dx, c[1] + dy)
            if n not in prev and n not in walls:
                prev[n] = c
                todo.append(n)
    if b not in prev:
        return []
    p = []
    while b != a:
        p.append(b)
        b = prev[b]
    return p[::-1]


def line_free(walls, a, b):
    x0, y0 = a
    x1, y1 = b
    dx, dy = abs(x1 - x0), -abs(y1 - y0)
    sx = 1 if x0 < x1 else -1
    sy = 1 if y0 < y1 else -1
    e = dx + dy
    while (x0, y0) != (x1, y1):
        if (x0, y0) in walls:
            return False
        e2 = 2 * e
        if e2 >= dy:
            e += dy
            x0 += sx
        if e2 <= dx:
            e += dx
            y0 += sy
    return True


def cone(walls, pos, d):
    dx, dy = DIRS[d]
    out = set()
    for f in range(1, VIEW):
        for s in range(-(f // 2 + 1), f // 2 + 2):
            c = (pos[0] + f * dx - s * dy, pos[1] + f * dy + s * dx)
            if 0 < c[0] < W - 1 and 0 < c[1] < H - 1 and c not in walls and line_free(walls, pos, c):
                out.add(c)
    return out


def look_around(g):
    g["seen"] = set()
    for q in g["guards"]:
        g["seen"] |= cone(g["walls"], q["pos"], q["dir"])


def move_guards(g):
    walls = g["walls"]
    for q in g["guards"]:
        if g["alarm"] > 0.5 and rng.random() < 0.5:
            q["path"] = route(walls, q["pos"], g["thief"])
        if not q["path"]:
            while True:
                c = (rng.randint(1, W - 2), rng.randint(1, H - 2))
                if c not in walls:
                    break
            q["path"] = route(walls, q["pos"], c)
        if q["path"] and (g["turn"] % 2 == 0 or g["alarm"] > 0.5):
            n = q["path"].pop(0)
            d = (n[0] - q["pos"][0], n[1] - q["pos"][1])
            if DIRS[q["dir"]] != d:
                q["dir"] = DIRS.index(d)     # turn first
                q["path"].insert(0, n)
            else:
                q["pos"] = n


def step(g, a):
    """one turn -> (obs, reward, done).  starts over by itself"""
    t0 = now()
    old = g["thief"]
    if a < 4:
        c = (old[0] + DIRS[a][0], old[1] + DIRS[a][1])
        if c not in g["walls"]:
            g["thief"] = c
    t1 = now()
    move_guards(g)
    t2 = now()
    look_around(g)
    g["turn"] += 1
    target = g["exit"] if g["got"] else g["gem"]
    r = -0.01 + 0.02 * (dist(old, target) - dist(g["thief"], target))
    if g["thief"] in g["seen"]:
        g["alarm"] += 0.34
        r -= 0.1
    else:
        g["alarm"] = max(0.0, g["alarm"] - 0.05)
    if not g["got"] and g["thief"] == g["gem"]:
        g["got"] = True
        r += 1
    elif g["got"] and g["thief"] == g["exit"]:
        g["over"] = g["won"] = True
        r += 2
    if g["alarm"] >= 1 or any(q["pos"] == g["thief"] for q in g["guards"]):
        g["over"] = True
        r -= 1
    if g["turn"] >= MAX_TURNS:
        g["over"] = True
    g["total"] += r
    d = g["over"]
    t3 = now()
    clk["env.step"] += t3 - t0
    clk["(guards)"] += t2 - t1
    if d:
        finished.append((g["total"], g["won"], g["turn"]))
        g.clear()
        g.update(new_game())
    return observe(g), r, d


def dist(a, b):
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def observe(g):
    t0 = now()
    o = np.zeros((6, H, W), np.float32)
    for x, y in g["walls"]:
        o[0, y, x] = 1
    for x, y in g["seen"]:
        o[1, y, x] = 1
    for q in g["guards"]:
        o[2, q["pos"][1], q["pos"][0]] = (q["dir"] + 1) / 4
    x, y = g["thief"]
    o[3, y, x] = 1
    x, y = g["exit"] if g["got"] else g["gem"]
    o[4, y, x] = 1
    o[5] = g["alarm"]
    clk["env.observe"] += now() - t0
    return o


# ---------------------------------------------------------------- net
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Sequential(nn.Conv2d(6, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 16, 3, 2, 1), nn.ReLU(), nn.Flatten(),
                               nn.Linear(16 * 3 * 4, 64), nn.ReLU())
        self.pi = nn.Linear(64, 5)
        self.v = nn.Linear(64, 1)

    def forward(self, x):
        h = self.c(x)
        return torch.distributions.Categorical(logits=self.pi(h)), self.v(h)[:, 0]


# ---------------------------------------------------------------- ppo
def pick(net, obs):
    t0 = now()
    with torch.no_grad():
        d, v = net(torch.from_numpy(obs))
        a = d.sample()
        out = a.numpy(), d.log_prob(a).numpy(), v.numpy()
    clk["act"] += now() - t0
    return out


def gae(R, D, V, last):
    t0 = now()
    A = np.zeros_like(R)
    g = np.zeros(N_ENVS, np.float32)
    for t in range(T - 1, -1, -1):
        nxt = last if t == T - 1 else V[t + 1]
        delta = R[t] + GAMMA * nxt * (1 - D[t]) - V[t]
        g = delta + GAMMA * LAM * (1 - D[t]) * g
        A[t] = g
    clk["learn.returns"] += now() - t0
    return A, A + V


def ppo_update(net, opt, O, A, LP, ADV, RET):
    t0 = now()
    O = torch.from_numpy(O.reshape(-1, 6, H, W))
    A, LP, ADV, RET = [torch.from_numpy(z.reshape(-1)) for z in (A, LP, ADV, RET)]
    n = 0
    for _ in range(EPOCHS):
        for idx in torch.randperm(len(O)).split(MB):
            d, v = net(O[idx])
            adv = ADV[idx]
            adv = (adv - adv.mean()) / (adv.std() + 1e-8)
            ratio = (d.log_prob(A[idx]) - LP[idx]).exp()
            pl = -torch.min(ratio * adv, ratio.clamp(1 - CLIP, 1 + CLIP) * adv).mean()
            vl = (v - RET[idx]).pow(2).mean()
            loss = pl + VF * vl - ENT * d.entropy().mean()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            opt.step()
            n += 1
    clk["learn.*"] += now() - t0
    return n


finished = []
if __name__ == "__main__":
    net = Net()
    opt = torch.optim.Adam(net.parameters(), lr=LR)
    steps = updates = it = 0
    clk.clear()
    start = now()
    games = [new_game() for _ in range(N_ENVS)]
    obs = np.stack([observe(g) for g in games])
    O = np.zeros((T, N_ENVS, 6, H, W), np.float32)
    A = np.zeros((T, N_ENVS), np.int64)
    LP, R, D, V = [np.zeros((T, N_ENVS), np.float32) for _ in range(4)]
    while now() - start < SECS:
        for t in range(T):
            a, lp, v = pick(net, obs)
            res = [step(g, int(x)) for g, x in zip(games, a)]
            O[t], A[t], LP[t], V[t] = obs, a, lp, v
            obs = np.stack([x[0] for x in res])
            R[t] = [x[1] for x in res]
            D[t] = [x[2] for x in res]
            steps += N_ENVS
        last = pick(net, obs)[2]
        adv, ret = gae(R, D, V, last)
        updates += ppo_update(net, opt, O, A, LP, adv, ret)
        it += 1
        t0 = now()
        f = finished[-50:] or [(0, 0, 0)]
        print("it %d steps %d games %d score %.2f stolen %.2f turns %.0f" % (
            it, steps, len(finished), np.mean([x[0] for x in f]), np.mean([x[1] for x in f]), np.mean([x[2] for x in f])))
        sys.stdout.flush()
        clk["log"] += now() - t0
        if it % 4 == 0:
            t0 = now()
            torch.save(net.state_dict(), "sneak.pt")
            clk["checkpoint"] += now() - t0
    wall = now() - start

    guards = clk.pop("(guards)")
    print("of env.step the guards took %.2fs" % guards)
    st = dict(clk)
    st["other"] = wall - sum(st.values())
    if os.environ.get("WILD_TRUTH"):
        json.dump(dict(wall_seconds=wall, stages=st, env_steps=steps, episodes=len(finished), updates=updates),
                  open(os.environ["WILD_TRUTH"], "w"), indent=1)
