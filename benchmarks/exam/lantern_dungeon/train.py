import csv
import json
import os
from collections import deque
from time import perf_counter

import gymnasium as gym
import numpy as np
import torch
from torch import nn

from dungeon import CLK, LanternEnv
from model import RecurrentAC
from wrappers import Curiosity, OneHotView

CFG = dict(n_envs=8, T=64, epochs=3, env_mb=4, lr=4e-4, gamma=0.99, lam=0.95, clip=0.2, ent=0.01, vf=0.5)


def make(i):
    def thunk():
        return Curiosity(OneHotView(LanternEnv()))
    return thunk


def gae(rew, val, done, last_val, last_done, c):
    # done[t] == 1: obs t starts a new episode
    adv = np.zeros_like(rew)
    run = np.zeros(rew.shape[1], np.float32)
    for t in reversed(range(len(rew))):
        nd = last_done if t == len(rew) - 1 else done[t + 1]
        nv = last_val if t == len(rew) - 1 else val[t + 1]
        delta = rew[t] + c["gamma"] * nv * (1 - nd) - val[t]
        run = delta + c["gamma"] * c["lam"] * (1 - nd) * run
        adv[t] = run
    return adv, adv + val


def update(net, opt, obs, act, logp, adv, ret, start, valid, h0, c):
    """sequences: every minibatch is a few envs over the whole rollout"""
    n = 0
    obs, act, logp, adv, ret, start, valid = map(torch.as_tensor, (obs, act, logp, adv, ret, start, valid))
    adv = (adv - adv[valid].mean()) / (adv[valid].std() + 1e-8)
    for _ in range(c["epochs"]):
        perm = torch.randperm(c["n_envs"])
        for i in range(0, c["n_envs"], c["env_mb"]):
            j = perm[i:i + c["env_mb"]]
            dist, v = net.unroll(obs[:, j], h0[j], start[:, j])
            m = valid[:, j]
            ratio = (dist.log_prob(act[:, j]) - logp[:, j]).exp()
            a = adv[:, j]
            pg = -torch.min(ratio * a, ratio.clamp(1 - c["clip"], 1 + c["clip"]) * a)[m].mean()
            vl = (v - ret[:, j]).pow(2)[m].mean()
            loss = pg + c["vf"] * vl - c["ent"] * dist.entropy()[m].mean()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            opt.step()
            n += 1
    return loss.item(), n


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    c, N, T = CFG, CFG["n_envs"], CFG["T"]
    limit = float(os.environ.get("WILD_SECONDS", 20))
    envs = gym.vector.SyncVectorEnv([make(i) for i in range(N)])
    n_in = envs.single_observation_space.shape[0]
    net = RecurrentAC(n_in, envs.single_action_space.n)
    opt = torch.optim.Adam(net.parameters(), lr=c["lr"], eps=1e-5)
    clk = {"act": 0.0, "act.value": 0.0, "learn.returns": 0.0, "learn.update": 0.0, "log": 0.0, "checkpoint": 0.0}
    log = csv.writer(open("progress.csv", "w", newline=""))
    log.writerow(["steps", "episodes", "return", "wins", "loss"])

    for k in CLK:
        CLK[k] = 0.0
    begin = perf_counter()
    steps = episodes = updates = it = 0
    hist, ep_ret = deque(maxlen=50), np.zeros(N)
    x, _ = envs.reset(seed=42)
    done, over = np.ones(N, np.float32), np.zeros(N, bool)
    h = torch.zeros(N, net.hid)
    while perf_counter() - begin < limit:
        obs = np.zeros((T, N, n_in), np.float32)
        act = np.zeros((T, N), np.int64)
        logp, rew, val, start = (np.zeros((T, N), np.float32) for _ in range(4))
        valid = np.ones((T, N), bool)
        h0 = h.clone()
        for t in range(T):
            obs[t], start[t] = x, done
            t0 = perf_counter()
            with torch.no_grad():
                d, v, h = net.step(torch.from_numpy(x), h, torch.from_numpy(done))
                a = d.sample()
                act[t], logp[t], val[t] = a.numpy(), d.log_prob(a).numpy(), v.numpy()
            clk["act"] += perf_counter() - t0
            x, r, term, trunc, info = envs.step(act[t])
            # gymnasium 1.x: the step after the end only resets, its action is ignored -> not a sample
            valid[t] = ~over
            prev, over = over, term | trunc
            rew[t] = r
            steps += int(valid[t].sum())
            ep_ret += r
            for i in np.flatnonzero(over):
                episodes += 1
                won = bool(info["won"][i]) if "won" in info else False
                hist.append((ep_ret[i], won))
                ep_ret[i] = 0.0
            done = (over | prev).astype(np.float32)     # also wipes the memory after the dead step
        t0 = perf_counter()
        with torch.no_grad():
            last_v = net.step(torch.from_numpy(x), h, torch.from_numpy(done))[1].numpy()
        t1 = perf_counter()
        adv, ret = gae(rew, val, start, last_v, done, c)
        t2 = perf_counter()
        loss, n = update(net, opt, obs, act, logp, adv, ret, start, valid, h0, c)
        t3 = perf_counter()
        clk["act.value"] += t1 - t0
        clk["learn.returns"] += t2 - t1
        clk["learn.update"] += t3 - t2
        updates += n
        it += 1
        if hist:
            mr, mw = np.mean(hist, axis=0)
            log.writerow([steps, episodes, round(mr, 3), round(mw, 3), round(loss, 4)])
            print(f"[{it}] steps={steps} ep={episodes} ret={mr:.2f} wins={mw:.0%} loss={loss:.3f}", flush=True)
        t4 = perf_counter()
        clk["log"] += t4 - t3
        if it % 10 == 0:
            torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "it": it}, "lantern.pt")
            clk["checkpoint"] += perf_counter() - t4
    wall = perf_counter() - begin

    stages = {**CLK, **clk}
    stages["other"] = wall - sum(stages.values())
    path = os.environ.get("WILD_TRUTH")
    if path:
        with open(path, "w") as f:
            json.dump(dict(wall_seconds=wall, stages=stages, env_steps=steps, episodes=episodes, updates=updates), f, indent=1)


if __name__ == "__main__":
    main()
