# drop four: 6 wide 5 high, self play with tree search. one file, top to bottom.
# (8 games at once so that the net sees 8 leaves per call)
import json, math, os, random
from time import perf_counter as pc
import numpy as np
import torch

torch.set_num_threads(1)
torch.manual_seed(11); random.seed(11); np.random.seed(11)

LIMIT = float(os.environ.get("WILD_SECONDS", 12))
TRUTH = os.environ.get("WILD_TRUTH", "")
SAVE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "drop_four_net.pt")
W, H, ST = 6, 5, 6          # ST = bits per column, top bit always empty
G, SIMS, CPUCT = 8, 28, 1.4
BATCH, KEEP = 96, 6000
FULL = 0
for c in range(W):
    for r in range(H):
        FULL |= 1 << (c * ST + r)
CELLS = [c * ST + r for r in range(H) for c in range(W)]
TOPS = [1 << (c * ST + H - 1) for c in range(W)]
BOTS = [1 << (c * ST) for c in range(W)]
COLS = [((1 << H) - 1) << (c * ST) for c in range(W)]
SHIFTS = np.array(CELLS, dtype=np.int64)

body = torch.nn.Sequential(
    torch.nn.Conv2d(2, 32, 3, padding=1), torch.nn.ReLU(),
    torch.nn.Conv2d(32, 32, 3, padding=1), torch.nn.ReLU(),
    torch.nn.Flatten(), torch.nn.Linear(32 * W * H, 96), torch.nn.ReLU())
head_p = torch.nn.Linear(96, W)
head_v = torch.nn.Sequential(torch.nn.Linear(96, 1), torch.nn.Tanh())
weights = list(body.parameters()) + list(head_p.parameters()) + list(head_v.parameters())
opt = torch.optim.AdamW(weights, lr=1.5e-3, weight_decay=1e-4)

mem_x = np.zeros((KEEP, 2, H, W), np.float32)
mem_p = np.zeros((KEEP, W), np.float32)
mem_z = np.zeros(KEEP, np.float32)
mem_at = mem_n = 0

T = dict.fromkeys(["act", "act.search", "act.predict", "env.step", "env.mask", "env.observe", "env.reset", "learn.returns",
                   "replay.add", "replay.sample", "learn", "eval", "logging", "checkpoint"], 0.0)
me = [0] * G; foe = [0] * G; diary = [[] for _ in range(G)]
steps = games = updates = rounds = owed = 0
tempo = 0; lossy = 0.0; firsts = 0

with torch.no_grad():
    body(torch.zeros(G, 2, H, W))  # first call is slow

