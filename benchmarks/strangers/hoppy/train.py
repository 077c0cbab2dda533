# hoppy.py -- teach the little guy to jump. just a script, run it.
# reinforce with a value baseline. 2024-ish, cleaned up a bit
import json
import math
import os
import random
from time import perf_counter as pc

import numpy as np
import torch
import torch.nn as nn

secs = float(os.environ.get("WILD_SECONDS", 20))
random.seed(99)
torch.manual_seed(99)
torch.set_num_threads(1)

GRAV = 30.0
RUN = 26.0
MAXVX = 7.0
JUMP = 12.5
DT = 1 / 60
SUB = 4            # physics sub steps
SKIP = 3           # frames per decision
GOAL = 60.0
NRAYS = 9
gamma = 0.985


def build_level():
    """platforms [x, y, w, h], spikes [x, y, w], walkers [x, y, v, left, right]"""
    plats, spikes, walkers = [[-5.0, 0.0, 10.0, 1.0]], [], []
    x, y = 5.0, 0.0
    while x < GOAL + 5:
        gap = random.uniform(0.8, 2.6)
        w = random.uniform(3.0, 7.0)
        y = min(4.0, max(-2.0, y + random.uniform(-1.5, 1.2)))
        plats.append([x + gap, y, w, 1.0])
        if w > 5 and random.random() < 0.4:
            spikes.append([x + gap + w / 2, y, 0.5])
        elif w > 4 and random.random() < 0.5:
            walkers.append([x + gap + w - 1, y, -1.5, x + gap + 0.4, x + gap + w - 0.4])
        if random.random() < 0.3:
            plats.append([x + gap + 0.5, y + 3.2, 2.0, 0.4])      # roof
        x += gap + w
    return plats, spikes, walkers


def bump(px, py, plats):
    """does the guy (0.6 x 0.9 box, px py = feet middle) overlap a platform? returns it"""
    l, r, b, t = px - 0.3, px + 0.3, py, py + 0.9
    for p in plats:
        if p[0] < r and p[0] + p[2] > l and p[1] - p[3] < t and p[1] > b:
            return p
    return None


def physics(guy, act, level):
    """one decision: SKIP frames. guy = [x, y, vx, vy, onground, coyote]. returns dead"""
    plats, spikes, walkers = level
    for frame in range(SKIP):
        push = (-1.0, 0.0, 1.0)[act % 3]
        if act >= 3 and guy[5] > 0:
            guy[3] = JUMP
            guy[5] = 0.0
        for s in range(SUB):
            dt = DT / SUB
            guy[2] += push * RUN * dt
            if push == 0 or push * guy[2] < 0:
                guy[2] -= guy[2] * min(1.0, 8 * dt)
            guy[2] = max(-MAXVX, min(MAXVX, guy[2]))
            guy[3] = max(-20.0, guy[3] - GRAV * dt)
            # sideways first
            nx = guy[0] + guy[2] * dt
            p = bump(nx, guy[1], plats)
            if p is None:
                guy[0] = nx
            else:
                guy[2] = 0.0
            ny = guy[1] + guy[3] * dt
            p = bump(guy[0], ny, plats)
            guy[4] = 0.0
            if p is None:
                guy[1] = ny
            elif guy[3] <= 0:
                guy[1] = p[1]
                guy[3] = 0.0
                guy[4] = 1.0
                guy[5] = 0.08
            else:
                guy[3] = 0.0
            guy[5] = max(0.0, guy[5] - dt)
        for w in walkers:
            w[0] += w[2] * DT
            if w[0] < w[3] or w[0] > w[4]:
                w[2] = -w[2]
            if abs(w[0] - guy[0]) < 0.6 and -0.2 < guy[1] - w[1] < 0.7:
                return True
        for s in spikes:
            if abs(s[0] - guy[0]) < s[2] and guy[1] - s[1] < 0.4 and guy[1] >= s[1] - 0.1:
                return True
        if guy[1] < -8:
            return True
    return False


def sense(guy, level):
    """rays ahead/down + own speed + next danger"""
    plats, spikes, walkers = level
    near = [p for p in plats if p[0] < guy[0] + 7 and p[0] + p[2] > guy[0] - 1]
    out = [guy[2] / MAXVX, guy[3] / 12, guy[4], min(1.0, guy[5] * 12)]
    for k in range(NRAYS):
        ang = -1.45 + k * 0.27
        cx, cy = math.cos(ang) * 0.3, math.sin(ang) * 0.3
        x, y = guy[0], guy[1] + 0.5
        d = 1.0
        for i in range(18):
            x += cx
            y += cy
            hit = False
            for p in near:
                if p[0] < x < p[0] + p[2] and p[1] - p[3] < y < p[1]:
                    hit = True
                    break
            if hit:
                d = i / 18
                break
        out.append(d)
    best = 6.0
    besty = 0.0
    for e in walkers:
        if 0 < e[0] - guy[0] < best:
            best, besty = e[0] - guy[0], e[1] - guy[1]
    for e in spikes:
        if 0 < e[0] - guy[0] < best:
            best, besty = e[0] - guy[0], e[1] - guy[1]
    out += [best / 6, besty / 4]
    return np.array(out, dtype=np.float32)


