import json
import os
import random
import time

import numpy as np
import torch

from battle import Battle
from general import General
from stopwatch import watch

SECONDS = float(os.environ.get("WILD_SECONDS", "20"))
WARMUP = 300
STUDY_EVERY = 10


def play_exhibition(battle, general, games=2):
    """Greedy games, to see if the general has got any better."""
    watch_was = dict(watch.totals)
    saved_eps, general.epsilon = general.epsilon, 0.0
    margin = 0.0
    t0 = time.perf_counter()
    for _ in range(games):
        obs, legal = battle.deploy()
        done = False
        while not done:
            obs, legal, reward, done = battle.carry_out(general.decide(obs, legal))
            margin += reward
    took = time.perf_counter() - t0
    general.epsilon = saved_eps
    watch.totals.clear()
    watch.totals.update(watch_was)
    watch.totals["eval"] = watch.totals.get("eval", 0.0) + took
    return margin / games


def main():
    random.seed(4)
    np.random.seed(4)
    torch.manual_seed(4)
    torch.set_num_threads(1)  # small net, more threads only get in each other's way
    battle = Battle(seed=4)
    exhibition_field = Battle(seed=99)
    general = General(battle.recon.shape)

    orders_given = 0
    battles = 0
    recent = []
    watch.clear()
    began = time.perf_counter()
    while time.perf_counter() - began < SECONDS:
        obs, legal = battle.deploy()
        total, done = 0.0, False
        while not done:
            order = general.decide(obs, legal)
            nxt, nxt_legal, reward, done = battle.carry_out(order)
            general.remember(obs, order, reward, nxt, nxt_legal, done)
            obs, legal = nxt, nxt_legal
            total += reward
            orders_given += 1
            general.epsilon = max(0.08, general.epsilon - 1 / 6000)
            if len(general.archive) > WARMUP and orders_given % STUDY_EVERY == 0:
                general.study()
            if time.perf_counter() - began > SECONDS:
                break
        if done:
            battles += 1
            recent.append(total)
            if battles % 10 == 0:
                watch.start("log")
                print(f"battle {battles:4d}  orders {orders_given:6d}  mean {np.mean(recent[-10:]):+.3f}  eps {general.epsilon:.2f}", flush=True)
                watch.stop()
            if battles % 25 == 0:
                score = play_exhibition(exhibition_field, general)
                watch.start("log")
                print(f"   exhibition: {score:+.3f}", flush=True)
                watch.stop()
            if battles % 40 == 0:
                watch.start("checkpoint")
                torch.save(general.online.state_dict(), "general.pt")
                watch.stop()
    wall = time.perf_counter() - began

    stages = {k: round(v, 5) for k, v in watch.totals.items()}
    stages["other"] = round(wall - sum(watch.totals.values()), 5)
    truth = {"wall_seconds": wall, "stages": stages, "env_steps": orders_given,
             "episodes": battles, "updates": general.lessons}
    path = os.environ.get("WILD_TRUTH")
    if path:
        with open(path, "w") as f:
            json.dump(truth, f, indent=1)
    print("done", battles, "battles")


if __name__ == "__main__":
    main()
