import asyncio
import json
import os
import random
import time
from collections import deque

import numpy as np
import torch
from torch import nn

from dex import TYPES, hurt, multiplier, race
from server import LocalServer
from stopwatch import here, write_down

torch.set_num_threads(1)
torch.manual_seed(3)
random.seed(3)


class FeatureSheet:
    def __init__(self, path="features.json"):
        with open(path) as f:
            cfg = json.load(f)
        self._once, self._moves, self._team, self._types, self._pairs = (
            [compile(e, path, "eval") for e in cfg[k]] for k in ("once", "moves", "team", "types", "pairs"))
        self.size = (len(self._once) + 4 * len(self._moves) + 4 * len(self._team)
                     + len(TYPES) * len(self._types) + 16 * len(self._pairs))

    def fill(self, req):
        me, foe = req["team"][req["out"]], req["foe_team"][req["foe_out"]]
        names = {"req": req, "me": me, "foe": foe, "team": req["team"], "foes": req["foe_team"], "w": req["weather"],
                 "hurt": hurt, "multiplier": multiplier, "race": race}
        row = [float(eval(e, names)) for e in self._once]
        for group, items in ((self._moves, me["moves"]), (self._team, req["team"]), (self._types, TYPES)):
            for x in items:
                names["x"] = x
                row.extend(float(eval(e, names)) for e in group)
        for a in req["team"]:
            for b in req["foe_team"]:
                names.update(a=a, b=b)
                row.extend(float(eval(e, names)) for e in self._pairs)
        return np.array(row, dtype=np.float32)


class BattleEnv:
    def __init__(self, server, sheet):
        self._server = server
        self._sheet = sheet

    def _hand_over(self, coroutine):
        p = here.to(9)
        answer = asyncio.run_coroutine_threadsafe(coroutine, self._server.loop).result()
        here.to(p)
        return answer

    def reset(self):
        self._room, text = self._hand_over(self._server.open_room())
        obs, mask = self._embed(text)
        self._worth = self._value()
        return obs, mask

    def step(self, order):
        text = self._hand_over(self._server.exchange(self._room, order))
        obs, mask = self._embed(text)
        reward = self._compute_reward()
        return obs, mask, reward, self._req["winner"] is not None

    def _embed(self, text):
        p = here.to(1)
        self._req = json.loads(text)
        obs = self._sheet.fill(self._req)
        here.to(2)
        mask = self._legal()
        here.to(p)
        return obs, mask

    def _legal(self):
        req = self._req
        ok = [req["team"][req["out"]]["hp"] > 0] * 4
        ok += [m["hp"] > 0 and i != req["out"] for i, m in enumerate(req["team"])]
        if not any(ok):
            ok[0] = True
        return np.array(ok)

    def _value(self):
        r = self._req
        return sum(m["hp"] / m["max"] + .5 * (m["hp"] > 0) - .1 * (m["status"] != "") for m in r["team"]) - \
            sum(m["hp"] / m["max"] + .5 * (m["hp"] > 0) - .1 * (m["status"] != "") for m in r["foe_team"])

    def _compute_reward(self):
        p = here.to(3)
        now = self._value()
        r, self._worth = now - self._worth, now
        if self._req["winner"] is not None:
            r += 3 if self._req["winner"] == 0 else -3
        here.to(p)
        return r


class Memory:
    def __init__(self, n):
        self._rows = deque(maxlen=n)

    def push(self, *row):
        self._rows.append(row)

    def draw(self, n):
        o, a, r, o2, m2, d = zip(*random.sample(self._rows, n))
        return (torch.from_numpy(np.stack(o)), torch.tensor(a), torch.tensor(r, dtype=torch.float32),
                torch.from_numpy(np.stack(o2)), torch.from_numpy(np.stack(m2)), torch.tensor(d, dtype=torch.float32))

    def __len__(self):
        return len(self._rows)


class Player:
    def __init__(self, n_in):
        self._net, self._slow = (nn.Sequential(nn.Linear(n_in, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 8))
                                 for _ in range(2))
        self._slow.load_state_dict(self._net.state_dict())
        self._opt = torch.optim.Adam(self._net.parameters(), 5e-4)
        self.eps = 1.0
        self.n_updates = 0

    @torch.no_grad()
    def choose(self, obs, mask):
        if random.random() < self.eps:
            return int(random.choice(np.flatnonzero(mask)))
        q = self._net(torch.from_numpy(obs)[None])[0].numpy()
        return int(np.where(mask, q, -1e9).argmax())

    def improve(self, batch):
        o, a, r, o2, m2, d = batch
        with torch.no_grad():
            nxt = self._net(o2).masked_fill(~m2, -1e9).argmax(1, keepdim=True)
            y = r + .97 * (1 - d) * self._slow(o2).gather(1, nxt)[:, 0]
        loss = nn.functional.smooth_l1_loss(self._net(o).gather(1, a[:, None])[:, 0], y)
        self._opt.zero_grad()
        loss.backward()
        self._opt.step()
        with torch.no_grad():
            for p, q in zip(self._slow.parameters(), self._net.parameters()):
                p.lerp_(q, .01)
        self.n_updates += 1
        return loss.item()


def main():
    sheet = FeatureSheet()
    env = BattleEnv(LocalServer(), sheet)
    player, memory = Player(sheet.size), Memory(20000)
    seconds = float(os.environ.get("WILD_SECONDS", 20))
    steps = battles = 0
    wins, losses = deque(maxlen=100), deque(maxlen=200)
    here.__init__()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        obs, mask = env.reset()
        over = False
        total = 0.0
        while not over:
            here.to(4)
            order = player.choose(obs, mask)
            here.to(0)
            nobs, nmask, reward, over = env.step(order)
            here.to(5)
            memory.push(obs, order, reward, nobs, nmask, over)
            here.to(0)
            obs, mask = nobs, nmask
            total += reward
            steps += 1
            if len(memory) >= 500 and steps % 4 == 0:
                here.to(6)
                batch = memory.draw(64)
                here.to(7)
                losses.append(player.improve(batch))
                here.to(0)
        battles += 1
        wins.append(total > 0)
        player.eps = max(.05, player.eps * .985)
        if battles % 20 == 0:
            here.to(8)
            print(f"battle {battles:4d}  turns {steps:6d}  win {np.mean(wins):.2f}  loss {np.mean(losses or [0]):.3f}  eps {player.eps:.2f}")
            here.to(0)
    wall, stages = write_down(steps, battles, player.n_updates)
    print(f"{wall:.1f}s", {k: f"{100 * v / wall:.1f}%" for k, v in stages.items()})


if __name__ == "__main__":
    main()