def pick(net, o, greedy=False):
    with torch.no_grad():
        logits = net(torch.from_numpy(o))
        if greedy:
            return int(logits.argmax())
        return int(torch.multinomial(logits.softmax(0), 1))


def togo(rewards):
    g = 0.0
    out = np.zeros(len(rewards), dtype=np.float32)
    for i in range(len(rewards) - 1, -1, -1):
        g = rewards[i] + gamma * g
        out[i] = g
    return out


NIN = 4 + NRAYS + 2
policy = nn.Sequential(nn.Linear(NIN, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 6))
baseline = nn.Sequential(nn.Linear(NIN, 48), nn.Tanh(), nn.Linear(48, 1))
opt = torch.optim.Adam([*policy.parameters(), *baseline.parameters()], lr=2e-3)

T = {k: 0.0 for k in ("env.reset", "env.step", "env.observe", "act", "learn.returns", "learn.*", "eval", "log", "checkpoint")}
nsteps = 0
nepisodes = 0
nupdates = 0
best_ever = -1.0
batch_o, batch_a, batch_g = [], [], []
dists = []
logfile = open("hoppy.log", "w")

begin = pc()
while pc() - begin < secs:
    t = pc()
    level = build_level()
    guy = [0.0, 0.0, 0.0, 0.0, 1.0, 0.08]
    T["env.reset"] += pc() - t
    rewards = []
    far = 0.0
    stuck = 0
    while True:
        t = pc()
        o = sense(guy, level)
        t2 = pc()
        a = pick(policy, o)
        t3 = pc()
        dead = physics(guy, a, level)
        t4 = pc()
        T["env.observe"] += t2 - t
        T["act"] += t3 - t2
        T["env.step"] += t4 - t3
        nsteps += 1
        r = -0.01
        if guy[0] > far:
            r += 0.2 * (guy[0] - far)
            far = guy[0]
            stuck = 0
        else:
            stuck += 1
        if dead:
            r -= 1.0
        if guy[0] > GOAL:
            r += 5.0
        batch_o.append(o)
        batch_a.append(a)
        rewards.append(r)
        if dead or guy[0] > GOAL or stuck > 60 or len(rewards) > 500:
            break
    nepisodes += 1
    dists.append(far)
    t = pc()
    batch_g.append(togo(rewards))
    T["learn.returns"] += pc() - t

    # learn every 4 lives
    if nepisodes % 4 == 0:
        t = pc()
        O = torch.from_numpy(np.stack(batch_o))
        A = torch.tensor(batch_a)
        G = torch.from_numpy(np.concatenate(batch_g))
        V = baseline(O).squeeze(1)
        adv = G - V.detach()
        adv = (adv - adv.mean()) / (adv.std() + 1e-6)
        dist = torch.distributions.Categorical(logits=policy(O))
        loss = -(dist.log_prob(A) * adv).mean() - 0.01 * dist.entropy().mean() + 0.5 * (V - G).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        nupdates += 1
        batch_o, batch_a, batch_g = [], [], []
        T["learn.*"] += pc() - t

    if nepisodes % 20 == 0:
        t = pc()
        line = "ep %d steps %d dist %.1f loss %.3f" % (nepisodes, nsteps, np.mean(dists[-20:]), loss.item())
        print(line)
        logfile.write(line + "\n")
        logfile.flush()
        T["log"] += pc() - t

    if nepisodes % 30 == 0:
        # try it without dice
        t = pc()
        tot = 0.0
        for i in range(2):
            lv = build_level()
            g2 = [0.0, 0.0, 0.0, 0.0, 1.0, 0.08]
            for j in range(200):
                if physics(g2, pick(policy, sense(g2, lv), greedy=True), lv) or g2[0] > GOAL:
                    break
            tot += g2[0]
        T["eval"] += pc() - t
        print("  no dice: %.1f" % (tot / 2))
        if tot > best_ever:
            best_ever = tot
            t = pc()
            torch.save(policy.state_dict(), "hoppy_best.pt")
            T["checkpoint"] += pc() - t
wall = pc() - begin
logfile.close()

T["other"] = wall - sum(T.values())
if os.environ.get("WILD_TRUTH"):
    with open(os.environ["WILD_TRUTH"], "w") as f:
        json.dump({"wall_seconds": wall, "stages": T, "env_steps": nsteps, "episodes": nepisodes, "updates": nupdates}, f, indent=1)
