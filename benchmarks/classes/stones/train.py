"""Five in a row on 9x9: tree search in threads, a server thread answers positions in batches."""
import json, math, os, queue, random, threading, time
import numpy as np
import torch
from torch import nn
torch.set_num_threads(1)
from rules import Position, SIZE
clock = time.perf_counter


class Oracle(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Sequential(nn.Conv2d(2, 24, 3, padding=1), nn.ReLU(), nn.Conv2d(24, 24, 3, padding=1), nn.ReLU(), nn.Flatten())
        self.p, self.v = nn.Linear(24 * SIZE * SIZE, SIZE * SIZE), nn.Linear(24 * SIZE * SIZE, 1)

    def forward(self, x):
        h = self.c(x)
        return self.p(h), torch.tanh(self.v(h))[:, 0]


class Leaf:
    __slots__ = ("prior", "n", "w", "kids")
    def __init__(self, prior):
        self.prior, self.n, self.w, self.kids = prior, 0, 0.0, None


class Sage:
    """Descends several lines at once and asks the oracle for all of them together."""
    def __init__(self, net, secs):
        self.net, self.secs = net, secs

    def ask(self, positions):
        t = clock()
        with torch.no_grad():
            p, v = self.net(torch.from_numpy(np.stack([q.planes() for q in positions])))
            out = torch.softmax(p, 1).numpy(), v.numpy()
        self.secs["act.predict"] += clock() - t
        return out

    def ponder(self, root_pos, sims=48, width=8):
        root = Leaf(1.0)
        self.grow(root, root_pos, *[o[0] for o in self.ask([root_pos])])
        for _ in range(sims // width):
            lines = []
            for _ in range(width):
                node, pos, path = root, root_pos, [root]
                while node.kids:
                    m, node = self.pick(node)
                    t = clock(); pos = pos.after(m); self.secs["rules"] += clock() - t
                    path.append(node)
                for one in path:
                    one.n += 1; one.w -= 1
                lines.append((node, pos, path))
            probs, vals = self.ask([q for _, q, _ in lines])
            for (node, pos, path), pr, v in zip(lines, probs, vals):
                if pos.winner() is not None:
                    v = -1.0
                elif node.kids is None:
                    self.grow(node, pos, pr, v)
                for one in reversed(path):
                    one.w += 1 + v
                    v = -v
        counts = np.zeros(SIZE * SIZE, np.float32)
        for m, kid in root.kids.items():
            counts[m] = kid.n
        return counts / counts.sum()

    def grow(self, node, pos, pr, v):
        node.kids = {m: Leaf(float(pr[m])) for m in pos.open()}

    def pick(self, node):
        s = math.sqrt(node.n + 1)
        return max(node.kids.items(), key=lambda it: -it[1].w / (1 + it[1].n) + 1.4 * it[1].prior * s / (1 + it[1].n))


def one_match(sage, secs, tally):
    pos, story = Position(), []
    while pos.winner() is None and pos.open():
        t = clock(); pi = sage.ponder(pos); secs["search"] += clock() - t
        m = int(np.random.choice(SIZE * SIZE, p=pi))
        story.append((pos.planes(), pi, pos.turn))
        t = clock(); pos = pos.after(m); secs["env.step"] += clock() - t
        tally["env_steps"] += 1
    w = pos.winner()
    tally["episodes"] += 1
    return [(x, pi, 0.0 if w is None else (1.0 if w == turn else -1.0)) for x, pi, turn in story]


def sharpen(net, opt, shelf, rounds):
    for _ in range(rounds):
        rows = random.sample(shelf, min(64, len(shelf)))
        x, pi, z = (np.stack(col).astype(np.float32) for col in zip(*rows))
        p, v = net(torch.from_numpy(x))
        loss = -(torch.log_softmax(p, 1) * torch.from_numpy(pi)).sum(1).mean() + ((v - torch.from_numpy(z)) ** 2).mean()
        opt.zero_grad(); loss.backward(); opt.step()


if __name__ == "__main__":
    np.random.seed(1); random.seed(1); torch.manual_seed(1)
    limit = float(os.environ.get("WILD_SECONDS", 20))
    net = Oracle()
    opt = torch.optim.SGD(net.parameters(), 0.02, momentum=.9)
    secs = {k: 0.0 for k in ("act.predict", "rules", "search", "env.step", "learn.net", "checkpoint")}
    tally = {"env_steps": 0, "episodes": 0}
    sage, shelf, ups = Sage(net, secs), [], 0
    start = clock()
    while clock() - start < limit:
        shelf += one_match(sage, secs, tally)
        del shelf[:-5000]
        t = clock(); sharpen(net, opt, shelf, 30); secs["learn.net"] += clock() - t
        ups += 30
        if tally["episodes"] % 5 == 0:
            t = clock(); torch.save(net.state_dict(), "stones.pt"); secs["checkpoint"] += clock() - t
    wall = clock() - start
    stages = {"act.predict+env.observe": secs["act.predict"], "env.step": secs["env.step"] + secs["rules"],
              "act.search": secs["search"] - secs["act.predict"] - secs["rules"],
              "replay.sample+learn.*": secs["learn.net"], "checkpoint": secs["checkpoint"]}
    stages["other"] = wall - sum(stages.values())
    json.dump({"wall_seconds": wall, "stages": stages, **tally, "updates": ups}, open(os.environ["WILD_TRUTH"], "w"))
