"""Evolve a moon hopper pilot.

Cross-entropy method, my mix of two recipes:
  * the population is the mean network + gaussian weight noise (2 processes fly them)
  * the elite's flights are then STUDIED: cross-entropy on (what they saw -> what they did), Adam on the mean network
  * plus a small pull of the mean towards the elite's average weights
"""
import json
import multiprocessing as mp
import os
import time

import numpy as np
import torch
import torch.nn.functional as F

from moon import Moon
from pilot import Pilot, boot, fly, flat, unflat
from waitbook import settle_wait

POP = 32
ELITE = 8
LEVELS = 2            # same levels for the whole population within a generation
SIGMA0, SIGMA_END, SIGMA_DECAY = 0.10, 0.02, 0.97
PULL = 0.3
STUDY_EPOCHS = 3
STUDY_BATCH = 32
KEEP = 16             # elite flights remembered from earlier generations
EVAL_EVERY = 5


class Laps:
    """with laps("key"): ...   flat, never nested"""
    def __init__(self):
        self.s = {}

    def __call__(self, key):
        self.key = key
        return self

    def __enter__(self):
        self.t = time.perf_counter()

    def __exit__(self, *exc):
        self.s[self.key] = self.s.get(self.key, 0.0) + time.perf_counter() - self.t


def show_flight(pilot, level):
    """greedy flight of the mean pilot"""
    moon = Moon()
    moon.reset(level)
    total, done = 0.0, False
    while not done:
        with torch.no_grad():
            a = int(pilot(torch.tensor(moon.look(), dtype=torch.float32)).argmax())
        r, done = moon.step(a)
        total += r
    return total, moon


def main():
    torch.set_num_threads(1)
    torch.manual_seed(11)
    rng = np.random.default_rng(11)
    limit = float(os.environ.get("WILD_SECONDS", "20"))
    here = os.path.dirname(os.path.abspath(__file__))

    pilot = Pilot()
    with torch.no_grad():
        pilot.net[-1].weight *= 0.1
    opt = torch.optim.Adam(pilot.parameters(), lr=2e-3)
    pool = mp.get_context("fork").Pool(2, initializer=boot)
    pool.map(abs, range(4))   # wake them up before the clock runs

    laps = Laps()
    waits = []          # (a, b, {pid: [spans]}) per generation, sorted out after the run
    hall = []           # (score, seen, did) of remembered elites
    sigma = SIGMA0
    gen = env_steps = episodes = updates = 0
    best = -1e9
    history = []

    begin = time.perf_counter()
    while time.perf_counter() - begin < limit:
        gen += 1
        with laps("vec.send"):
            mean = flat(pilot)
            lv = rng.integers(0, 200, LEVELS)
            seeds = rng.integers(0, 2**31, POP)
            jobs = [(i, mean, sigma, int(seeds[i]), int(lv[i % LEVELS])) for i in range(POP)]
            answer = pool.map_async(fly, jobs, chunksize=2)
        a = time.perf_counter()
        flights = answer.get()
        b = time.perf_counter()

        by_pid = {}
        for f in flights:
            by_pid.setdefault(f[5], []).append(f[6])
            env_steps += len(f[4])
            episodes += 1
        waits.append((a, b, by_pid))

        with laps("learn.returns"):
            # rank inside each level, otherwise only easy levels make it into the elite
            score = np.array([f[1] for f in flights])
            adv = np.zeros(POP)
            for k in range(LEVELS):
                s = score[k::LEVELS]
                adv[k::LEVELS] = (s - s.mean()) / (s.std() + 1e-6)
            order = np.argsort(-adv)
            elite = order[:ELITE]
            hall += [(score[i], flights[i][3], flights[i][4]) for i in elite if adv[i] > 0]
            hall = sorted(hall[-3 * KEEP:], key=lambda h: -h[0])[:KEEP] + hall[-ELITE:]
            seen = torch.from_numpy(np.concatenate([h[1] for h in hall]))
            did = torch.from_numpy(np.concatenate([h[2] for h in hall]))
            avg = np.zeros_like(mean)
            for i in elite:      # rebuild the elite's noise from their seeds
                avg += np.random.default_rng(int(seeds[i])).standard_normal(len(mean)).astype(np.float32)
            unflat(pilot, mean + PULL * sigma * avg / ELITE)

        with laps("learn.update"):
            for _ in range(STUDY_EPOCHS):
                perm = torch.randperm(len(did))[:STUDY_BATCH * 24]
                for k in range(0, len(perm), STUDY_BATCH):
                    mb = perm[k:k + STUDY_BATCH]
                    logits = pilot(seen[mb])
                    logp = F.log_softmax(logits, 1)
                    ent = -(logp.exp() * logp).sum(1).mean()
                    loss = F.nll_loss(logp, did[mb]) - 0.02 * ent
                    opt.zero_grad()
                    loss.backward()
                    opt.step()
                    updates += 1
        sigma = max(SIGMA_END, sigma * SIGMA_DECAY)

        with laps("log"):
            landed = np.mean([f[2] for f in flights])
            history.append((gen, score.mean(), score.max(), landed))
            print("gen %3d  mean %7.1f  best %7.1f  landed %3.0f%%  sigma %.3f  loss %.3f  steps %d" % (
                gen, score.mean(), score.max(), 100 * landed, sigma, loss.item(), env_steps), flush=True)
        if gen % EVAL_EVERY == 0:
            with laps("eval"):
                tests = [show_flight(pilot, 1000 + k) for k in range(3)]
                val = float(np.mean([t[0] for t in tests]))
            with laps("env.render"):
                print(tests[0][1].picture())
                print("test flights: %.1f" % val)
            if val > best:
                best = val
                with laps("checkpoint"):
                    torch.save({"pilot": pilot.state_dict(), "gen": gen, "val": val}, os.path.join(here, "pilot.pt"))
    wall = time.perf_counter() - begin
    pool.close()
    pool.join()

    stages = dict(laps.s)
    for a, b, by_pid in waits:
        settle_wait(a, b, by_pid, stages)
    # the workers' own "other" is already in; add the main loop's
    stages["other"] = stages.get("other", 0.0) + wall - sum(stages.values())

    out = os.environ.get("WILD_TRUTH")
    if out:
        with open(out, "w") as f:
            json.dump({"wall_seconds": wall, "stages": stages, "env_steps": env_steps,
                       "episodes": episodes, "updates": updates}, f, indent=1)
    print("wall %.2f  steps %d  episodes %d  updates %d" % (wall, env_steps, episodes, updates))
    for k, v in sorted(stages.items(), key=lambda kv: -kv[1]):
        print("  %-14s %6.2f s  %4.1f%%" % (k, v, 100 * v / wall))


if __name__ == "__main__":
    main()
