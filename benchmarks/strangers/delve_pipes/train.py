import json
import os
from collections import defaultdict
from time import perf_counter

import numpy as np
import torch
import torch.nn.functional as F

from crew import Crew
from dungeon import N_MOVES, N_SIGHT
from mind import Mind

HANDS = 4
FLOORS = 8
ROLL = 8
GAMMA = 0.98
SECONDS = float(os.environ.get("WILD_SECONDS", 20))

totals = defaultdict(float)


class span:
    def __init__(self, key):
        self.key = key

    def __enter__(self):
        self.t = perf_counter()

    def __exit__(self, *_):
        totals[self.key] += perf_counter() - self.t


def returns_of(prizes, overs, last):
    out = np.zeros_like(prizes)
    run = last
    for t in range(len(prizes) - 1, -1, -1):
        run = prizes[t] + GAMMA * run * (1 - overs[t])
        out[t] = run
    return out


def improve(mind, opt, sights, keys, goals):
    x = torch.from_numpy(sights.reshape(-1, N_SIGHT))
    k = torch.from_numpy(keys.reshape(-1))
    g = torch.from_numpy(goals.reshape(-1))
    logits, v = mind(x)
    logp = F.log_softmax(logits, -1)
    adv = (g - v).detach()
    pick = logp.gather(1, k[:, None])[:, 0]
    entropy = -(logp.exp() * logp).sum(-1).mean()
    loss = -(pick * adv).mean() + 0.5 * F.mse_loss(v, g) - 0.01 * entropy
    opt.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(mind.parameters(), 0.5)
    opt.step()
    return loss.item()


def main():
    torch.manual_seed(3)
    torch.set_num_threads(1)
    mind = Mind(N_SIGHT, N_MOVES)
    opt = torch.optim.RMSprop(mind.parameters(), lr=7e-4, alpha=0.99, eps=1e-5)
    crew = Crew(HANDS, FLOORS, seed=3, totals=totals)
    turns = delves = updates = 0
    running = np.zeros(crew.size)
    hauls = []

    start = perf_counter()
    sights = crew.begin()
    while perf_counter() - start < SECONDS:
        S, K, P, O = [], [], [], []
        for _ in range(ROLL):
            with span("act"):
                keys = mind.choose(sights)
            after, prizes, overs = crew.turn_all(keys.tolist())
            turns += crew.size
            S.append(sights)
            K.append(keys)
            P.append(prizes)
            O.append(overs)
            running += prizes
            for i in np.flatnonzero(overs):
                hauls.append(running[i])
                running[i] = 0.0
                delves += 1
            sights = after
        with span("learn.returns"):
            with torch.no_grad():
                last = mind(torch.from_numpy(sights))[1].numpy()
            goals = returns_of(np.stack(P), np.stack(O), last)
        with span("learn.a2c"):
            loss = improve(mind, opt, np.stack(S), np.stack(K), goals)
        updates += 1
        if updates % 20 == 0:
            with span("log"):
                print(f"{updates:5d} updates {turns:7d} turns {delves:5d} delves  haul {np.mean(hauls[-100:]) if hauls else 0:.2f}  loss {loss:.3f}", flush=True)
        if updates % 100 == 0:
            with span("checkpoint"):
                torch.save(mind.state_dict(), "mind.pt")
    wall = perf_counter() - start
    crew.send_home()

    stages = dict(totals)
    stages["other"] = wall - sum(stages.values())
    if "WILD_TRUTH" in os.environ:
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump({"wall_seconds": wall, "stages": stages, "env_steps": turns,
                       "episodes": delves, "updates": updates}, f)


if __name__ == "__main__":
    main()
