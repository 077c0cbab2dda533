"""DQN on pocket battles. Battles live on the asyncio thread, we only learn here."""
import asyncio
import copy
import json
import os
import queue
import random
import time

import numpy as np
import torch
import torch.nn as nn

from players import (DQNPlayer, LookaheadPlayer, N_ACTIONS, OBS, POKE_LOOP, RandomPlayer, STATS, start_loop)

torch.set_num_threads(1)
CONCURRENT = 6
BATCH = 64
GAMMA = 0.98
WARMUP = 200
TRAIN_EVERY = 4
SYNC_EVERY = 50
TARGET_EVERY = 400
BUDGET = float(os.getenv("WILD_SECONDS", "20"))


def build_net():
    return nn.Sequential(nn.Linear(OBS, 256), nn.ELU(), nn.Linear(256, 128), nn.ELU(), nn.Linear(128, N_ACTIONS))


class Memory:
    def __init__(self, cap=30000):
        self.cap, self.items, self.pos = cap, [], 0

    def push(self, item):
        if len(self.items) < self.cap:
            self.items.append(item)
        else:
            self.items[self.pos] = item
        self.pos = (self.pos + 1) % self.cap

    def sample(self, n):
        cols = list(zip(*random.sample(self.items, n)))
        return (torch.from_numpy(np.stack(cols[0])), torch.tensor(cols[1]), torch.tensor(cols[2], dtype=torch.float32),
                torch.from_numpy(np.stack(cols[3])), torch.tensor(cols[4], dtype=torch.float32),
                torch.from_numpy(np.stack(cols[5])))


def train_step(net, target, opt, batch):
    s, a, r, s2, d, m2 = batch
    with torch.no_grad():
        best = net(s2).masked_fill(~m2, -1e9).argmax(1, keepdim=True)
        y = r + GAMMA * (1 - d) * target(s2).gather(1, best)[:, 0]
    loss = nn.functional.smooth_l1_loss(net(s).gather(1, a[:, None])[:, 0], y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


def main():
    net = build_net()
    target, acting = copy.deepcopy(net), copy.deepcopy(net)
    opt = torch.optim.Adam(net.parameters(), lr=3e-4)
    mem = Memory()
    q = queue.Queue(maxsize=64)
    player = DQNPlayer(acting, q)
    clk = dict.fromkeys(["wait", "replay.add", "replay.sample", "learn.update", "log", "checkpoint"], 0.0)
    during_wait = {}                # what the loop thread did while we waited
    pc = time.perf_counter

    start_loop()
    t_start = pc()
    futures = [asyncio.run_coroutine_threadsafe(
        player.battle_forever(f"battle-{i}", RandomPlayer() if i == 0 else LookaheadPlayer()), POKE_LOOP)
        for i in range(CONCURRENT)]
    got = updates = 0
    results, loss = [], 0.0
    while pc() - t_start < BUDGET:
        before = STATS.peek()
        t0 = pc()
        item, info = q.get()
        clk["wait"] += pc() - t0
        for k, v in STATS.peek().items():
            during_wait[k] = during_wait.get(k, 0.0) + v - before.get(k, 0.0)

        t0 = pc()
        mem.push(item)
        clk["replay.add"] += pc() - t0
        got += 1
        player.eps = max(0.05, 1 - got / 5000)

        if got > WARMUP and got % TRAIN_EVERY == 0:
            t0 = pc()
            batch = mem.sample(BATCH)
            t1 = pc()
            loss = train_step(net, target, opt, batch)
            t2 = pc()
            clk["replay.sample"] += t1 - t0
            clk["learn.update"] += t2 - t1
            updates += 1
            if updates % SYNC_EVERY == 0:
                acting.load_state_dict(net.state_dict())
            if updates % TARGET_EVERY == 0:
                target.load_state_dict(net.state_dict())

        if info is not None:
            results.append(info)
            if len(results) % 20 == 0:
                t0 = pc()
                last = results[-20:]
                print(f"battles {len(results)}  turns {got}  win {sum(w == 0 for _, w, _ in last) / 20:.2f}  "
                      f"return {sum(x[0] for x in last) / 20:+.2f}  len {sum(x[2] for x in last) / 20:.1f}  "
                      f"loss {loss:.3f}  eps {player.eps:.2f}  backlog {q.qsize()}", flush=True)
                t1 = pc()
                clk["log"] += t1 - t0
                if len(results) % 100 == 0:
                    torch.save(net.state_dict(), "dqn.pt")
                    clk["checkpoint"] += pc() - t1
    wall = pc() - t_start
    turns, battles = STATS.turns, STATS.battles
    for f in futures:
        f.cancel()
    POKE_LOOP.call_soon_threadsafe(POKE_LOOP.stop)

    # our waiting belongs to whatever the loop was doing; the rest of it nobody worked
    wait = clk.pop("wait")
    busy = sum(during_wait.values())
    scale = min(1.0, wait / busy) if busy else 0.0
    stages = {k: v for k, v in clk.items() if v}
    for k, v in during_wait.items():
        stages[k] = stages.get(k, 0.0) + v * scale
    stages["vec.wait"] = max(0.0, wait - busy * scale)
    stages["other"] = wall - sum(stages.values())
    print(f"waited {wait:.2f}s, loop busy {busy:.2f}s of it")
    for k in sorted(stages, key=stages.get, reverse=True):
        print(f"  {k:14} {stages[k]:7.3f} {stages[k] / wall:6.1%}")
    path = os.getenv("WILD_TRUTH")
    if path:
        with open(path, "w") as fh:
            json.dump({"wall_seconds": wall, "stages": stages, "env_steps": turns, "episodes": battles,
                       "updates": updates}, fh)


if __name__ == "__main__":
    main()
