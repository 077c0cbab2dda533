#!/usr/bin/env python
# gloomkeep: teach the delver.     WILD_SECONDS=60 python train.py
import json
import os
from collections import deque
from time import perf_counter

import numpy as np
import torch

from delver import Delver
from dungeon import open_the_gate
from hourglass import glass
from satchel import Satchel

torch.set_num_threads(1)
torch.manual_seed(11)
HERE = os.path.dirname(os.path.abspath(__file__))
CFG = dict(room=20000, warmup=300, chew=8, demo_every=2000, save_every=2500, gossip_every=500,
           eps=(1.0, 0.06, 6000), n=3, gamma=0.98)


def bravery(t):
    hi, lo, span = CFG["eps"]
    return max(lo, hi - (hi - lo) * t / span)


def demo_games(hero, gate, how_many=2):
    loot = []
    for g in range(how_many):
        o, note = gate.reset(seed=9000 + g)
        total, over = 0.0, False
        while not over:
            o, r, dead, weary, note = gate.step(hero.decide(o, note["can"], 0.02))
            total += r
            over = dead or weary
        loot.append((total, note["depth"], note["gold"]))
    return np.mean(loot, axis=0)


def main():
    seconds = float(os.environ.get("WILD_SECONDS", "60"))
    gate = open_the_gate(seed=5)
    demo_gate = open_the_gate(seed=6, crumbs=False)
    hero = Delver(gate.observation_space.shape[0], int(gate.action_space.n))
    bag = Satchel(CFG["room"], gate.observation_space.shape, int(gate.action_space.n), CFG["n"], CFG["gamma"])
    os.makedirs(os.path.join(HERE, "saves"), exist_ok=True)
    diary = open(os.path.join(HERE, "saves", "diary.csv"), "w")
    diary.write("t,deaths,score,depth,loss,eps\n")
    scores, depths, griefs = deque(maxlen=30), deque(maxlen=30), deque(maxlen=100)
    t = funerals = 0
    best = -1e9
    purse = 0.0

    glass.start()
    bedtime = glass.t0 + seconds
    glass.into("env.reset")
    o, note = gate.reset(seed=1)
    glass.out()
    while perf_counter() < bedtime:
        glass.into("act")
        a = hero.decide(o, note["can"], bravery(t))
        glass.out()

        glass.into("env.step")
        o2, r, dead, weary, note = gate.step(a)
        glass.out()
        t += 1
        purse += r
        over = dead or weary

        glass.into("replay.add")
        bag.stow(o, a, r, o2, note["can"], dead, over)
        glass.out()
        o = o2

        if over:
            funerals += 1
            scores.append(purse)
            depths.append(note["depth"])
            purse = 0.0
            glass.into("env.reset")
            o, note = gate.reset()
            glass.out()

        if t > CFG["warmup"] and t % CFG["chew"] == 0:
            griefs.append(hero.ponder(bag))

        if t % CFG["gossip_every"] == 0:
            glass.into("logging")
            line = (t, funerals, np.mean(scores) if scores else 0, np.mean(depths) if depths else 0,
                    np.mean(griefs) if griefs else 0, bravery(t))
            diary.write(",".join(f"{v:.4g}" for v in line) + "\n")
            diary.flush()
            print("turn %d  buried %d  score %.2f  depth %.2f  loss %.3f  eps %.2f" % line)
            glass.out()
        if t % CFG["demo_every"] == 0:
            glass.into("eval", whole=True)
            sc, de, go = demo_games(hero, demo_gate)
            glass.out()
            glass.into("logging")
            print(f"   == demo: score {sc:.2f} depth {de:.1f} gold {go:.1f}")
            glass.out()
            if sc > best:
                best = sc
                glass.into("checkpoint")
                torch.save(hero.skull.state_dict(), os.path.join(HERE, "saves", "best.pt"))
                glass.out()
        if t % CFG["save_every"] == 0:
            glass.into("checkpoint")
            torch.save({"skull": hero.skull.state_dict(), "opt": hero.opt.state_dict(), "t": t},
                       os.path.join(HERE, "saves", "last.pt"))
            glass.out()
    wall = glass.stop()
    diary.close()

    truth = os.environ.get("WILD_TRUTH")
    if truth:
        with open(truth, "w") as f:
            json.dump({"wall_seconds": wall, "stages": glass.sand, "env_steps": t,
                       "episodes": funerals, "updates": hero.lessons}, f, indent=1)


if __name__ == "__main__":
    main()
