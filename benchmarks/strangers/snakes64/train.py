# 64 sneks go brrr
import csv
import json
import os
import random
from collections import defaultdict
from time import perf_counter as pc

import numpy as np
import torch
import torch.nn as nn

from per import PrioMem
from snek import N_FEATS, SnekBoard

CFG = dict(
    boards=64,
    mem=2 ** 15,
    batch=128,
    gamma=0.96,
    lr=7e-4,
    sync=250,
    learn_start=2000,
    learns_per_tick=2,
    eps_end=0.03,
    eps_ticks=600,
    eval_every=400,
)
SECS = float(os.getenv("WILD_SECONDS", "20"))
tm = defaultdict(float)


def mk_net():
    return nn.Sequential(nn.Linear(N_FEATS, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 3))


def test_drive(net, n=3):
    rng = random.Random(5)
    tot = 0
    for _ in range(n):
        b = SnekBoard(rng=rng)
        while not b.dead:
            with torch.no_grad():
                a = int(net(torch.from_numpy(b.look())).argmax())
            b.move(a)
        tot += b.score
    return tot / n


def main():
    torch.set_num_threads(1)
    random.seed(0)
    torch.manual_seed(0)
    np.random.seed(0)
    net, tgt = mk_net(), mk_net()
    tgt.load_state_dict(net.state_dict())
    opt = torch.optim.AdamW(net.parameters(), lr=CFG["lr"])
    mem = PrioMem(CFG["mem"], N_FEATS)
    master = random.Random(1)
    logf = open("log.csv", "w", newline="")
    wr = csv.writer(logf)
    wr.writerow(["tick", "games", "avg_score", "eps", "loss"])

    B = CFG["boards"]
    ticks = games = steps = ups = 0
    scores = []
    loss_avg = 0.0

    start = pc()
    boards = [SnekBoard(rng=random.Random(master.random())) for _ in range(B)]
    t = pc()
    tm["env.reset"] += t - start
    obs = np.stack([b.look() for b in boards])
    tm["env.observe"] += pc() - t

    while pc() - start < SECS:
        # --- pick moves for all boards at once
        t = pc()
        eps = max(CFG["eps_end"], 1 - ticks / CFG["eps_ticks"])
        with torch.no_grad():
            acts = net(torch.from_numpy(obs)).argmax(1).numpy()
        rnd = np.random.rand(B) < eps
        acts[rnd] = np.random.randint(0, 3, rnd.sum())
        t2 = pc()
        tm["act"] += t2 - t

        # --- every board moves
        nxt = np.empty_like(obs)
        acts_l = acts.tolist()
        for i, b in enumerate(boards):
            t = pc()
            r = b.move(acts_l[i])
            t2 = pc()
            tm["env.step"] += t2 - t
            o2 = b.look()
            t = pc()
            tm["env.observe"] += t - t2
            d = b.dead
            mem.push(obs[i], acts_l[i], r, o2, d)
            t2 = pc()
            tm["replay.add"] += t2 - t
            if d:
                games += 1
                scores.append(b.score)
                t = pc()
                b.new_game()
                t2 = pc()
                tm["env.reset"] += t2 - t
                o2 = b.look()
                tm["env.observe"] += pc() - t2
            nxt[i] = o2
        obs = nxt
        steps += B
        ticks += 1

        # --- learn
        if mem.size >= CFG["learn_start"]:
            for _ in range(CFG["learns_per_tick"]):
                t = pc()
                idx, w, s, a, r, s2, d = mem.grab(CFG["batch"])
                t2 = pc()
                tm["replay.sample"] += t2 - t
                s, a, r = torch.from_numpy(s), torch.from_numpy(a), torch.from_numpy(r)
                s2, d, w = torch.from_numpy(s2), torch.from_numpy(d), torch.from_numpy(w)
                with torch.no_grad():
                    best = net(s2).argmax(1, keepdim=True)
                    y = r + CFG["gamma"] * (1 - d) * tgt(s2).gather(1, best)[:, 0]
                q = net(s).gather(1, a[:, None])[:, 0]
                err = y - q
                loss = (w * nn.functional.huber_loss(q, y, reduction="none")).mean()
                opt.zero_grad()
                loss.backward()
                opt.step()
                ups += 1
                if ups % CFG["sync"] == 0:
                    tgt.load_state_dict(net.state_dict())
                loss_avg = 0.99 * loss_avg + 0.01 * loss.item()
                t = pc()
                tm["learn.dqn"] += t - t2
                mem.reprio(idx, err.detach().numpy())
                tm["replay.update"] += pc() - t

        if ticks % 25 == 0:
            t = pc()
            avg = np.mean(scores[-200:]) if scores else 0
            wr.writerow([ticks, games, avg, eps, loss_avg])
            logf.flush()
            if ticks % 100 == 0:
                print(f"tick {ticks} games {games} avg {avg:.2f} eps {eps:.2f} loss {loss_avg:.4f}", flush=True)
            tm["log"] += pc() - t
        if ticks % CFG["eval_every"] == 0:
            t = pc()
            ts = test_drive(net)
            t2 = pc()
            tm["eval"] += t2 - t
            torch.save(net.state_dict(), "snek.pt")
            tm["checkpoint"] += pc() - t2
            print("  test drive:", ts)

    wall = pc() - start
    logf.close()
    st = dict(tm)
    st["other"] = wall - sum(st.values())
    if os.getenv("WILD_TRUTH"):
        json.dump(dict(wall_seconds=wall, stages=st, env_steps=steps, episodes=games, updates=ups),
                  open(os.environ["WILD_TRUTH"], "w"), indent=1)
    print("bye", steps, "steps", games, "games")


if __name__ == "__main__":
    main()
