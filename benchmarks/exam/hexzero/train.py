# hexzero - teaches itself hex.  python train.py, then wait.
import copy
import json
import os
import random
from collections import defaultdict
from time import perf_counter as tick

import numpy as np
import torch
import torch.nn.functional as F

from hexboard import CELLS, S, fresh, put, planes, turned, show
from thinker import make_brain, run_brain, think, pick

torch.set_num_threads(1)
DREAMS = 50            # simulations per move
GAMES_PER_ROUND = 3
LESSONS = 24           # gradient steps per round
BATCH = 128
KEEP = 6000
DUEL_EVERY = 2
DUEL_GAMES = 4
SECONDS = float(os.environ.get("WILD_SECONDS", 20))


def play_one(brain, T, count, stop_at):
    """one game against itself -> list of (planes, pi, z)"""
    t = tick()
    bd, who, won, story, n = fresh(), 1, 0, [], 0
    T["setup"] += tick() - t
    while not won:
        if tick() > stop_at:
            return [], bd, 0
        pi = think(brain, bd, who, DREAMS, T)
        t = tick()
        cell = pick(pi, hot=n < 8)
        t2 = tick(); T["choose"] += t2 - t
        pic = planes(bd, who)
        seen = np.zeros(CELLS, dtype=np.float32)
        for c in range(CELLS):
            seen[turned(c, who)] = pi[c]
        story.append((pic, seen, who))
        t = tick(); T["look"] += t - t2
        bd, won = put(bd, cell, who)
        T["rules"] += tick() - t
        who = 3 - who
        n += 1
        count["moves"] += 1
    count["games"] += 1
    return [(p, s, 1.0 if w == won else -1.0) for p, s, w in story], bd, won


def remember(memory, story):
    for p, s, z in story:
        memory.append((p, s, z))
        # hex looks the same turned by 180 degrees
        memory.append((p[:, ::-1, ::-1].copy(), s[::-1].copy(), z))
    while len(memory) > KEEP:
        memory.pop(0)


def draw(memory):
    some = random.sample(memory, min(BATCH, len(memory)))
    x = torch.from_numpy(np.stack([m[0] for m in some]))
    p = torch.from_numpy(np.stack([m[1] for m in some]))
    z = torch.tensor([m[2] for m in some], dtype=torch.float32)
    return x, p, z


def lesson(brain, opt, x, p, z):
    lo, v = run_brain(brain, x)
    loss_p = -(p * F.log_softmax(lo, dim=1)).sum(1).mean()
    loss_v = F.mse_loss(v, z)
    opt.zero_grad()
    (loss_p + loss_v).backward()
    opt.step()
    return loss_p.item(), loss_v.item()


def duel(new, old, games, stop_at):
    """how many games the new one wins; colours alternate. its times are nobody's business"""
    trash = defaultdict(float)
    points = 0
    for g in range(games):
        red_is_new = g % 2 == 0
        bd, who, won, n = fresh(), 1, 0, 0
        while not won:
            mine = (who == 1) == red_is_new
            pi = think(new if mine else old, bd, who, DREAMS // 2, trash, noisy=False)
            bd, won = put(bd, pick(pi, hot=n < 2), who)
            who, n = 3 - who, n + 1
        points += (won == 1) == red_is_new
        if tick() > stop_at:
            return points, g + 1
    return points, games


def main():
    T, count = defaultdict(float), defaultdict(int)
    champion = make_brain()
    student = copy.deepcopy(champion)
    opt = torch.optim.Adam(student.parameters(), lr=1e-3, weight_decay=1e-4)
    memory = []
    begin = tick()
    stop_at = begin + SECONDS
    rnd = 0
    while tick() < stop_at:
        rnd += 1
        reds = 0
        for _ in range(GAMES_PER_ROUND):
            story, last, won = play_one(champion, T, count, stop_at)
            reds += won == 1
            t = tick()
            remember(memory, story)
            T["store"] += tick() - t
        if tick() > stop_at or len(memory) < BATCH:
            continue
        lp = lv = 0.0
        for _ in range(LESSONS):
            t = tick()
            x, p, z = draw(memory)
            t2 = tick(); T["draw"] += t2 - t
            lp, lv = lesson(student, opt, x, p, z)
            T["learn"] += tick() - t2
            count["lessons"] += 1
        t = tick()
        print(f"round {rnd}: games {count['games']} memory {len(memory)} red won {reds}/{GAMES_PER_ROUND} "
              f"policy {lp:.3f} value {lv:.3f}")
        print(show(last))
        T["talk"] += tick() - t
        if rnd % DUEL_EVERY == 0:
            t = tick()
            w, n = duel(student, champion, DUEL_GAMES, stop_at)
            T["duel"] += tick() - t
            print(f"   duel: {w}/{n}")
            if w * 2 > n:
                champion = copy.deepcopy(student)
                t = tick()
                torch.save(champion.state_dict(), "champion.pt")
                T["save"] += tick() - t
                print("   a new champion")
    wall = tick() - begin

    names = {"look": "env.observe", "net": "act.predict", "tree": "act.search", "choose": "act", "rules": "env.step",
             "setup": "env.reset", "store": "replay.add", "draw": "replay.sample", "learn": "learn.update",
             "talk": "log", "duel": "eval", "save": "checkpoint"}
    stages = {names[k]: v for k, v in T.items()}
    stages["other"] = wall - sum(stages.values())
    for k, v in sorted(stages.items(), key=lambda kv: -kv[1]):
        print(f"{k:14s}{v:8.2f}s {100 * v / wall:5.1f}%")
    if os.environ.get("WILD_TRUTH"):
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump({"wall_seconds": wall, "stages": stages, "env_steps": count["moves"],
                       "episodes": count["games"], "updates": count["lessons"]}, f, indent=1)


if __name__ == "__main__":
    main()
