#!/usr/bin/env python
# coding: utf-8

# # Wildfire grid-world: getting the ranger home with linear Sarsa(lambda)
# (exported from wildfire_v7.ipynb, File > Download as > .py, then tidied a little)

# In[1]:
import csv
import json
import os
import time
from collections import deque

import numpy as np

# In[2]:  helpers
N = 24
WALL, FREE, TREE, FIRE, ASH = 0, 1, 2, 3, 4
DIRS = [(-1, 0), (0, 1), (1, 0), (0, -1), (0, 0)]        # last one: dig (puts out fire around you)


def make_forest(rng):
    g = np.full((N, N), FREE)
    g[0, :] = g[-1, :] = g[:, 0] = g[:, -1] = WALL
    for _ in range(14):                                   # rocks
        r, c = rng.integers(2, N - 2, 2)
        g[r, c:c + rng.integers(1, 4)] = WALL
    g[0, :] = g[-1, :] = g[:, 0] = g[:, -1] = WALL
    trees = (rng.random((N, N)) < 0.55) & (g == FREE)
    g[trees] = TREE
    g[1:4, 1:4] = FREE
    g[N - 4:N - 1, N - 4:N - 1] = FREE
    for _ in range(3):
        r, c = rng.integers(6, N - 6, 2)
        if g[r, c] != WALL:
            g[r, c] = FIRE
    return g


def spread(g, wind, rng):
    new = g.copy()
    for r in range(1, N - 1):
        for c in range(1, N - 1):
            if g[r, c] == FIRE:
                if rng.random() < 0.08:
                    new[r, c] = ASH
                for k, (dr, dc) in enumerate(DIRS[:4]):
                    if g[r + dr, c + dc] == TREE:
                        p = 0.10 if k == wind else 0.03
                        if rng.random() < p:
                            new[r + dr, c + dc] = FIRE
    return new


def bfs(g, goal):
    """distance to goal for every cell, fire and rock are blocked"""
    d = np.full((N, N), 99)
    d[goal] = 0
    q = deque([goal])
    while q:
        r, c = q.popleft()
        for dr, dc in DIRS[:4]:
            rr, cc = r + dr, c + dc
            if g[rr, cc] != WALL and g[rr, cc] != FIRE and d[rr, cc] == 99:
                d[rr, cc] = d[r, c] + 1
                q.append((rr, cc))
    return d


def features(g, pos, wind, dist):
    r, c = pos
    f = [1.0]
    for dr, dc in DIRS[:4]:
        cell = g[r + dr, c + dc]
        f += [float(cell == k) for k in range(5)]
        f.append(np.clip(dist[r, c] - dist[r + dr, c + dc], -1, 1))
    pad = np.pad(g, 3, constant_values=WALL)
    win = pad[r:r + 7, c:c + 7]
    for k in (WALL, TREE, FIRE):
        f += list((win == k).astype(float).ravel())
    fires = np.argwhere(g == FIRE)
    if len(fires):
        dd = np.abs(fires - np.array(pos)).sum(1)
        f += [1.0 / (1 + dd.min()), (dd < 4).sum() / 10.0]
    else:
        f += [0.0, 0.0]
    f += [float(wind == k) for k in range(4)]
    f.append(min(dist[r, c], 50) / 50.0)
    return np.array(f)


# In[3]:  settings
seconds = float(os.environ.get("WILD_SECONDS", 20))
alpha, gamma, lam, eps = 0.004, 0.98, 0.8, 0.3
max_steps = 150
eval_every = 25
eval_games = 5
rng = np.random.default_rng(42)
goal = (N - 2, N - 2)
nf = 1 + 4 * 6 + 3 * 49 + 2 + 4 + 1
W = np.zeros((5, nf))

# In[4]:  clocks
T = dict.fromkeys(["env.reset", "env.step", "env.observe", "env.reward", "act", "learn.update", "log", "eval",
                   "checkpoint"], 0.0)
total_steps = 0
episode = 0
n_updates = 0
returns = []

