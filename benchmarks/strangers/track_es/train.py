#!/usr/bin/env python
# OpenAI-ES style evolution with plain multiprocessing. No ray, no mpi, just Pool.map.
import os
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import json
import multiprocessing
import time

import numpy as np

from racer import N_PARAMS, one_race

POP = 16            # pairs
SIGMA = 0.12
LR = 0.08
DECAY = 0.997
PROCS = 2
WORK_KEYS = ("env.reset", "env.observe", "act", "env.step")

secs = {k: 0.0 for k in WORK_KEYS}


def add(key, dt):
    secs[key] = secs.get(key, 0.0) + dt


def ranks(x):
    r = np.empty(len(x))
    r[np.argsort(x)] = np.arange(len(x))
    return r / (len(x) - 1) - 0.5


def covered(results, lo, hi):
    """seconds between lo and hi in which at least one race was running"""
    tot, end = 0.0, lo
    for r in sorted(results, key=lambda r: r["from"]):
        a, b = max(r["from"], end), min(r["to"], hi)
        if b > a:
            tot += b - a
            end = b
    return tot


def run_generation(pool, theta, rng, gen):
    t = time.perf_counter()
    eps = rng.standard_normal((POP, N_PARAMS))
    jobs = []
    for i in range(POP):
        track = int(rng.integers(0, 50))
        jobs.append((theta + SIGMA * eps[i], track))
        jobs.append((theta - SIGMA * eps[i], track))
    t2 = time.perf_counter()
    add("learn.perturb", t2 - t)

    results = pool.map(one_race, jobs, chunksize=2)
    t3 = time.perf_counter()
    busy = covered(results, t2, t3)
    work = {k: sum(r[k] for r in results) for k in WORK_KEYS}
    whole = sum(r["to"] - r["from"] for r in results)
    for k in WORK_KEYS:
        add(k, busy * work[k] / whole)
    add("vec.worker", busy * (whole - sum(work.values())) / whole)
    add("vec.pool", (t3 - t2) - busy)

    t = time.perf_counter()
    scores = np.array([r["score"] for r in results])
    shaped = ranks(scores)
    g = (shaped[0::2] - shaped[1::2]) @ eps / (2 * POP * SIGMA)
    theta = DECAY * theta + LR * g
    add("learn.es", time.perf_counter() - t)
    return theta, scores, sum(r["n"] for r in results), len(results)


def show_off(theta):
    """the mean genome on three tracks nobody trained on, here in the main process"""
    return float(np.mean([one_race((theta, 1000 + k))["score"] for k in range(3)]))


if __name__ == "__main__":
    seconds = float(os.environ.get("WILD_SECONDS", 20))
    rng = np.random.default_rng(12)
    theta = rng.standard_normal(N_PARAMS) * 0.3
    best = -1e9
    gens = steps = races = 0
    with multiprocessing.Pool(PROCS) as pool:
        pool.map(abs, range(PROCS))   # wake them up
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            theta, scores, n, m = run_generation(pool, theta, rng, gens)
            gens += 1
            steps += n
            races += m
            t = time.perf_counter()
            with open("es_log.txt", "a") as f:
                f.write(f"{gens} {scores.mean():.3f} {scores.max():.3f}\n")
            if gens % 2 == 0:
                print(f"gen {gens:4d}  mean {scores.mean():7.2f}  max {scores.max():7.2f}  steps {steps}", flush=True)
            add("log", time.perf_counter() - t)
            if gens % 4 == 0:
                t = time.perf_counter()
                s = show_off(theta)
                t2 = time.perf_counter()
                add("eval", t2 - t)
                if s > best:
                    best = s
                    np.save("best_theta.npy", theta)
                    add("checkpoint", time.perf_counter() - t2)
        wall = time.perf_counter() - start
    stages = dict(secs)
    stages["other"] = wall - sum(stages.values())
    where = os.environ.get("WILD_TRUTH")
    if where:
        with open(where, "w") as f:
            json.dump({"wall_seconds": wall, "stages": stages, "env_steps": steps, "episodes": races}, f, indent=1)
    print("gens", gens, "races", races, "best", best)
