# TD-Gammon, once again.   python train.py
import json, os
import time
import numpy as np
import bg

SECS = float(os.environ.get("WILD_SECONDS", 20))
NH = 60
LR = 0.1
LAM = 0.7
EVAL_EVERY = 20
EVAL_GAMES = 4
SAVE_EVERY = 25

pc = time.perf_counter
clk = {}


def tick(k, t):
    """book the time since t on k, return now"""
    n = pc()
    clk[k] = clk.get(k, 0.0) + n - t
    return n


def sig(z):
    return 1.0 / (1.0 + np.exp(-z))


class Net:
    def __init__(self, ni, nh, seed=1):
        r = np.random.default_rng(seed)
        self.w1 = r.normal(0, 0.1, (ni, nh))
        self.b1 = np.zeros(nh)
        self.w2 = r.normal(0, 0.1, nh)
        self.b2 = 0.0
        self.forget()

    def forget(self):
        self.e1 = np.zeros_like(self.w1)
        self.eb1 = np.zeros_like(self.b1)
        self.e2 = np.zeros_like(self.w2)
        self.eb2 = 0.0

    def val(self, x):
        return sig(sig(x @ self.w1 + self.b1) @ self.w2 + self.b2)

    def td(self, x, target):
        """move V(x) to target, with traces. Sign of the trace alternates because the mover does."""
        h = sig(x @ self.w1 + self.b1)
        v = sig(h @ self.w2 + self.b2)
        dv = v * (1 - v)
        dh = dv * self.w2 * h * (1 - h)
        self.e1 = -LAM * self.e1 + np.outer(x, dh)
        self.eb1 = -LAM * self.eb1 + dh
        self.e2 = -LAM * self.e2 + dv * h
        self.eb2 = -LAM * self.eb2 + dv
        d = LR * (target - v)
        self.w1 += d * self.e1
        self.b1 += d * self.eb1
        self.w2 += d * self.e2
        self.b2 += d * self.eb2
        return target - v

    def save(self, fn):
        np.savez_compressed(fn, w1=self.w1, b1=self.b1, w2=self.w2, b2=self.b2)


def greedy(net, b, dice):
    ps = bg.plays(b, *dice)
    xs = np.stack([bg.enc(p) for p in ps])
    return ps[int(np.argmax(net.val(xs)))]


def runner(b, dice, rng):
    """the benchmark: hits and makes points if it can, leaves few blots"""
    best, bs = None, -1e9
    for p in bg.plays(b, *dice):
        own, opp = p
        s = 4 * opp[25] + 3 * own[0] - 2 * sum(1 for i in range(1, 25) if own[i] == 1)
        s += sum(1 for i in range(4, 9) if own[i] >= 2) + rng.random() * 0.1
        if s > bs:
            best, bs = p, s
    return best


def bench(net, n, rng):
    won = 0
    for g in range(n):
        m = bg.Match(rng)
        while True:
            if m.side == 0:
                p = greedy(net, m.b, m.dice)
            else:
                p = runner(m.b, m.dice, rng)
            who = m.side
            if m.commit(p):
                won += who == 0
                break
            if m.ply > 400:
                break
    return won / n


rng = np.random.default_rng(7)
net = Net(196, NH)
m = bg.Match(rng)
plies = games = ups = 0
tot_len = 0
err = 0.0
t_begin = pc()
last_print = t_begin

while pc() - t_begin < SECS:
    t = pc()
    m.new()
    net.forget()
    t = tick("env.reset", t)
    prev = None
    fin = False
    while not fin:
        t = pc()
        ps = bg.plays(m.b, *m.dice)
        t = tick("env.mask", t)
        xs = np.stack([bg.enc(p) for p in ps])
        t = tick("env.observe", t)
        vs = net.val(xs)
        k = int(np.argmax(vs))
        t = tick("act", t)
        if prev is not None:
            err += abs(net.td(prev, 1.0 - vs[k]))
            ups += 1
            t = tick("learn.update", t)
        prev = xs[k]
        fin = m.commit(ps[k])
        plies += 1
        t = tick("env.step", t)
        if fin:
            net.td(prev, 1.0)
            ups += 1
            t = tick("learn.update", t)
        elif m.ply > 600 or t - t_begin > SECS:
            break
    if not fin:
        continue
    games += 1
    tot_len += m.ply
    t = pc()
    if t - last_print > 1:
        print("game %5d  plies/game %.1f  |td| %.4f  %.0f plies/s" % (
            games, tot_len / games, err / max(1, ups), plies / (t - t_begin)), flush=True)
        last_print = t
    t = tick("log", t)
    if games % EVAL_EVERY == 0:
        w = bench(net, EVAL_GAMES, rng)
        print("   vs runner: %.2f" % w)
        t = tick("eval", t)
    if games % SAVE_EVERY == 0:
        net.save("net.npz")
        t = tick("checkpoint", t)

wall = pc() - t_begin
clk["other"] = wall - sum(clk.values())
for k, v in sorted(clk.items(), key=lambda kv: -kv[1]):
    print("%-14s %6.2fs %5.1f%%" % (k, v, 100 * v / wall))
fn = os.environ.get("WILD_TRUTH")
if fn:
    with open(fn, "w") as f:
        json.dump({"wall_seconds": wall, "stages": clk, "env_steps": plies, "episodes": games, "updates": ups}, f)
