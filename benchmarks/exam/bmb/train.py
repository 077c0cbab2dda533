# bmb: bomberman-ish dqn. N boards at once, one net.
import os, json, random, time, csv
from collections import deque
import numpy as np
import torch, torch.nn as nn, torch.nn.functional as F

torch.set_num_threads(1)
pc = time.perf_counter
S = 15          # board size
N = 32          # boards
NM = 5          # mobs
FUSE, RNG = 5, 2
MAXT = 200
CAP, BS, GAM, LR = 20_000, 128, .97, 3e-4
D4 = ((0, -1), (1, 0), (0, 1), (-1, 0))
LIM = float(os.environ.get("WILD_SECONDS", "20"))

T = {}
def tk(k, t0):
    t = pc()
    T[k] = T.get(k, 0.) + t - t0
    return t


class Bd:
    """0 floor 1 wall 2 crate"""
    def __init__(s):
        s.tm = 0.   # time spent in mobs(), read out by the main loop
        s.rs()

    def rs(s):
        g = [[0] * S for _ in range(S)]
        for y in range(S):
            for x in range(S):
                if x in (0, S - 1) or y in (0, S - 1) or (x % 2 == 0 and y % 2 == 0): g[y][x] = 1
                elif x + y > 4 and random.random() < .35: g[y][x] = 2
        s.g = g
        s.x = s.y = 1
        s.bm = []           # bombs [x, y, fuse]
        s.fl = set()        # flames this tick
        fr = [(x, y) for y in range(S) for x in range(S) if g[y][x] == 0 and x + y > 8]
        s.mb = random.sample(fr, NM) if len(fr) >= NM else fr
        s.t = 0
        s.sc = 0.
        s.nc = s.near()

    def blast(s, bx, by):
        c = {(bx, by)}
        for dx, dy in D4:
            for k in range(1, RNG + 1):
                x, y = bx + dx * k, by + dy * k
                if s.g[y][x] == 1: break
                c.add((x, y))
                if s.g[y][x] == 2: break
        return c

    def dist(s, x0, y0):
        d = {(x0, y0): 0}
        q = deque([(x0, y0)])
        bs = {(b[0], b[1]) for b in s.bm}
        while q:
            x, y = q.popleft()
            for dx, dy in D4:
                p = (x + dx, y + dy)
                if p not in d and s.g[p[1]][p[0]] == 0 and p not in bs:
                    d[p] = d[x, y] + 1
                    q.append(p)
        return d

    def near(s):
        # steps to nearest cell beside a crate
        b = 30
        for (x, y), k in s.dist(s.x, s.y).items():
            if k < b and any(s.g[y + dy][x + dx] == 2 for dx, dy in D4): b = k
        return b

    def esc(s):
        # cells from which one gets out of all blasts in time
        w = {}
        for b in s.bm:
            for c in s.blast(b[0], b[1]): w[c] = min(w.get(c, 99), b[2])
        ok = {}
        for y in range(1, S - 1):
            for x in range(1, S - 1):
                if s.g[y][x]: continue
                if (x, y) not in w: ok[x, y] = 1; continue
                ok[x, y] = any(s.g[y + dy][x + dx] == 0 and ((x + dx, y + dy) not in w or w[x + dx, y + dy] > w[x, y]) for dx, dy in D4)
        return ok

    def mobs(s):
        t0 = pc()
        bs = {(b[0], b[1]) for b in s.bm}
        dz = set()
        for b in s.bm:
            if b[2] <= 2: dz |= s.blast(b[0], b[1])
        nm = []
        for m in s.mb:
            op = [(m[0] + dx, m[1] + dy) for dx, dy in D4]
            op = [p for p in op if s.g[p[1]][p[0]] == 0 and p not in bs and p not in nm]
            sf = [p for p in op if p not in dz]
            if sf and random.random() < .6: op = sf
            if not op: nm.append(m); continue
            d = s.dist(s.x, s.y)
            if m in d and random.random() < .5: nm.append(min(op, key=lambda p: d.get(p, 99)))
            else: nm.append(random.choice(op))
        s.mb = nm
        s.tm += pc() - t0

    def mv(s, a):
        r = -.01
        s.t += 1
        if a < 4:
            x, y = s.x + D4[a][0], s.y + D4[a][1]
            if s.g[y][x] == 0 and not any(b[0] == x and b[1] == y for b in s.bm): s.x, s.y = x, y
            else: r -= .02
        elif a == 5:
            if len(s.bm) < 2: s.bm.append([s.x, s.y, FUSE])
            else: r -= .02
        s.fl = set()
        for b in s.bm: b[2] -= 1
        ex = [b for b in s.bm if b[2] <= 0]
        while ex:
            b = ex.pop()
            if b not in s.bm: continue
            s.bm.remove(b)
            c = s.blast(b[0], b[1])
            s.fl |= c
            for o in s.bm:
                if (o[0], o[1]) in c: ex.append(o)
        for x, y in s.fl:
            if s.g[y][x] == 2: s.g[y][x] = 0; r += .2
        k = [m for m in s.mb if m in s.fl]
        if k: r += len(k); s.mb = [m for m in s.mb if m not in s.fl]
        s.mobs()
        c = s.near()
        r += .01 * (s.nc - c)
        s.nc = c
        dead = (s.x, s.y) in s.fl or (s.x, s.y) in s.mb
        if dead: r -= 1
        if not s.mb: r += 1
        s.sc += r
        return r, dead or not s.mb or s.t >= MAXT

    def ob(s):
        o = np.zeros((8, S, S), np.float32)
        g = np.array(s.g)
        o[0] = g == 1
        o[1] = g == 2
        o[2, s.y, s.x] = 1
        for x, y in s.mb: o[3, y, x] = 1
        for bx, by, f in s.bm:
            o[4, by, bx] = f / FUSE
            for x, y in s.blast(bx, by): o[5, y, x] = max(o[5, y, x], 1 - f / (FUSE + 1))
        for (x, y), k in s.dist(s.x, s.y).items(): o[6, y, x] = 1 / (1 + k)
        for (x, y), k in s.esc().items(): o[7, y, x] = k
        return o


