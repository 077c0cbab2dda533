# Serpenti in parallelo, DQN.   python train.py
# (progetto per il corso di ML, versione 3: la versione con la CNN era troppo lenta sul mio portatile)
import csv
import json
import os
import random
import time

import torch

from brain import Learner, Memory
from field import SnakeField

torch.set_num_threads(1)

SECONDS = float(os.environ.get("WILD_SECONDS", "20"))
TRUTH = os.environ.get("WILD_TRUTH", "")

SEED = 7
BOARDS = 160
CAPACITY = 60_000
BATCH = 160
UPDATES_PER_STEP = 3
WARMUP = 4_000
EPS_FROM, EPS_TO, EPS_STEPS = 0.5, 0.02, 90_000
LOG_EVERY = 25          # giri del ciclo
# PRIORITIZED = False   # provato: non cambia niente su questo gioco


def epsilon(step):
    f = min(1.0, step / EPS_STEPS)
    return EPS_FROM + f * (EPS_TO - EPS_FROM)


def main():
    random.seed(SEED)
    torch.manual_seed(SEED)
    here = os.path.dirname(os.path.abspath(__file__))

    clock = {k: 0.0 for k in ("act", "replay.add", "replay.sample", "learn.update", "log")}
    field = SnakeField(BOARDS, seed=SEED, clock=clock)
    memory = Memory(CAPACITY, field.obs_size)
    learner = Learner(field.obs_size, field.n_actions)

    out = open(os.path.join(here, "log.csv"), "w", newline="")
    table = csv.writer(out)
    table.writerow(["steps", "episodes", "mean_score", "best", "mean_length", "eps", "loss", "mean_reward"])

    obs = field.reset_all()
    for k in clock:         # il primo reset e' prima della misura
        clock[k] = 0.0

    steps = 0
    turn = 0
    loss = torch.tensor(0.0)
    best = 0
    rewards = []
    t_begin = time.perf_counter()
    while True:
        eps = epsilon(steps)

        t = time.perf_counter()
        action = learner.choose(obs, eps)
        clock["act"] += time.perf_counter() - t

        nxt, reward, done = field.step(action)      # gli orologi del gioco sono li' dentro
        steps += BOARDS
        turn += 1

        t = time.perf_counter()
        memory.push_all(obs, action, reward, nxt, done)
        clock["replay.add"] += time.perf_counter() - t
        obs = nxt
        rewards.append(reward.mean())

        if len(memory) >= WARMUP:
            for _ in range(UPDATES_PER_STEP):
                t = time.perf_counter()
                batch = memory.draw(BATCH)
                t2 = time.perf_counter()
                loss = learner.improve(batch)
                clock["replay.sample"] += t2 - t
                clock["learn.update"] += time.perf_counter() - t2

        if turn % LOG_EVERY == 0:
            t = time.perf_counter()
            last = field.finished_scores[-300:]
            mean = sum(last) / max(1, len(last))
            best = max([best] + last)
            mr = torch.stack(rewards).mean().item()
            rewards.clear()
            table.writerow([steps, field.episodes, f"{mean:.3f}", best,
                            f"{field.length.float().mean().item():.2f}",
                            f"{eps:.3f}", f"{loss.item():.5f}", f"{mr:.4f}"])
            out.flush()
            field.finished_scores = last
            if turn % (LOG_EVERY * 8) == 0:
                print(f"{steps:8d} passi  {field.episodes:6d} partite  punti {mean:5.2f} "
                      f"(max {best})  eps {eps:.2f}  loss {loss.item():.4f}", flush=True)
            clock["log"] += time.perf_counter() - t

        if time.perf_counter() - t_begin >= SECONDS:
            break
    wall = time.perf_counter() - t_begin

    out.close()
    torch.save(learner.net.state_dict(), os.path.join(here, "serpente.pt"))
    print(field.ascii(0))

    clock["other"] = wall - sum(clock.values())
    for k, v in sorted(clock.items(), key=lambda kv: -kv[1]):
        print(f"{k:14s} {v:7.2f} s  {100 * v / wall:5.1f} %")
    print("passi", steps, "partite", field.episodes, "aggiornamenti", learner.updates)
    if TRUTH:
        with open(TRUTH, "w") as f:
            json.dump({"wall_seconds": wall, "stages": clock, "env_steps": steps,
                       "episodes": field.episodes, "updates": learner.updates}, f, indent=1)


if __name__ == "__main__":
    main()
