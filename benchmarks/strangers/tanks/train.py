"""Mini-IMPALA: workers play, this process learns.  python train.py"""
import json
import multiprocessing as mp
import os
import queue
import time
from collections import Counter

import numpy as np
import torch
import torch.nn.functional as F

from model import TankNet, weights_out
from worker import run_worker

N_WORKERS = 2
BATCH = 4              # trajectories per update
GAMMA = 0.98
RHO_MAX = C_MAX = 1.0
SEND_EVERY = 2


class Learner:
    def __init__(self):
        self.net = TankNet()
        self.opt = torch.optim.RMSprop(self.net.parameters(), lr=6e-4, eps=1e-3)
        self.times = Counter()
        self.updates = 0
        self.scores = []

    # -- talking to the workers -------------------------------------------------
    def start_workers(self):
        self.traj_q = mp.Queue(maxsize=4)
        self.param_qs = [mp.Queue(maxsize=2) for _ in range(N_WORKERS)]
        self.stop = mp.Event()
        self.played = mp.Array("q", N_WORKERS)
        self.games = mp.Array("q", N_WORKERS)
        self.procs = []
        for i in range(N_WORKERS):
            p = mp.Process(target=run_worker, args=(i, self.traj_q, self.param_qs[i], self.stop, self.played, self.games), daemon=True)
            p.start()
            self.procs.append(p)
        self.send_params()

    def send_params(self):
        t0 = time.perf_counter()
        w = weights_out(self.net)
        for q in self.param_qs:
            try:
                q.put_nowait(w)
            except queue.Full:
                pass
        self.times["vec.*"] += time.perf_counter() - t0

    def next_trajectory(self):
        a = time.perf_counter()
        msg = self.traj_q.get()
        b = time.perf_counter()
        # the worker was still playing until msg["ready"]: that part of my waiting is the worker's work
        playing = min(max(0.0, msg["ready"] - a), b - a)
        total = sum(msg["clk"].values())
        for k, v in msg["clk"].items():
            self.times[k] += playing * v / total
        self.times["vec.*"] += (b - a) - playing
        self.times["_waited"] += playing
        self.scores += msg["scores"]
        return msg

    def stop_workers(self):
        self.stop.set()
        deadline = time.time() + 5
        while any(p.is_alive() for p in self.procs) and time.time() < deadline:
            try:
                self.traj_q.get(timeout=0.05)
            except queue.Empty:
                pass
        for p in self.procs:
            if p.is_alive():
                p.terminate()
            p.join()

    # -- learning ---------------------------------------------------------------
    def vtrace(self, logp_new, logp_old, values, last_value, rew, done):
        """everything is (T, B)"""
        t0 = time.perf_counter()
        with torch.no_grad():
            ratio = (logp_new - logp_old).exp()
            rho = ratio.clamp(max=RHO_MAX)
            c = ratio.clamp(max=C_MAX)
            disc = GAMMA * (1 - done)
            nxt = torch.cat([values[1:], last_value[None]])
            delta = rho * (rew + disc * nxt - values)
            acc = torch.zeros_like(last_value)
            vs = torch.zeros_like(values)
            for t in range(len(rew) - 1, -1, -1):
                acc = delta[t] + disc[t] * c[t] * acc
                vs[t] = values[t] + acc
            vs_next = torch.cat([vs[1:], last_value[None]])
            adv = rho * (rew + disc * vs_next - values)
        self.times["learn.returns"] += time.perf_counter() - t0
        return vs, adv

    def learn(self, msgs):
        t0 = time.perf_counter()
        inner = self.times["learn.returns"]
        obs = torch.from_numpy(np.stack([m["obs"] for m in msgs], 1)).float()          # T+1, B, ...
        act, logp, rew, done = (torch.from_numpy(np.stack([m[k] for m in msgs], 1)) for k in ("act", "logp", "rew", "done"))
        T1, B = obs.shape[:2]
        logits, values = self.net(obs.flatten(0, 1))
        logits, values = logits.view(T1, B, -1), values.view(T1, B)
        logpi = F.log_softmax(logits[:-1], -1)
        logp_new = logpi.gather(-1, act[..., None]).squeeze(-1)
        vs, adv = self.vtrace(logp_new.detach(), logp, values[:-1].detach(), values[-1].detach(), rew, done)
        entropy = -(logpi.exp() * logpi).sum(-1).mean()
        loss = -(logp_new * adv).mean() + 0.5 * (vs - values[:-1]).pow(2).mean() - 0.01 * entropy
        self.opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.opt.step()
        self.updates += 1
        self.times["learn.*"] += time.perf_counter() - t0 - (self.times["learn.returns"] - inner)
        return loss.item()

    def report(self, loss):
        t0 = time.perf_counter()
        s = self.scores[-30:]
        print("upd %4d  steps %6d  games %4d  score %6.2f  kills %4.1f  loss %.3f" % (
            self.updates, sum(self.played), len(self.scores), np.mean([x[0] for x in s]) if s else 0,
            np.mean([x[1] for x in s]) if s else 0, loss), flush=True)
        self.times["log"] += time.perf_counter() - t0

    def checkpoint(self):
        t0 = time.perf_counter()
        torch.save(self.net.state_dict(), "tank.pt")
        self.times["checkpoint"] += time.perf_counter() - t0

    def run(self, seconds):
        start = time.perf_counter()
        self.start_workers()
        self.times.clear()
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            msgs = [self.next_trajectory() for _ in range(BATCH)]
            loss = self.learn(msgs)
            if self.updates % SEND_EVERY == 0:
                self.send_params()
            if self.updates % 5 == 0:
                self.report(loss)
            if self.updates % 10 == 0:
                self.checkpoint()
        wall = time.perf_counter() - start
        self.steps, self.n_games = sum(self.played), sum(self.games)
        return wall


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    learner = Learner()
    wall = learner.run(float(os.environ.get("WILD_SECONDS", "20")))
    learner.stop_workers()
    waited = learner.times.pop("_waited")
    print("waited for playing workers: %.2f s of %.2f s" % (waited, wall))
    stages = dict(learner.times)
    stages["other"] = wall - sum(stages.values())
    if "WILD_TRUTH" in os.environ:
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump({"wall_seconds": wall, "stages": stages, "env_steps": learner.steps, "episodes": learner.n_games,
                       "updates": learner.updates}, f, indent=1)


if __name__ == "__main__":
    main()