class Q(nn.Module):
    def __init__(s):
        super().__init__()
        s.c = nn.Sequential(nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, stride=2), nn.ReLU(), nn.Flatten())
        s.v = nn.Sequential(nn.Linear(32 * 49, 128), nn.ReLU(), nn.Linear(128, 1))
        s.a = nn.Sequential(nn.Linear(32 * 49, 128), nn.ReLU(), nn.Linear(128, 6))

    def forward(s, x):
        h = s.c(x)
        a = s.a(h)
        return s.v(h) + a - a.mean(1, keepdim=True)


class Buf:
    def __init__(s):
        s.o = np.zeros((CAP, 8, S, S), np.float16)
        s.n = np.zeros((CAP, 8, S, S), np.float16)
        s.a = np.zeros(CAP, np.int64)
        s.r = np.zeros(CAP, np.float32)
        s.d = np.zeros(CAP, np.float32)
        s.i = s.sz = 0

    def add(s, o, a, r, n, d):
        k = np.arange(s.i, s.i + len(a)) % CAP
        s.o[k], s.a[k], s.r[k], s.n[k], s.d[k] = o, a, r, n, d
        s.i = (s.i + len(a)) % CAP
        s.sz = min(CAP, s.sz + len(a))

    def get(s, n):
        k = np.random.randint(0, s.sz, n)
        f = lambda z: torch.from_numpy(z[k].astype(np.float32))
        return f(s.o), torch.from_numpy(s.a[k]), f(s.r), f(s.n), f(s.d)


def upd(q, tg, op, b):
    o, a, r, n, d = b
    with torch.no_grad():
        y = r + GAM * (1 - d) * tg(n).gather(1, q(n).argmax(1, True)).squeeze(1)
    l = F.smooth_l1_loss(q(o).gather(1, a[:, None]).squeeze(1), y)
    op.zero_grad()
    l.backward()
    nn.utils.clip_grad_norm_(q.parameters(), 10)
    op.step()
    return l.item()


if __name__ == "__main__":
    q, tg = Q(), Q()
    tg.load_state_dict(q.state_dict())
    op = torch.optim.Adam(q.parameters(), LR)
    bf = Buf()
    bs = [Bd() for _ in range(N)]
    w = csv.writer(open("log.csv", "w"))
    sc = deque(maxlen=200)
    it = ns = ne = nu = 0
    ls = 0.
    for b in bs: b.tm = 0.
    t00 = pc()
    t = pc()
    o = np.stack([b.ob() for b in bs])
    tk("env.observe", t)
    while pc() - t00 < LIM:
        eps = max(.05, 1 - ns / 30000)
        t = pc()
        with torch.no_grad(): a = q(torch.from_numpy(o)).argmax(1).numpy()
        m = np.random.rand(N) < eps
        a[m] = np.random.randint(0, 6, m.sum())
        t = tk("act", t)
        n, r, d = np.empty_like(o), np.zeros(N, np.float32), np.zeros(N, np.float32)
        o2 = np.empty_like(o)
        for i, b in enumerate(bs):
            t = pc()
            r[i], e = b.mv(a[i])
            t1 = tk("env.step", t)
            T["env.step"] -= b.tm
            T["env.opponent"] = T.get("env.opponent", 0.) + b.tm
            b.tm = 0.
            t1 = pc()
            n[i] = o2[i] = b.ob()
            t1 = tk("env.observe", t1)
            if e:
                d[i] = 1
                ne += 1
                sc.append(b.sc)
                t1 = pc()
                b.rs()
                t1 = tk("env.reset", t1)
                o2[i] = b.ob()
                tk("env.observe", t1)
        ns += N
        it += 1
        t = pc()
        bf.add(o, a, r, n, d)
        t = tk("replay.add", t)
        o = o2
        if bf.sz > 1000:
            for _ in range(1):
                t = pc()
                bt = bf.get(BS)
                t = tk("replay.sample", t)
                ls = upd(q, tg, op, bt)
                tk("learn.update", t)
                nu += 1
            if it % 100 == 0:
                t = pc()
                tg.load_state_dict(q.state_dict())
                tk("learn.update", t)
        if it % 50 == 0:
            t = pc()
            w.writerow([it, ns, ne, np.mean(sc) if sc else 0, ls, eps])
            print(f"{it:6d} {ns:8d} ep {ne:6d} sc {np.mean(sc) if sc else 0:+.2f} l {ls:.4f} e {eps:.2f} {ns / (pc() - t00):.0f}/s", flush=True)
            t = tk("log", t)
            if it % 250 == 0:
                torch.save(q.state_dict(), "q.pt")
                tk("checkpoint", t)
    W = pc() - t00
    T["other"] = W - sum(T.values())
    print({k: round(v, 2) for k, v in T.items()})
    if os.environ.get("WILD_TRUTH"):
        json.dump(dict(wall_seconds=W, stages=T, env_steps=ns, episodes=ne, updates=nu), open(os.environ["WILD_TRUTH"], "w"))
