"""Three tribes share one valley. Dict in, dict out. One shared actor-critic."""
import json
import os
import time

import torch
import torch.nn as nn

from valley import Valley, VIEW, ORDERS

torch.set_num_threads(1)


class Chief(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(VIEW, 128), nn.ELU(), nn.Linear(128, 64), nn.ELU())
        self.say = nn.Linear(64, ORDERS)
        self.hope = nn.Linear(64, 1)

    def think(self, views, allowed):
        h = self.trunk(views)
        logits = self.say(h).masked_fill(~allowed, -1e9)
        return torch.distributions.Categorical(logits=logits), self.hope(h).squeeze(-1)


class Trainer:
    def __init__(self, limit):
        self.valley, self.chief = Valley(7), Chief()
        self.opt = torch.optim.RMSprop(self.chief.parameters(), lr=7e-4)
        self.limit = limit
        self.clock = {}
        self.years = self.ages = self.lessons = 0

    def timed(self, key, fn, *args):
        t = time.perf_counter()
        out = fn(*args)
        self.clock[key] = self.clock.get(key, 0.0) + time.perf_counter() - t
        return out

    def orders(self, views, allowed):
        names = list(views)
        with torch.no_grad():
            d, _ = self.chief.think(torch.tensor([views[n] for n in names]), torch.tensor([allowed[n] for n in names]))
            picks = d.sample()
        return {n: int(k) for n, k in zip(names, picks)}

    def teach(self, pages):
        views, allowed, ks, rs, overs = [], [], [], [], []
        for v, a, k, r, over in pages:
            for n in v:
                views.append(v[n]); allowed.append(a[n]); ks.append(k[n]); rs.append(r.get(n, 0.0)); overs.append(over)
        d, hope = self.chief.think(torch.tensor(views), torch.tensor(allowed))
        rs = torch.tensor(rs)
        target = rs + 0.95 * hope.detach() * (1 - torch.tensor(overs, dtype=torch.float32))
        edge = target - hope
        loss = -(d.log_prob(torch.tensor(ks)) * edge.detach()).mean() + edge.pow(2).mean() - 0.02 * d.entropy().mean()
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.chief.parameters(), 0.5)
        self.opt.step()
        self.lessons += 1

    def live(self):
        begin = time.perf_counter()
        views = self.timed("env.reset", self.valley.found)
        pages = []
        while time.perf_counter() - begin < self.limit:
            allowed = self.timed("env.mask", self.valley.may)
            said = self.timed("act", self.orders, views, allowed)
            views2, gains, fallen = self.timed("env.step", self.valley.year, said)
            pages.append((views, allowed, said, gains, fallen["all"]))
            self.years += 1
            views = views2
            if fallen["all"]:
                self.ages += 1
                views = self.timed("env.reset", self.valley.found)
            if len(pages) == 16:
                self.timed("learn.teach", self.teach, pages)
                pages = []
        wall = time.perf_counter() - begin
        stages = dict(self.clock)
        stages["env.step+env.observe"] = stages.pop("env.step")  # a step looks at the valley itself
        stages["other"] = wall - sum(stages.values())
        return {"wall_seconds": wall, "stages": stages, "env_steps": self.years, "episodes": self.ages, "updates": self.lessons}


if __name__ == "__main__":
    torch.manual_seed(2)
    answer = Trainer(float(os.environ.get("WILD_SECONDS", 20))).live()
    with open(os.environ["WILD_TRUTH"], "w") as f:
        json.dump(answer, f)
