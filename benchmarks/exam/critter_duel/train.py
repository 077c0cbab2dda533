import copy
import json
import os
import queue
import random
import time
from collections import defaultdict, deque
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
import torch.nn as nn

from player import N_ACTIONS, OBS_SIZE, Player
from server import BattleServer

torch.set_num_threads(1)
BATTLES_AT_ONCE = 4
BATCH = 64
GAMMA = 0.97
LEARN_EVERY = 2
TARGET_EVERY = 200
RUN_FOR = float(os.environ.get("WILD_SECONDS", 20))
KIND_TO_KEY = {"setup": "env.reset", "trainer": "env.opponent", "rules": "env.step", "describe": "env.observe",
               "embed": "env.observe", "pick": "act"}


def make_net():
    return nn.Sequential(nn.Linear(OBS_SIZE, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, N_ACTIONS))


class Learner:
    def __init__(self):
        self.net, self.opt_steps = make_net(), 0
        self.target = copy.deepcopy(self.net)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=5e-4)
        self.memory = deque(maxlen=20000)

    def sample(self):
        o, a, r, o2, m2, d = zip(*random.sample(self.memory, BATCH))
        return (torch.tensor(np.array(o)), torch.tensor(a), torch.tensor(r, dtype=torch.float32),
                torch.tensor(np.array(o2)), torch.tensor(np.array(m2)), torch.tensor(d, dtype=torch.float32))

    def fit(self, batch):
        o, a, r, o2, m2, d = batch
        with torch.no_grad():
            best = self.net(o2).masked_fill(~m2, -1e9).argmax(1, keepdim=True)
            goal = r + GAMMA * (1 - d) * self.target(o2).gather(1, best)[:, 0]
        loss = nn.functional.smooth_l1_loss(self.net(o).gather(1, a[:, None])[:, 0], goal)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.opt_steps += 1
        if self.opt_steps % TARGET_EVERY == 0:
            self.target.load_state_dict(self.net.state_dict())
        return loss.item()


def main():
    usage = {k: 0.0 for k in KIND_TO_KEY}      # wall of the server thread, cpu of the player threads (they queue for the GIL)
    clock = defaultdict(float)
    shared = {"epsilon": 1.0, "closing": False}
    inbox = queue.Queue(maxsize=64)
    learner = Learner()
    server = BattleServer(usage)
    server.start()
    server.ready.wait()
    player = Player(server.port, learner.net, inbox, usage, shared)
    pool = ThreadPoolExecutor(BATTLES_AT_ONCE, thread_name_prefix="battle")

    start = time.perf_counter()
    seeds = iter(range(1, 10 ** 9))
    running = [pool.submit(player.play_battle, next(seeds)) for _ in range(BATTLES_AT_ONCE)]
    steps = battles = 0
    wins, loss = deque(maxlen=50), 0.0
    while time.perf_counter() - start < RUN_FOR:
        before = dict(usage)
        t = time.perf_counter()
        try:
            obs, action, reward, obs2, mask2, done, winner = inbox.get(timeout=1.0)
        except queue.Empty:
            clock["vec.wait"] += time.perf_counter() - t
            continue
        waited = time.perf_counter() - t
        worked = {k: usage[k] - before[k] for k in usage}
        busy = sum(worked.values())
        share = min(1.0, waited / busy) if busy > 0 else 0.0
        for kind, seconds in worked.items():
            clock[KIND_TO_KEY[kind]] += seconds * share
        clock["vec.wait"] += waited - busy * share

        learner.memory.append((obs, action, reward, obs2, mask2, done))
        steps += 1
        shared["epsilon"] = max(0.05, 1.0 - steps / 4000)
        if done:
            battles += 1
            wins.append(winner == 0)
            running = [f for f in running if not f.done()]
            running.append(pool.submit(player.play_battle, next(seeds)))
            if battles % 10 == 0:
                t = time.perf_counter()
                print(f"battle {battles}  steps {steps}  winrate {np.mean(wins):.2f}  loss {loss:.4f}  "
                      f"eps {shared['epsilon']:.2f}", flush=True)
                clock["log"] += time.perf_counter() - t
        if len(learner.memory) >= 200 and steps % LEARN_EVERY == 0:
            t = time.perf_counter()
            batch = learner.sample()
            t2 = time.perf_counter()
            loss = learner.fit(batch)
            clock["replay.sample"] += t2 - t
            clock["learn.update"] += time.perf_counter() - t2
        if done and battles % 100 == 0:
            t = time.perf_counter()
            torch.save(learner.net.state_dict(), "duel.pt")
            clock["checkpoint"] += time.perf_counter() - t
    wall = time.perf_counter() - start

    shared["closing"] = True
    while not all(f.done() for f in running):      # nobody may hang on a full inbox
        while not inbox.empty():
            inbox.get()
        time.sleep(0.02)
    pool.shutdown()
    server.stop()
    stages = dict(clock)
    stages["other"] = wall - sum(stages.values())
    for key, sec in sorted(stages.items(), key=lambda x: -x[1]):
        print(f"{key:15s} {sec:7.3f}  {100 * sec / wall:5.1f}%")
    if "WILD_TRUTH" in os.environ:
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump({"wall_seconds": wall, "stages": stages, "env_steps": steps, "episodes": battles,
                       "updates": learner.opt_steps}, f, indent=1)


if __name__ == "__main__":
    main()
