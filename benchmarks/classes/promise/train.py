"""Asynchronous PPO: two processes roll out fragments as futures; whoever is ready first is learned from."""
import concurrent.futures as cf
import json, os, time, multiprocessing
os.environ["OMP_NUM_THREADS"] = "1"
import numpy as np
import torch
from torch import nn
from roller import roll, make_model, HORIZON
torch.set_num_threads(1)
now = time.perf_counter
CLIP = 0.2


def advantages(rews, vals, dones, last):
    adv, acc = np.zeros(len(rews), np.float32), 0.0
    for i in range(len(rews) - 1, -1, -1):
        nxt = last if i + 1 == len(rews) else vals[i + 1]
        delta = rews[i] + 0.99 * nxt * (1 - dones[i]) - vals[i]
        acc = delta + 0.95 * 0.99 * (1 - dones[i]) * acc
        adv[i] = acc
    return adv


def improve(model, opt, frag, adv):
    x = torch.from_numpy(frag["obs"]); a = torch.from_numpy(frag["act"]); old = torch.from_numpy(frag["logp"])
    adv_t = torch.from_numpy(adv); ret = adv_t + torch.from_numpy(frag["val"])
    adv_t = (adv_t - adv_t.mean()) / (adv_t.std() + 1e-6)
    n = 0
    for epoch in range(4):
        for idx in torch.randperm(HORIZON).split(64):
            p, v = model(x[idx])
            d = torch.distributions.Categorical(logits=p)
            ratio = (d.log_prob(a[idx]) - old[idx]).exp()
            l = -torch.min(ratio * adv_t[idx], ratio.clamp(1 - CLIP, 1 + CLIP) * adv_t[idx]).mean()
            l = l + 0.5 * (v - ret[idx]).pow(2).mean() - 0.01 * d.entropy().mean()
            opt.zero_grad(); l.backward(); opt.step()
            n += 1
    return n


if __name__ == "__main__":
    limit = float(os.environ.get("WILD_SECONDS", 20))
    torch.manual_seed(0)
    model = make_model()
    opt = torch.optim.Adam(model.parameters(), lr=2.5e-4)
    S = {k: 0.0 for k in ("wait", "learn.returns", "learn.ppo", "vec.submit", "log")}
    W = {k: 0.0 for k in ("act", "env.step", "env.reset")}
    whole = 0.0
    steps = eps = ups = 0

    def snapshot():
        return {k: v.numpy().copy() for k, v in model.state_dict().items()}

    with cf.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as ex:
        list(ex.map(abs, range(4)))
        for f in [ex.submit(roll, snapshot(), s) for s in (0, 1)]:
            f.result()
        t_begin = now()
        flying = {ex.submit(roll, snapshot(), seed) for seed in (0, 1)}
        while now() - t_begin < limit:
            t = now()
            ready, flying = cf.wait(flying, return_when=cf.FIRST_COMPLETED)
            S["wait"] += now() - t
            for fut in ready:
                frag = fut.result()
                for k in W:
                    W[k] += frag["secs"][k]
                whole += frag["secs"]["whole"]
                steps += HORIZON; eps += int(frag["done"].sum())
                t = now(); adv = advantages(frag["rew"], frag["val"], frag["done"], frag["last"]); S["learn.returns"] += now() - t
                t = now(); ups += improve(model, opt, frag, adv); S["learn.ppo"] += now() - t
                t = now(); flying.add(ex.submit(roll, snapshot(), frag["seed"])); S["vec.submit"] += now() - t
                t = now(); print(f"steps {steps} return {frag['rew'].sum():.2f}", flush=True); S["log"] += now() - t
        wall = now() - t_begin
        stages = {k: S["wait"] * W[k] / whole for k in W}
        stages["env.step+env.observe"] = stages.pop("env.step")
        stages["vec.rest"] = S["wait"] - sum(stages.values()) + S["vec.submit"]
        stages.update({k: S[k] for k in ("learn.returns", "learn.ppo", "log")})
        stages["other"] = wall - sum(stages.values())
        json.dump({"wall_seconds": wall, "stages": stages, "updates": ups}, open(os.environ["WILD_TRUTH"], "w"))
