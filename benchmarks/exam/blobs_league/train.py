"""Blobs league: the current policy trains against a pool of its older selves."""
import json
import multiprocessing as mp
import os
import random
import time
from collections import defaultdict

import numpy as np
import torch
import torch.nn.functional as F

from league import League
from net import PolicyNet, exportWeights
from worker import initWorker, playMatch

CONFIG = dict(workers=2, jobsPerRound=6, gamesPerJob=2, epochs=3, minibatch=128, lr=1e-3, gamma=0.98, lam=0.95,
              clip=0.2, entropy=0.01, snapshotEvery=3, evalEvery=4, evalGames=6)
clock = time.perf_counter
stages = defaultdict(float)


def chargeWait(waited, answers):
    """The driver slept while the workers worked: hand the wait to what the busiest worker did."""
    perPid = defaultdict(lambda: [0.0, defaultdict(float)])
    for _, _, spent, busy, pid in answers:
        perPid[pid][0] += busy
        for key, sec in spent.items():
            perPid[pid][1][key] += sec
    busiest, parts = max(perPid.values(), key=lambda p: p[0])
    scale = min(1.0, waited / busiest)
    for key, sec in parts.items():
        stages[key] += sec * scale
    stages["vec.wait"] += waited - busiest * scale


def computeReturns(records, results, cfg):
    obs, masks, moves, logps, advs, rets = [], [], [], [], [], []
    for steps, result in zip(records, results):
        nextValue, adv = 0.0, 0.0
        for i in reversed(range(len(steps))):
            o, m, a, lp, v, r = steps[i]
            if i == len(steps) - 1:
                r = r + result
            delta = r + cfg["gamma"] * nextValue - v
            adv = delta + cfg["gamma"] * cfg["lam"] * adv
            nextValue = v
            obs.append(o); masks.append(m); moves.append(a); logps.append(lp)
            advs.append(adv); rets.append(adv + v)
    advs = np.array(advs, dtype=np.float32)
    advs = (advs - advs.mean()) / (advs.std() + 1e-6)
    return (torch.from_numpy(np.stack(obs)), torch.from_numpy(np.stack(masks)), torch.tensor(moves),
            torch.tensor(logps), torch.from_numpy(advs), torch.tensor(rets, dtype=torch.float32))


def ppoUpdate(net, optimizer, data, cfg):
    obs, masks, moves, logps, advs, rets = data
    n, updates, lossSum = len(moves), 0, 0.0
    for _ in range(cfg["epochs"]):
        perm = torch.randperm(n)
        for i in range(0, n, cfg["minibatch"]):
            b = perm[i:i + cfg["minibatch"]]
            logits, value = net(obs[b], masks[b])
            dist = torch.distributions.Categorical(logits=logits)
            ratio = (dist.log_prob(moves[b]) - logps[b]).exp()
            clipped = ratio.clamp(1 - cfg["clip"], 1 + cfg["clip"])
            policyLoss = -torch.min(ratio * advs[b], clipped * advs[b]).mean()
            loss = policyLoss + 0.5 * F.mse_loss(value, rets[b]) - cfg["entropy"] * dist.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            optimizer.step()
            updates += 1
            lossSum += loss.item()
    return updates, lossSum / max(1, updates)


def main():
    cfg = CONFIG
    limit = float(os.environ.get("WILD_SECONDS", "20"))
    torch.set_num_threads(1)
    torch.manual_seed(0)
    random.seed(0)
    os.makedirs("snapshots", exist_ok=True)
    net = PolicyNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=cfg["lr"])
    league = League(exportWeights(net))
    pool = mp.get_context("fork").Pool(cfg["workers"], initializer=initWorker)

    envSteps = games = updates = rounds = 0
    begin = clock()
    while clock() - begin < limit:
        rounds += 1
        weights = exportWeights(net)
        rivals = [league.pickOpponent() for _ in range(cfg["jobsPerRound"])]
        t = clock()
        jobs = [(weights, r.weights, cfg["gamesPerJob"], random.randrange(1 << 30)) for r in rivals]
        pending = pool.map_async(playMatch, jobs, chunksize=1)
        stages["vec.send"] += clock() - t
        t = clock()
        answers = pending.get()
        chargeWait(clock() - t, answers)

        records, results = [], []
        for rival, (recs, ress, _, _, _) in zip(rivals, answers):
            records += recs
            results += ress
            for res in ress:
                league.report(rival, res)
        games += len(results)
        envSteps += sum(len(r) for r in records)

        t = clock()
        data = computeReturns(records, results, cfg)
        stages["learn.returns"] += clock() - t
        t = clock()
        n, loss = ppoUpdate(net, optimizer, data, cfg)
        updates += n
        stages["learn.update"] += clock() - t

        t = clock()
        print(f"round {rounds:3d} games {games:5d} steps {envSteps:6d} loss {loss:+.3f} "
              f"win {np.mean([r > 0 for r in results]):.2f} elo {league.currentElo:.0f}")
        stages["log"] += clock() - t

        if rounds % cfg["snapshotEvery"] == 0:
            t = clock()
            name = f"gen{rounds}"
            league.addSnapshot(name, exportWeights(net))
            torch.save(net.state_dict(), f"snapshots/{name}.pt")
            stages["checkpoint"] += clock() - t
        if rounds % cfg["evalEvery"] == 0:
            t = clock()
            _, res, _, _, _ = playMatch((exportWeights(net), None, cfg["evalGames"], rounds))
            stages["eval"] += clock() - t
            t = clock()
            print(f"   vs random: {sum(r > 0 for r in res)}/{len(res)}\n" + league.table())
            stages["log"] += clock() - t
    wall = clock() - begin

    pool.close()
    pool.join()
    stages["other"] += wall - sum(stages.values())
    if os.environ.get("WILD_TRUTH"):
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump(dict(wall_seconds=wall, stages=dict(stages), env_steps=envSteps, episodes=games,
                           updates=updates), f, indent=2)


if __name__ == "__main__":
    main()
