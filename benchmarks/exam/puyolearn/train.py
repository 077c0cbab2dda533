# ぷよ学習  (puyo + n-step value learning)
#
# started as a notebook, so everything is one long script. don't judge.
#   - 6x12 field, pairs of colored puyos fall, 4+ connected vanish, chains give more
#   - network looks at the field AFTER the pair is placed, BEFORE the chains go off ("post-decision state")
#     V(post) = expected discounted reward from there on  -> pick argmax V over the placements
#   - n-step targets, target copy, replay, epsilon schedule
import json
import math
import os
import random
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)
HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = float(os.environ.get("WILD_SECONDS", "20"))
SEED = 403
random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)

W, H = 6, 12
COLORS = 4
OJAMA = 5            # gray garbage
GAMMA = 0.95
NSTEP = 4
BATCH = 64
RING = 30000
WARMUP = 300
TRAIN_EVERY = 2
TARGET_EVERY = 250   # in optimizer steps
EPS_START, EPS_END, EPS_STEPS = 0.6, 0.04, 4000
PRINT_EVERY = 1000   # steps
EVAL_EVERY = 4000
MAX_MOVES = 150
N_IN = COLORS * W * H + W * H + W + 8 + 6


def new_field():
    f = [[0] * H for _ in range(W)]           # f[x][y], y=0 is the bottom
    for x in random.sample(range(W), 3):      # 最初から少しおじゃま
        f[x][0] = OJAMA
    heights = [1 if f[x][0] else 0 for x in range(W)]
    for _ in range(6):
        x = random.randrange(W)
        f[x][heights[x]] = random.randint(1, COLORS)
        heights[x] += 1
    return f


def new_pair():
    return random.randint(1, COLORS), random.randint(1, COLORS)


def placements(f, pair):
    """all legal drops -> list of (move, field).  rot 0: a below b, 1: b below a, 2: a|b, 3: b|a"""
    hs = [sum(1 for v in col if v) for col in f]
    out = []
    a, b = pair
    for rot in range(2 if a == b else 4):
        if a == b and rot == 1:
            rot = 2
        for x in range(W - (rot >= 2)):
            # 壁越え: can the pair travel from the spawn column (2) to x?
            step = 1 if x > 2 else -1
            if any(hs[c] >= H - 1 for c in range(2, x, step)):
                continue
            if rot < 2:
                if hs[x] + 2 > H:
                    continue
                g = [col[:] for col in f]
                lo, hi = (a, b) if rot == 0 else (b, a)
                g[x][hs[x]] = lo
                g[x][hs[x] + 1] = hi
            else:
                if hs[x] + 1 > H or hs[x + 1] + 1 > H:
                    continue
                g = [col[:] for col in f]
                le, ri = (a, b) if rot == 2 else (b, a)
                g[x][hs[x]] = le
                g[x + 1][hs[x + 1]] = ri
            out.append(((x, rot), g))
    return out


def settle(f):
    """pop groups of 4+, let fall, repeat. changes f, returns (popped, chain, score)"""
    chain = popped = score = 0
    while True:
        seen = [[False] * H for _ in range(W)]
        gone = []
        groups = 0
        for x in range(W):
            for y in range(H):
                c = f[x][y]
                if c == 0 or c == OJAMA or seen[x][y]:
                    continue
                todo = [(x, y)]
                seen[x][y] = True
                group = []
                while todo:
                    px, py = todo.pop()
                    group.append((px, py))
                    for qx, qy in ((px + 1, py), (px - 1, py), (px, py + 1), (px, py - 1)):
                        if 0 <= qx < W and 0 <= qy < H and not seen[qx][qy] and f[qx][qy] == c:
                            seen[qx][qy] = True
                            todo.append((qx, qy))
                if len(group) >= 4:
                    gone += group
                    groups += 1
        if not gone:
            return popped, chain, score
        chain += 1
        popped += len(gone)
        score += len(gone) * (1 + (chain - 1) * 2) + 2 * (groups - 1)
        for x, y in gone:
            f[x][y] = 0
            for qx, qy in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                if 0 <= qx < W and 0 <= qy < H and f[qx][qy] == OJAMA:
                    f[qx][qy] = 0
        for x in range(W):
            col = [v for v in f[x] if v]
            f[x] = col + [0] * (H - len(col))


