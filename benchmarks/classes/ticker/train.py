"""A small window toolkit without a window: timers call back, and the training lives in the callbacks."""
import heapq, itertools, json, os, random, time
import torch
from torch import nn
torch.set_num_threads(1)
hr = time.perf_counter


class Root:
    """after(delay, fn) and mainloop(), as in tk."""
    def __init__(self):
        self.heap, self.n, self.alive = [], itertools.count(), True
        self.handlers = {}

    def after(self, delay, fn, *args):
        heapq.heappush(self.heap, (delay + (self.heap[0][0] if self.heap else 0), next(self.n), fn, args))

    def bind(self, event, fn):
        self.handlers.setdefault(event, []).append(fn)

    def event(self, name, *args):
        for fn in self.handlers.get(name, ()):
            fn(*args)

    def mainloop(self):
        while self.alive and self.heap:
            _, _, fn, args = heapq.heappop(self.heap)
            fn(*args)

    def quit(self):
        self.alive = False


class Pinball:
    """The table; frame() moves the ball."""
    def __init__(self, root):
        self.root = root
        self.bumpers = [(random.random(), random.random()) for _ in range(40)]
        self.new_ball()

    def new_ball(self):
        self.x, self.y, self.vx, self.vy, self.score, self.frames = .5, .9, random.uniform(-.5, .5), -.6, 0.0, 0
        self.flip = 0

    def frame(self):
        self.score = 0.0
        for _ in range(4):
            self.x += self.vx * .01; self.y += self.vy * .01
            if not 0 < self.x < 1:
                self.vx = -self.vx
            if self.y < 0:
                self.vy = abs(self.vy)
            for bx, by in self.bumpers:
                d = (bx - self.x) ** 2 + (by - self.y) ** 2
                if d < .0006:
                    self.vx, self.vy = -self.vy, self.vx
                    self.score += 1.0
        if self.y > .95 and self.flip and abs(self.x - .5) < .3:
            self.vy = -abs(self.vy)
        self.frames += 1
        lost = self.y > 1 or self.frames >= 300
        self.root.event("<<Frame>>", lost)

    def eyes(self):
        out = [self.x, self.y, self.vx, self.vy]
        for i in range(10):
            s = 0.0
            for bx, by in self.bumpers:
                s += 1.0 / (.1 + abs(bx - self.x) + abs(by - self.y) + i * .1)
            out.append(s / 100)
        return out


class App:
    def __init__(self, limit):
        self.root, self.limit = Root(), limit
        self.table = Pinball(self.root)
        self.net = nn.Sequential(nn.Linear(14, 64), nn.ReLU(), nn.Linear(64, 3))
        self.opt = torch.optim.Adam(self.net.parameters(), 1e-3)
        self.rows, self.prev = [], None
        self.secs = dict.fromkeys(("env.step", "env.observe", "act", "learn.fit", "env.reset"), 0.0)
        self.count = {"env_steps": 0, "episodes": 0, "updates": 0}
        self.root.bind("<<Frame>>", self.on_frame)
        self.root.after(1, self.tick)
        self.root.after(50, self.fit)

    def tick(self):
        t = hr(); view = self.table.eyes(); self.secs["env.observe"] += hr() - t
        t = hr(); self.table.flip = self.choose(view); self.secs["act"] += hr() - t
        self.prev = (view, self.table.flip)
        t = hr(); self.inner = 0.0; self.table.frame(); self.secs["env.step"] += hr() - t - self.inner
        self.root.after(1, self.tick)
        if hr() - self.begin > self.limit:
            self.root.quit()

    def choose(self, view):
        with torch.no_grad():
            return int(torch.distributions.Categorical(logits=self.net(torch.tensor(view))).sample())

    def on_frame(self, lost):
        t0 = hr()
        self.rows.append((*self.prev, self.table.score))
        self.count["env_steps"] += 1
        if lost:
            self.count["episodes"] += 1
            t = hr(); self.table.new_ball(); self.secs["env.reset"] += hr() - t
        self.inner += hr() - t0

    def fit(self):
        t = hr()
        if len(self.rows) >= 64:
            v, k, r = zip(*self.rows[-512:])
            logp = torch.log_softmax(self.net(torch.tensor(v)), 1).gather(1, torch.tensor(k)[:, None])[:, 0]
            loss = -(logp * torch.tensor(r)).mean()
            self.opt.zero_grad(); loss.backward(); self.opt.step()
            self.count["updates"] += 1
            del self.rows[:-512]
        self.secs["learn.fit"] += hr() - t
        self.root.after(20, self.fit)

    def run(self):
        self.begin = hr()
        self.root.mainloop()
        wall = hr() - self.begin
        s = dict(self.secs); s["other"] = wall - sum(s.values())
        return {"wall_seconds": wall, "stages": s, **self.count}


if __name__ == "__main__":
    torch.manual_seed(0); random.seed(0)
    res = App(float(os.environ.get("WILD_SECONDS", 20))).run()
    json.dump(res, open(os.environ["WILD_TRUTH"], "w"))
