"""A story is a generator: it yields what the hero sees, and is sent what the hero does."""
import json, os, random, time
from collections import deque
import torch
from torch import nn, optim
torch.set_num_threads(1)
c = time.perf_counter
mem = deque(maxlen=10000)
net = nn.Sequential(nn.Linear(20, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 5))
opt = optim.Adam(net.parameters(), 1e-3)


def cave(rnd):
    """yields (view, loot, finished)"""
    bats = [(rnd.random(), rnd.random()) for _ in range(60)]
    x = y = 0.5
    light, loot = 80, 0.0
    while True:
        near = sorted((bx - x) ** 2 + (by - y) ** 2 for bx, by in bats)[:16]
        view = near + [x, y, light / 80, 1.0]
        way = yield view, loot, light <= 0
        if light <= 0:
            return
        dx, dy = ((.03, 0), (-.03, 0), (0, .03), (0, -.03), (0, 0))[way]
        x, y = (x + dx) % 1, (y + dy) % 1
        bats = [((bx + .01 * (bx > x) - .005) % 1, (by + .01 * (by > y) - .005) % 1) for bx, by in bats]
        loot = 1.0 if near[0] > .01 else -1.0
        light -= 1


def pick(view, eps):
    if random.random() < eps:
        return random.randrange(5)
    with torch.no_grad():
        return net(torch.tensor(view)).argmax().item()


def drill():
    s, a, r, s2, d = zip(*random.sample(mem, 48))
    q = net(torch.tensor(s)).gather(1, torch.tensor(a).view(-1, 1)).view(-1)
    with torch.no_grad():
        y = torch.tensor(r) + .95 * net(torch.tensor(s2)).max(1)[0] * (~torch.tensor(d))
    loss = ((q - y) ** 2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    return loss.item()


def quest(limit):
    S = dict.fromkeys(("env.reset", "act", "env.step", "replay.add", "replay.sample+learn.*"), 0.0)
    n = g = u = 0
    begin = c()
    rnd = random.Random(1)
    while c() - begin < limit:
        t = c(); story = cave(rnd); view, loot, fin = next(story); S["env.reset"] += c() - t
        while not fin:
            t = c(); way = pick(view, .2); S["act"] += c() - t
            t = c(); v2, loot, fin = story.send(way); S["env.step"] += c() - t
            t = c(); mem.append((view, way, loot, v2, fin)); S["replay.add"] += c() - t
            view = v2; n += 1
            if n > 200 and n % 3 == 0:
                t = c(); drill(); S["replay.sample+learn.*"] += c() - t
                u += 1
        g += 1
    wall = c() - begin
    S["other"] = wall - sum(S.values())
    return dict(wall_seconds=wall, stages=S, env_steps=n, episodes=g, updates=u)


if __name__ == "__main__":
    random.seed(0); torch.manual_seed(0)
    out = quest(float(os.environ.get("WILD_SECONDS", "20")))
    json.dump(out, open(os.environ["WILD_TRUTH"], "w"))