def features(fields, nxt):
    """batch of post-drop fields -> (n, N_IN)"""
    b = np.array(fields, dtype=np.int8)                      # n, W, H
    n = len(b)
    planes = [(b == c) for c in range(1, COLORS + 1)]
    x = np.zeros((n, N_IN), np.float32)
    k = 0
    for p in planes:
        x[:, k:k + W * H] = p.reshape(n, -1)
        k += W * H
    x[:, k:k + W * H] = (b == OJAMA).reshape(n, -1)
    k += W * H
    hs = (b > 0).sum(2)
    x[:, k:k + W] = hs / H
    k += W
    x[:, k + nxt[0] - 1] = 1
    x[:, k + 3 + nxt[1]] = 1
    k += 8
    # how well colors touch each other
    col = (b > 0) & (b != OJAMA)
    vert = (b[:, :, 1:] == b[:, :, :-1]) & col[:, :, 1:]
    hori = (b[:, 1:] == b[:, :-1]) & col[:, 1:]
    x[:, k] = vert.sum((1, 2)) / 15
    x[:, k + 1] = hori.sum((1, 2)) / 15
    x[:, k + 2] = hs.max(1) / H
    x[:, k + 3] = np.abs(np.diff(hs, axis=1)).sum(1) / 20
    deg = np.zeros(b.shape, np.int8)
    deg[:, :, 1:] += vert
    deg[:, :, :-1] += vert
    deg[:, 1:] += hori
    deg[:, :-1] += hori
    x[:, k + 4] = (deg >= 2).sum((1, 2)) / 8                 # middle of a 3-row: nearly pops
    x[:, k + 5] = hs.sum(1) / (W * H)
    return x


def play_eval(net, games):
    """greedy games; not counted as training steps"""
    st = random.getstate()
    total = 0
    for g in range(games):
        random.seed(9000 + g)
        f, pr, nx = new_field(), new_pair(), new_pair()
        for m in range(50):
            opts = placements(f, pr)
            if not opts:
                break
            with torch.no_grad():
                v = net(torch.from_numpy(features([o[1] for o in opts], nx))).squeeze(1)
            f = opts[int(v.argmax())][1]
            total += settle(f)[2]
            pr, nx = nx, new_pair()
    random.setstate(st)
    return total / games


net = nn.Sequential(nn.Linear(N_IN, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 1))
nn.init.zeros_(net[-1].weight)
target = nn.Sequential(nn.Linear(N_IN, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 1))
target.load_state_dict(net.state_dict())
opt = torch.optim.Adam(net.parameters(), lr=7e-4)

# ring buffer: row t is (post-decision features, reward of that move, game over after it)
ring_x = np.zeros((RING, N_IN), np.float32)
ring_r = np.zeros(RING, np.float32)
ring_d = np.zeros(RING, np.bool_)
head = 0
filled = 0

clock = dict.fromkeys(["env.reset", "env.mask", "env.observe", "act", "env.step", "replay.add", "replay.sample",
                       "learn.returns", "learn.update", "log", "eval", "checkpoint"], 0.0)
steps = games = updates = 0
best_eval = -1.0
scores, chains, losses = [], [], []
field, pair, nxt = new_field(), new_pair(), new_pair()
game_score, game_moves, max_chain = 0, 0, 0
pc = time.perf_counter
begin = pc()
last_print = begin

