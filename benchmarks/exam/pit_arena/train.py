"""Pit arena, asynchronous actor-learner (poor man's IMPALA): 2 actors, V-trace, a few replayed episodes."""
import json
import multiprocessing as mp
import os
import random
import sys
import time
from collections import defaultdict, deque

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import numpy as np
import torch
from actor import actor_main, STAGES, STEP
from net import Brain, to_arrays
from vtrace import vtrace

SECONDS = float(os.environ.get("WILD_SECONDS", 20))
ACTORS = 2
FRESH, OLD = 6, 3          # episodes per batch: new ones + replayed ones
PASSES = 2
GAMMA = 0.985
now = time.perf_counter


def split_wait(clock, a, b, msg):
    """I waited from a to b for this message: the time belongs to what its actor was doing meanwhile."""
    t, w = msg["times"], msg["what"]
    lo, hi = np.maximum(t[:-1], a), np.minimum(t[1:], b)
    d = np.maximum(0.0, hi - lo)
    used = 0.0
    per = np.bincount(w[:-1], weights=d, minlength=len(STAGES))
    for i, s in enumerate(per):
        if s > 0:
            clock[STAGES[i]] += s
            used += s
    clock["vec.wait"] += (b - a) - used      # delivery: pickling, pipe, waking me up


def learn(net, opt, episodes, clock):
    obs = torch.from_numpy(np.concatenate([e["obs"] for e in episodes]))
    act = torch.from_numpy(np.concatenate([e["act"] for e in episodes]))
    old = np.concatenate([e["logp"] for e in episodes])
    logits, values = net(obs)
    logp_all = torch.log_softmax(logits, -1)
    logp = logp_all.gather(1, act.unsqueeze(1)).squeeze(1)
    t = now()
    v, lr = values.detach().numpy(), logp.detach().numpy() - old
    vs, adv, i = [], [], 0
    for e in episodes:
        n = len(e["rew"])
        a, b = vtrace(e["rew"], v[i:i + n], lr[i:i + n], GAMMA)
        vs.append(a)
        adv.append(b)
        i += n
    vs, adv = torch.from_numpy(np.concatenate(vs)), torch.from_numpy(np.concatenate(adv))
    inner = now() - t
    clock["learn.returns"] += inner
    adv = (adv - adv.mean()) / (adv.std() + 1e-4)
    entropy = -(logp_all.exp() * logp_all).sum(-1).mean()
    loss = -(logp * adv).mean() + 0.5 * (vs - values).pow(2).mean() - 0.01 * entropy
    opt.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    return float(loss.detach()), float(entropy.detach()), inner


def main():
    torch.set_num_threads(1)
    torch.manual_seed(1)
    random.seed(1)
    net = Brain()
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    ctx = mp.get_context("spawn")
    traj_q = ctx.Queue(maxsize=8)
    weight_qs = [ctx.Queue() for _ in range(ACTORS)]
    go, stop = ctx.Event(), ctx.Event()
    procs = [ctx.Process(target=actor_main, args=(i, traj_q, weight_qs[i], go, stop), daemon=True) for i in range(ACTORS)]
    for p, q in zip(procs, weight_qs):
        p.start()
        q.put(to_arrays(net))
    for _ in procs:
        assert "hello" in traj_q.get()

    clock = defaultdict(float)
    memory = deque(maxlen=60)
    won, lengths = deque(maxlen=80), deque(maxlen=80)
    seen = []                    # (times, what, done) of everything, to count exactly afterwards
    updates = rounds = learned_steps = 0
    last_print = 0.0
    begin = now()
    go.set()
    while True:
        # 1. collect
        fresh = []
        while len(fresh) < FRESH:
            a = now()
            m = traj_q.get()
            b = now()
            split_wait(clock, a, b, m)
            fresh.append(m)
            seen.append(m)
        # 2. mix with old ones
        t = now()
        old = random.sample(memory, min(OLD, len(memory)))
        t2 = now()
        memory.extend(fresh)
        t3 = now()
        clock["replay.sample"] += t2 - t
        clock["replay.add"] += t3 - t2
        # 3. learn
        t = now()
        inner = 0.0
        for _ in range(PASSES):
            loss, ent, x = learn(net, opt, fresh + old, clock)
            inner += x
            updates += 1
        end = now()
        clock["learn.update"] += end - t - inner
        rounds += 1
        learned_steps += sum(len(m["rew"]) for m in fresh)
        if end - begin >= SECONDS:
            break
        # 4. broadcast
        t = now()
        arrays = to_arrays(net)
        for q in weight_qs:
            q.put((rounds, arrays))
        t2 = now()
        clock["transfer"] += t2 - t
        # 5. talk
        for m in fresh:
            won.append(bool(m["won"]))
            lengths.append(len(m["rew"]))
        if t2 - last_print > 1.0:
            last_print = t2
            lag = rounds - 1 - np.mean([m["version"] for m in fresh])
            ret = np.mean([m["rew"].sum() for m in list(memory)[-40:]])
            print(f"round {rounds:4d}  won {np.mean(won):5.1%}  len {np.mean(lengths):5.1f}  return {ret:+.2f}  "
                  f"loss {loss:+.3f}  ent {ent:.2f}  lag {lag:.1f}", flush=True)
        t3 = now()
        clock["log"] += t3 - t2
        if rounds % 20 == 0:
            torch.save(net.state_dict(), os.path.join(HERE, "brain.pt"))
            clock["checkpoint"] += now() - t3

    wall = end - begin
    stop.set()
    byes = 0
    while byes < ACTORS:         # drain, otherwise the actors hang in their feeder threads
        m = traj_q.get()
        if "bye" in m:
            byes += 1
        else:
            seen.append(m)
    for p in procs:
        p.join(timeout=5)

    # count what was really played between begin and end (the STEP mark comes twice per tick)
    steps = episodes = 0
    for m in seen:
        steps += int(((m["what"] == STEP) & (m["times"] < end)).sum() + 1) // 2
        episodes += bool(m["done"] and m["times"][-1] <= end)
    clock["other"] += wall - sum(clock.values())
    stages = {k: float(v) for k, v in clock.items()}
    for k, v in sorted(stages.items(), key=lambda kv: -kv[1]):
        print(f"  {k:14s} {v:7.3f}  {v / wall:6.1%}")
    print(f"wall {wall:.2f}  played {steps} (learned from {learned_steps})  episodes {episodes}  updates {updates}")
    if "WILD_TRUTH" in os.environ:
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump({"wall_seconds": wall, "stages": stages, "env_steps": steps, "episodes": episodes, "updates": updates}, f)


if __name__ == "__main__":
    main()
