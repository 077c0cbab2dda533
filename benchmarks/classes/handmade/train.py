# policy gradient by hand: no torch, gradients written out
import json, os, time
os.environ["OMP_NUM_THREADS"] = "1"; os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy as np

clk = time.perf_counter
spent = {}


class Stopwatch:
    def __init__(self, key): self.key = key
    def __enter__(self): self.t = clk()
    def __exit__(self, *a): spent[self.key] = spent.get(self.key, 0.0) + clk() - self.t


class Juggler:
    BALLS = 3
    def __init__(self, rs): self.rs = rs
    def toss(self):
        self.h = self.rs.uniform(.5, 1, self.BALLS); self.v = self.rs.uniform(0, 1, self.BALLS)
        self.x = self.rs.uniform(-1, 1, self.BALLS); self.hand = 0.0; self.age = 0
    def dropped(self): return bool((self.h < 0).any())
    def done(self): return self.dropped() or self.age >= 200
    def features(self):
        base = np.concatenate([self.h, self.v, self.x, [self.hand]])
        return np.concatenate([base, np.sin(base), np.cos(base), base ** 2])
    def shove(self, where):
        self.hand += (-.08, 0, .08)[where]
        for _ in range(12):
            self.v -= .004
            self.h += self.v * .02
            hit = (self.h < .05) & (abs(self.x - self.hand) < .3) & (self.v < 0)
            self.v[hit] = self.rs.uniform(.6, 1, hit.sum())
        self.age += 1
    def payoff(self): return -1.0 if self.dropped() else .05


def relu(z): return np.maximum(z, 0)


class Weights:
    def __init__(self, rs, n, h, m):
        self.A = rs.normal(0, n ** -.5, (n, h)); self.B = rs.normal(0, h ** -.5, (h, m))
        self.m = [np.zeros_like(self.A), np.zeros_like(self.B)]; self.s = [np.zeros_like(self.A), np.zeros_like(self.B)]
        self.k = 0
    def probs(self, x):
        h = relu(x @ self.A); z = h @ self.B
        z = z - z.max(-1, keepdims=True); e = np.exp(z)
        return h, e / e.sum(-1, keepdims=True)
    def nudge(self, X, K, G):
        h, p = self.probs(X)
        dz = p.copy(); dz[np.arange(len(K)), K] -= 1; dz *= G[:, None] / len(K)
        dB = h.T @ dz; dh = dz @ self.B.T; dh[h <= 0] = 0; dA = X.T @ dh
        self.k += 1
        for W, d, m, s in zip((self.A, self.B), (dA, dB), self.m, self.s):
            m += .1 * (d - m); s += .001 * (d * d - s)
            W -= 2e-3 * m / (np.sqrt(s) + 1e-8)


def discounted(R):
    out, acc = [0.0] * len(R), 0.0
    for i in reversed(range(len(R))):
        acc = R[i] + .98 * acc
        out[i] = acc
    return out


def session(w, game, rs, hours):
    count = {"env_steps": 0, "episodes": 0, "updates": 0}
    start = clk()
    batch = []
    while clk() - start < hours:
        with Stopwatch("env.reset"): game.toss()
        X, K, R = [], [], []
        while not game.done():
            with Stopwatch("env.observe"): x = game.features()
            with Stopwatch("act"):
                _, p = w.probs(x)
                k = int(rs.choice(3, p=p))
            with Stopwatch("env.step"): game.shove(k)
            with Stopwatch("env.reward"): r = game.payoff()
            X.append(x); K.append(k); R.append(r)
            count["env_steps"] += 1
        count["episodes"] += 1
        with Stopwatch("learn.returns"): G = discounted(R)
        batch.append((X, K, G))
        if len(batch) == 8:
            with Stopwatch("learn.update"):
                Xa = np.concatenate([np.array(b[0]) for b in batch]); Ka = np.concatenate([np.array(b[1]) for b in batch])
                Ga = np.concatenate([np.array(b[2]) for b in batch]); Ga = (Ga - Ga.mean()) / (Ga.std() + 1e-6)
                for _ in range(6):
                    w.nudge(Xa, Ka, Ga)
            batch.clear()
    wall = clk() - start
    stages = dict(spent); stages["other"] = wall - sum(spent.values())
    return {"wall_seconds": wall, "stages": stages, "env_steps": count["env_steps"], "episodes": count["episodes"]}


if __name__ == "__main__":
    rs = np.random.RandomState(3)
    res = session(Weights(rs, 40, 256, 3), Juggler(rs), rs, float(os.environ.get("WILD_SECONDS", 20)))
    with open(os.environ["WILD_TRUTH"], "w") as fh:
        json.dump(res, fh)