birth = pc()
while pc() - birth < LIMIT:
    rounds += 1
    # ---------------- plant a tree per game
    t = pc()
    # a node is [me, foe, prior list, n list, w list, child list, legal list, verdict]
    roots = [None] * G
    T["act.search"] += pc() - t
    for sim in range(SIMS + 1):
        t = pc()
        leaves, paths = [], []
        for g in range(G):
            node = roots[g]
            trail = []
            if node is None:
                node = [me[g], foe[g], None, None, None, None, None, None]
                roots[g] = node
            while node[2] is not None and node[7] is None:
                n, w, p, kids = node[3], node[4], node[2], node[5]
                big = CPUCT * math.sqrt(1 + sum(n))
                best, pick = -1e9, -1
                for c in node[6]:
                    k = n[c]
                    u = (w[c] / k if k else 0.0) + p[c] * big / (1 + k)
                    if u > best:
                        best, pick = u, c
                trail.append((node, pick))
                nxt = kids[pick]
                if nxt is None:
                    a, b = node[0], node[1]
                    full = a | b
                    a |= (full + BOTS[pick]) & COLS[pick]
                    won = False
                    for d in (1, ST, ST + 1, ST - 1):
                        m = a & (a >> d)
                        if m & (m >> (2 * d)):
                            won = True
                            break
                    nxt = [b, a, None, None, None, None, None, None]
                    if won:
                        nxt[7] = -1.0            # the one to move there has lost
                    elif (a | b) == FULL:
                        nxt[7] = 0.0
                    kids[pick] = nxt
                node = nxt
            leaves.append(node)
            paths.append(trail)
        bits = np.array([[n[0], n[1]] for n in leaves], dtype=np.int64)
        planes = ((bits[:, :, None] >> SHIFTS) & 1).astype(np.float32).reshape(G, 2, H, W)
        T["act.search"] += pc() - t

        t = pc()
        with torch.no_grad():
            h = body(torch.from_numpy(planes))
            pr = torch.softmax(head_p(h), 1).tolist()
            va = head_v(h)[:, 0].tolist()
        T["act.predict"] += pc() - t

        t = pc()
        for g in range(G):
            node = leaves[g]
            if node[7] is None:
                full = node[0] | node[1]
                ok = [c for c in range(W) if not full & TOPS[c]]
                s = sum(pr[g][c] for c in ok) + 1e-9
                node[2] = [pr[g][c] / s for c in range(W)]
                if sim == 0:
                    noise = np.random.dirichlet([0.8] * len(ok))
                    for c, e in zip(ok, noise):
                        node[2][c] = 0.75 * node[2][c] + 0.25 * e
                node[3] = [0] * W; node[4] = [0.0] * W; node[5] = [None] * W
                node[6] = ok
                v = va[g]
            else:
                v = node[7]
            for up, c in reversed(paths[g]):
                v = -v
                up[3][c] += 1
                up[4][c] += v
        T["act.search"] += pc() - t

    # ---------------- real moves
    for g in range(G):
        t = pc()
        full = me[g] | foe[g]
        open_cols = [c for c in range(W) if not full & TOPS[c]]
        T["env.mask"] += pc() - t

        t = pc()
        visits = np.array(roots[g][3], dtype=np.float64)
        pi = visits / visits.sum()
        if len(diary[g]) < 8:
            col = int(np.random.choice(W, p=pi))
        else:
            col = int(pi.argmax())
        if col not in open_cols:
            col = open_cols[0]
        T["act"] += pc() - t

        t = pc()
        b2 = np.array([me[g], foe[g]], dtype=np.int64)
        eye = ((b2[:, None] >> SHIFTS) & 1).astype(np.float32).reshape(2, H, W)
        T["env.observe"] += pc() - t
        diary[g].append((eye, pi))

        t = pc()
        me[g] |= (full + BOTS[col]) & COLS[col]
        won = False
        for d in (1, ST, ST + 1, ST - 1):
            m = me[g] & (me[g] >> d)
            if m & (m >> (2 * d)):
                won = True
        over = won or (me[g] | foe[g]) == FULL
        me[g], foe[g] = foe[g], me[g]
        steps += 1
        T["env.step"] += pc() - t

        if over:
            t = pc()
            L = len(diary[g])
            zs = [0.0] * L
            if won:
                for i in range(L):
                    zs[i] = (1.0 if (L - 1 - i) % 2 == 0 else -1.0) * 0.99 ** (L - 1 - i)
                firsts += L % 2
            T["learn.returns"] += pc() - t
            t = pc()
            for (x, p), z in zip(diary[g], zs):
                for flip in (0, 1):      # mirror image is as good
                    mem_x[mem_at] = x[:, :, ::-1] if flip else x
                    mem_p[mem_at] = p[::-1] if flip else p
                    mem_z[mem_at] = z
                    mem_at = (mem_at + 1) % KEEP
                    mem_n = min(mem_n + 1, KEEP)
            T["replay.add"] += pc() - t
            owed += L
            games += 1
            t = pc()
            me[g] = foe[g] = 0
            diary[g] = []
            T["env.reset"] += pc() - t

    # ---------------- learn: one batch per 4 moves finished
    while owed >= 4 and mem_n >= BATCH:
        owed -= 4
        t = pc()
        ix = np.random.randint(0, mem_n, BATCH)
        x = torch.from_numpy(mem_x[ix]); p = torch.from_numpy(mem_p[ix]); z = torch.from_numpy(mem_z[ix])
        T["replay.sample"] += pc() - t
        t = pc()
        h = body(x)
        loss = -(p * torch.log_softmax(head_p(h), 1)).sum(1).mean() + (head_v(h)[:, 0] - z).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        lossy = 0.95 * lossy + 0.05 * loss.item()
        updates += 1
        T["learn"] += pc() - t

    # ---------------- now and then: bare policy against dice, 10 games
    if rounds % 40 == 0:
        t = pc()
        wins = 0
        for k in range(10):
            a = b = 0
            turn = k % 2
            while True:
                full = a | b
                ok = [c for c in range(W) if not full & TOPS[c]]
                if turn == 0:
                    bb = np.array([a, b], dtype=np.int64)
                    pl = ((bb[:, None] >> SHIFTS) & 1).astype(np.float32).reshape(1, 2, H, W)
                    with torch.no_grad():
                        lg = head_p(body(torch.from_numpy(pl)))[0].tolist()
                    c = max(ok, key=lg.__getitem__)
                else:
                    c = random.choice(ok)
                a |= (full + BOTS[c]) & COLS[c]
                won = False
                for d in (1, ST, ST + 1, ST - 1):
                    m = a & (a >> d)
                    if m & (m >> (2 * d)):
                        won = True
                if won:
                    wins += turn == 0
                    break
                if (a | b) == FULL:
                    break
                a, b = b, a
                turn = 1 - turn
        T["eval"] += pc() - t
        t = pc()
        print("vs dice", wins, "of 10", flush=True)
        T["logging"] += pc() - t
    if rounds % 20 == 0:
        t = pc()
        print("rounds %d moves %d games %d loss %.3f first player won %.2f memory %d" % (rounds, steps, games, lossy, firsts / max(1, games), mem_n), flush=True)
        T["logging"] += pc() - t
    if rounds % 150 == 0:
        t = pc()
        torch.save([body.state_dict(), head_p.state_dict(), head_v.state_dict()], SAVE)
        T["checkpoint"] += pc() - t

wall = pc() - birth
T["other"] = wall - sum(T.values())
if TRUTH:
    with open(TRUTH, "w") as f:
        json.dump({"wall_seconds": wall, "stages": T, "env_steps": steps, "episodes": games, "updates": updates}, f)