while True:
    # ---- where can it go
    t = pc()
    opts = placements(field, pair)
    t2 = pc()
    clock["env.mask"] += t2 - t
    # (opts is never empty here: the game is over before that, see below)
    feats = features([o[1] for o in opts], nxt)
    t = pc()
    clock["env.observe"] += t - t2

    # ---- epsilon greedy
    eps = EPS_END + (EPS_START - EPS_END) * max(0.0, 1 - steps / EPS_STEPS)
    with torch.no_grad():
        v = net(torch.from_numpy(feats)).squeeze(1)
    if random.random() < eps:
        pick = random.randrange(len(opts))
    else:
        pick = int(v.argmax())
    t2 = pc()
    clock["act"] += t2 - t

    # ---- the game goes on
    field = opts[pick][1]
    popped, chain, score = settle(field)
    reward = 0.02 + 0.1 * score
    game_moves += 1
    game_score += score
    max_chain = max(max_chain, chain)
    if game_moves % 6 == 0:                       # おじゃまぷよ rain
        for x in random.sample(range(W), min(W, 1 + game_moves // 24)):
            h = sum(1 for q in field[x] if q)
            if h < H:
                field[x][h] = OJAMA
        settle(field)
    pair, nxt = nxt, new_pair()
    over = field[2][H - 2] != 0 or field[3][H - 1] != 0
    if not over:
        top = [sum(1 for q in col if q) for col in field]
        over = top[2] + 2 > H or all(h >= H - 1 for h in top)
    if over:
        reward -= 2.0
    timeup = game_moves >= MAX_MOVES              # treated like a death w/o penalty, meh
    steps += 1
    t = pc()
    clock["env.step"] += t - t2

    # ---- remember
    ring_x[head] = feats[pick]
    ring_r[head] = reward
    ring_d[head] = over or timeup
    head = (head + 1) % RING
    filled = min(filled + 1, RING)
    t2 = pc()
    clock["replay.add"] += t2 - t

    if over or timeup:
        games += 1
        scores.append(game_score)
        chains.append(max_chain)
        game_score, game_moves, max_chain = 0, 0, 0
        t = pc()
        field, pair, nxt = new_field(), new_pair(), new_pair()
        clock["env.reset"] += pc() - t

    # ---- learn
    if filled > WARMUP and steps % TRAIN_EVERY == 0:
        t = pc()
        # the newest NSTEP rows have no future yet, skip them
        back = np.random.randint(NSTEP + 1, filled, size=BATCH)
        idx = (head - back) % RING
        xb = torch.from_numpy(ring_x[idx])
        t2 = pc()
        clock["replay.sample"] += t2 - t

        G = np.zeros(BATCH, np.float32)
        boot = np.zeros(BATCH, np.float32)
        last = idx.copy()
        for j in range(BATCH):
            i = idx[j]
            g = 1.0
            for k in range(NSTEP):
                G[j] += g * ring_r[i]
                g *= GAMMA
                if ring_d[i]:
                    g = 0.0
                    break
                i = (i + 1) % RING
            last[j] = i
            boot[j] = g
        with torch.no_grad():
            vt = target(torch.from_numpy(ring_x[last])).squeeze(1)
        y = torch.from_numpy(G) + torch.from_numpy(boot) * vt
        t = pc()
        clock["learn.returns"] += t - t2

        pred = net(xb).squeeze(1)
        loss = F.smooth_l1_loss(pred, y)
        opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        opt.step()
        losses.append(loss.item())
        updates += 1
        clock["learn.update"] += pc() - t
        if updates % TARGET_EVERY == 0:
            target.load_state_dict(net.state_dict())

    # ---- talk
    if steps % PRINT_EVERY == 0:
        t = pc()
        print("%6d steps %4d games  eps %.2f  score %6.1f  best chain %d  loss %.4f  V %.2f  %4.0f steps/s" % (
            steps, games, eps, np.mean(scores[-20:] or [0]), max(chains[-20:] or [0]), np.mean(losses[-200:] or [0]),
            float(v.mean()), PRINT_EVERY / (t - last_print)), flush=True)
        if steps % (PRINT_EVERY * 4) == 0:
            for y_ in range(H - 1, -1, -1):
                print("   |" + "".join(" RGBY#"[field[x][y_]] for x in range(W)) + "|")
        last_print = pc()
        clock["log"] += last_print - t
    if steps % EVAL_EVERY == 0:
        t = pc()
        ev = play_eval(net, 3)
        t2 = pc()
        clock["eval"] += t2 - t
        print("       eval: %.1f points in 50 moves" % ev)
        if ev > best_eval:
            best_eval = ev
            torch.save({"net": net.state_dict(), "steps": steps, "eval": ev}, os.path.join(HERE, "puyo_best.pt"))
            clock["checkpoint"] += pc() - t2
    if steps % 20 == 0 and pc() - begin > SECONDS:
        break

wall = pc() - begin
clock["other"] = wall - math.fsum(clock.values())

if os.environ.get("WILD_TRUTH"):
    with open(os.environ["WILD_TRUTH"], "w") as fp:
        json.dump({"wall_seconds": wall, "stages": clock, "env_steps": steps, "episodes": games, "updates": updates}, fp, indent=1)
for k in sorted(clock, key=clock.get, reverse=True):
    print("%-14s %6.2f s %5.1f%%" % (k, clock[k], 100 * clock[k] / wall))
