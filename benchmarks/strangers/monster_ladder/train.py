import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

import numpy as np
import torch

from brain import Brain
from eyes import N_LOOK, N_PICKS
from ladder import Battle, Switchboard

SECONDS = float(os.environ.get("WILD_SECONDS", "20"))
BATTLES = 16
THREADS = 8
clock = defaultdict(float)


def union_within(spans, lo, hi):
    total, end = 0.0, lo
    for a, b in sorted(spans):
        a, b = max(a, end), min(b, hi)
        if b > a:
            total += b - a
            end = b
    return total


class Ladder:
    def __init__(self):
        here = os.path.dirname(os.path.abspath(__file__))
        self.server = subprocess.Popen([sys.executable, os.path.join(here, "arena_server.py")],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        port = int(self.server.stdout.readline())
        self.board = Switchboard(port)
        self.pool = ThreadPoolExecutor(THREADS, thread_name_prefix="battle")
        self.battles = [Battle(self.board) for _ in range(BATTLES)]
        self.board_cpu = time.pthread_getcpuclockid(self.board.ident)

    def everyone(self, call, *args):
        """runs `call` for each battle in the pool and shares the waiting out"""
        t0, b0 = perf_counter(), time.clock_gettime(self.board_cpu)
        answers = list(self.pool.map(call, self.battles, *args))
        t1, b1 = perf_counter(), time.clock_gettime(self.board_cpu)
        self.share(t0, t1, b1 - b0, [a[4] for a in answers])
        obs = np.stack([a[0] for a in answers])
        masks = np.stack([a[1] for a in answers])
        gains = np.array([a[2] for a in answers], np.float32)
        overs = np.array([a[3] for a in answers], np.float32)
        clock["vec.stack"] += perf_counter() - t1
        return obs, masks, gains, overs

    @staticmethod
    def share(t0, t1, board_cpu, slips):
        spans = [s for slip in slips for s in slip["spans"]]
        cpu = defaultdict(float)
        for slip in slips:
            for k, v in slip.items():
                if k != "spans":
                    cpu[k] += v
        cpu["vec.client"] += board_cpu
        busy = union_within(spans, t0, t1)
        total = sum(cpu.values())
        for k, v in cpu.items():
            clock[k] += busy * v / total
        clock["vec.wait"] += (t1 - t0) - busy

    def close(self):
        self.pool.shutdown()
        self.board.hang_up()
        self.server.stdin.close()
        self.server.wait()


def main():
    torch.manual_seed(2)
    torch.set_num_threads(1)
    np.random.seed(2)
    ladder = Ladder()
    brain = Brain(N_LOOK, N_PICKS)
    rounds = turns = 0
    losses = []

    start = perf_counter()
    obs, masks, _, _ = ladder.everyone(Battle.open)
    while perf_counter() - start < SECONDS:
        eps = max(0.05, 1.0 - rounds / 500)
        t = perf_counter()
        picks = brain.pick(obs, masks, eps)
        clock["act"] += perf_counter() - t

        obs2, masks2, gains, overs = ladder.everyone(Battle.fight, picks)
        turns += BATTLES
        rounds += 1

        t = perf_counter()
        brain.keep(obs, picks, gains, obs2, masks2, overs)
        clock["replay.add"] += perf_counter() - t
        obs, masks = obs2, masks2

        if brain.full >= 500:
            for _ in range(2):
                t = perf_counter()
                batch = brain.draw(64)
                t2 = perf_counter()
                clock["replay.sample"] += t2 - t
                losses.append(brain.train_on(batch))
                clock["learn.q"] += perf_counter() - t2
        if rounds % 50 == 0:
            t = perf_counter()
            n = sum(b.finished for b in ladder.battles)
            w = sum(b.won for b in ladder.battles)
            print(f"round {rounds:5d}  turns {turns:6d}  battles {n:4d}  won {w / max(1, n):.0%}  loss {np.mean(losses[-50:]) if losses else 0:.4f}", flush=True)
            t2 = perf_counter()
            clock["log"] += t2 - t
            if rounds % 200 == 0:
                torch.save(brain.q.state_dict(), "brain.pt")
                clock["checkpoint"] += perf_counter() - t2
    wall = perf_counter() - start

    stages = dict(clock)
    stages["other"] = wall - sum(stages.values())
    if os.environ.get("WILD_TRUTH"):
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump({"wall_seconds": wall, "stages": stages, "env_steps": turns,
                       "episodes": sum(b.finished for b in ladder.battles), "updates": brain.trained}, f, indent=1)
    ladder.close()


if __name__ == "__main__":
    main()