# In[5]:  the training
fh = open("wildfire_log.csv", "w", newline="")
out = csv.writer(fh)
out.writerow(["episode", "steps", "return", "home", "eps", "burnt"])
start = time.perf_counter()
while time.perf_counter() - start < seconds:
    t0 = time.perf_counter()
    g = make_forest(rng)
    pos = (2, 2)
    wind = int(rng.integers(4))
    E = np.zeros_like(W)
    t1 = time.perf_counter()
    T["env.reset"] += t1 - t0
    dist = bfs(g, goal)
    x = features(g, pos, wind, dist)
    t2 = time.perf_counter()
    T["env.observe"] += t2 - t1
    q = W @ x
    a = int(rng.integers(5)) if rng.random() < eps else int(np.argmax(q))
    T["act"] += time.perf_counter() - t2
    ret, home, done, steps = 0.0, False, False, 0
    while not done:
        # --- the world moves
        t0 = time.perf_counter()
        old_d = dist[pos]
        dug = 0
        if a == 4:
            for dr in (-1, 0, 1):
                for dc in (-1, 0, 1):
                    if g[pos[0] + dr, pos[1] + dc] == FIRE:
                        g[pos[0] + dr, pos[1] + dc] = ASH
                        dug += 1
        else:
            to = (pos[0] + DIRS[a][0], pos[1] + DIRS[a][1])
            bumped = g[to] == WALL
            if not bumped:
                pos = to
        g = spread(g, wind, rng)
        if rng.random() < 0.03:
            wind = int(rng.integers(4))
        steps += 1
        total_steps += 1
        dead = g[pos] == FIRE
        home = pos == goal
        done = dead or home or steps >= max_steps
        t1 = time.perf_counter()
        T["env.step"] += t1 - t0
        # --- what the ranger sees of it
        dist = bfs(g, goal)
        x2 = features(g, pos, wind, dist)
        t2 = time.perf_counter()
        T["env.observe"] += t2 - t1
        # --- reward
        rew = -0.02 + 0.1 * float(np.clip(old_d - dist[pos], -1, 1)) + 0.05 * dug
        rew -= 0.002 * (g == FIRE).sum() / 10
        if home:
            rew += 2 + (g == TREE).sum() / (N * N)
        if dead:
            rew -= 1
        ret += rew
        t3 = time.perf_counter()
        T["env.reward"] += t3 - t2
        # --- next action
        q2 = W @ x2
        a2 = int(rng.integers(5)) if rng.random() < eps else int(np.argmax(q2))
        t4 = time.perf_counter()
        T["act"] += t4 - t3
        # --- Sarsa(lambda)
        target = rew if dead or home else rew + gamma * q2[a2]
        delta = target - W[a] @ x
        E *= gamma * lam
        E[a] += x
        W += alpha * np.clip(delta, -2, 2) * E / (1 + np.abs(E).max())
        n_updates += 1
        T["learn.update"] += time.perf_counter() - t4
        x, a = x2, a2
        if time.perf_counter() - start > seconds:
            break
    if not done:
        break
    episode += 1
    eps = max(0.05, eps * 0.998)
    returns.append(ret)

    t0 = time.perf_counter()
    out.writerow([episode, steps, round(ret, 4), int(home), round(eps, 4), int((g == ASH).sum())])
    fh.flush()
    if episode % 10 == 0:
        print("ep", episode, "steps", total_steps, "mean return", round(float(np.mean(returns[-10:])), 3), flush=True)
    T["log"] += time.perf_counter() - t0

    # evaluation, greedy, same forests every time (copy of the cell above without learning)
    if episode % eval_every == 0:
        t0 = time.perf_counter()
        erng = np.random.default_rng(999)
        got_home = 0
        for k in range(eval_games):
            eg = make_forest(erng)
            epos = (2, 2)
            ewind = int(erng.integers(4))
            for s in range(max_steps):
                ex = features(eg, epos, ewind, bfs(eg, goal))
                ea = int(np.argmax(W @ ex))
                if ea == 4:
                    for dr in (-1, 0, 1):
                        for dc in (-1, 0, 1):
                            if eg[epos[0] + dr, epos[1] + dc] == FIRE:
                                eg[epos[0] + dr, epos[1] + dc] = ASH
                else:
                    to = (epos[0] + DIRS[ea][0], epos[1] + DIRS[ea][1])
                    if eg[to] != WALL:
                        epos = to
                eg = spread(eg, ewind, erng)
                if eg[epos] == FIRE:
                    break
                if epos == goal:
                    got_home += 1
                    break
        print("   eval: home", got_home, "of", eval_games)
        T["eval"] += time.perf_counter() - t0
        t0 = time.perf_counter()
        np.save("W.npy", W)
        T["checkpoint"] += time.perf_counter() - t0

wall = time.perf_counter() - start
fh.close()

# In[6]:
T["other"] = wall - sum(T.values())
for k in sorted(T, key=T.get, reverse=True):
    print(f"{k:14s}{T[k]:8.3f} s {100 * T[k] / wall:5.1f} %")
if os.environ.get("WILD_TRUTH"):
    json.dump({"wall_seconds": wall, "stages": T, "env_steps": total_steps, "episodes": episode, "updates": n_updates},
              open(os.environ["WILD_TRUTH"], "w"))
