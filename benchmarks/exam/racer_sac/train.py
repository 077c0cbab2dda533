"""
Racing car, SAC, 2 cars (one per core) in gymnasium's AsyncVectorEnv.      python train.py

Course project. Based on reading CleanRL; the buffer and the SAC are mine (sac.py), the game too (racer.py).
"""
import json
import os
import time
from functools import partial
from pathlib import Path

import gymnasium as gym
import numpy as np
import torch

from racer import Racer
from sac import SAC, Ring

SECONDS = float(os.environ.get("WILD_SECONDS", "20"))
TRUTH = os.environ.get("WILD_TRUTH")
HERE = Path(__file__).parent

CARS = 2
SEED = 3
BATCH = 96
START = 600             # random actions before that many transitions
BUFFER = 100_000
PRINT_EVERY = 400       # loop rounds
TRAIN_EVERY = 1         # loop rounds

STAGE_OF_ROW = ("env.reset", "env.step", "env.observe")


def share_out(clock, w0, w1, marks):
    """Split the main process's waiting [w0, w1] by what the workers did meanwhile.

    marks: (cars, 3, 2) begin/end of each stage in each worker. At each moment the time goes to the working
    worker whose whole answer is ready last; where nobody worked it is vec.wait.
    """
    ends = marks[:, :, 1].max(axis=1)
    left = [(w0, w1)]                               # pieces that have no owner yet
    for car in np.argsort(-ends):
        for row in range(3):
            a, b = marks[car, row]
            if b <= a or b <= w0:
                continue
            rest = []
            for p, q in left:
                lo, hi = max(p, a), min(q, b)
                if hi <= lo:
                    rest.append((p, q))
                    continue
                clock[STAGE_OF_ROW[row]] += hi - lo
                if p < lo:
                    rest.append((p, lo))
                if hi < q:
                    rest.append((hi, q))
            left = rest
    clock["vec.wait"] += sum(q - p for p, q in left)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    rng = np.random.default_rng(SEED)
    envs = gym.vector.AsyncVectorEnv([partial(Racer, seed=SEED + 100 * i) for i in range(CARS)])
    n_obs = envs.single_observation_space.shape[0]
    n_act = envs.single_action_space.shape[0]
    agent = SAC(n_obs, n_act)
    ring = Ring(BUFFER, n_obs, n_act)

    clock = dict.fromkeys(("act", "vec.send", "vec.wait", *STAGE_OF_ROW,
                           "replay.add", "replay.sample", "learn.update", "log"), 0.0)
    log = open(HERE / "progress.csv", "w")
    log.write("steps,episode,return,lap\n")

    obs, _ = envs.reset(seed=[SEED + i for i in range(CARS)])
    fresh = np.zeros(CARS, bool)       # cars whose coming step is only the autoreset
    steps = episodes = rounds = 0
    recent = []
    during_send = dict.fromkeys(clock, 0.0)   # what the workers already did while I was still sending
    in_workers = np.zeros((CARS, 3))   # just for curiosity: how busy the workers are, overlap and all
    loss = torch.zeros(())
    begin = time.perf_counter()
    while True:
        t0 = time.perf_counter()
        if ring.n < START:
            # not uniform: mostly on the throttle, otherwise nobody ever leaves the start
            actions = rng.uniform(-1, 1, (CARS, n_act)).astype(np.float32)
            actions[:, 1] = np.abs(actions[:, 1])
        else:
            actions = agent.act(obs)
        t1 = time.perf_counter()
        envs.step_async(actions)
        t2 = time.perf_counter()
        nxt, reward, term, trunc, info = envs.step_wait()
        t3 = time.perf_counter()
        clock["act"] += t1 - t0
        clock["vec.send"] += t2 - t1
        share_out(clock, t2, t3, info["marks"])
        share_out(during_send, t1, t2, info["marks"])
        in_workers += info["marks"][:, :, 1] - info["marks"][:, :, 0]
        rounds += 1

        t0 = time.perf_counter()
        for i in range(CARS):
            if not fresh[i]:
                ring.add(obs[i], actions[i], reward[i], nxt[i], term[i])
        t1 = time.perf_counter()
        clock["replay.add"] += t1 - t0

        done = term | trunc
        steps += int((~fresh).sum())
        if done.any():
            for i in np.flatnonzero(done):
                episodes += 1
                recent.append((info["ep_return"][i], info["ep_dist"][i]))
                log.write(f"{steps},{episodes},{info['ep_return'][i]:.2f},{info['ep_dist'][i]:.3f}\n")
            log.flush()
            clock["log"] += time.perf_counter() - t1
        fresh = done
        obs = nxt

        if ring.n >= START and rounds % TRAIN_EVERY == 0:
            t0 = time.perf_counter()
            batch = ring.sample(BATCH, rng)
            t1 = time.perf_counter()
            loss = agent.update(batch)
            clock["replay.sample"] += t1 - t0
            clock["learn.update"] += time.perf_counter() - t1

        if rounds % PRINT_EVERY == 0:
            t0 = time.perf_counter()
            r = np.array(recent[-20:] or [(0, 0)])
            print(f"{steps:7d} steps {episodes:4d} races  return {r[:, 0].mean():7.2f}  lap {r[:, 1].mean():5.2f} "
                  f" alpha {agent.log_alpha.exp().item():.3f}  loss {loss.item():.3f}", flush=True)
            clock["log"] += time.perf_counter() - t0
        if time.perf_counter() - begin > SECONDS:
            break
    wall = time.perf_counter() - begin
    log.close()
    envs.close()
    torch.save(agent.actor.state_dict(), HERE / "actor.pt")

    clock["other"] = wall - sum(clock.values())
    print(f"wall {wall:.2f} s")
    for k, v in clock.items():
        print(f"  {k:14s} {v:7.3f} s {100 * v / wall:5.1f} %")
    print("  busy seconds in the workers:", dict(zip(STAGE_OF_ROW, in_workers.sum(0).round(2).tolist())))
    print("steps", steps, "episodes", episodes, "updates", agent.updates)
    if TRUTH:
        Path(TRUTH).write_text(json.dumps({
            "wall_seconds": wall, "stages": clock, "env_steps": steps,
            "episodes": episodes, "updates": agent.updates,
            "extra_worker_busy_seconds": dict(zip(STAGE_OF_ROW, in_workers.sum(0).tolist())),
            "extra_workers_during_send": {k: during_send[k] for k in STAGE_OF_ROW}}))


if __name__ == "__main__":
    main()
