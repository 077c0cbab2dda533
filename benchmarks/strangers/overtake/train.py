#!/usr/bin/env python
# OVERTAKE! - drive through traffic against three rivals, finish the 1200 m as early as possible
# A2C, six races at once.    (c) kalle, weekend project
import json, math, os, random, sys, time
import numpy as np
import torch
import torch.nn as nn
from util import ema, bar, discount

LANES = 5
ROAD_LEN = 1200.0
CAR_LEN = 5.0
N_TRAFFIC = 26
N_RIVALS = 3
N_RACES = 6
ROLL = 24
ACTIONS = ["keep", "gas", "brake", "left", "right"]
VIEW = 9       # cells ahead per lane


def newNet(nIn, nOut):
    body = nn.Sequential(nn.Linear(nIn, 96), nn.Tanh(), nn.Linear(96, 64), nn.Tanh())
    pi, v = nn.Linear(64, nOut), nn.Linear(64, 1)
    return nn.ModuleDict({"body": body, "pi": pi, "v": v})


def gapAhead(cars, lane, pos, skip):
    """distance and speed of the next car in that lane"""
    best, sp = 1e9, 99.0
    for c in cars:
        if c is not skip and c["lane"] == lane:
            d = c["pos"] - pos
            if 0 <= d < best:
                best, sp = d, c["v"]
    return best, sp


def laneFree(cars, lane, pos, skip):
    for c in cars:
        if c is not skip and c["lane"] == lane and abs(c["pos"] - pos) < CAR_LEN + 3:
            return False
    return True


def main():
    SECS = float(os.environ.get("WILD_SECONDS", "20"))
    torch.set_num_threads(1)
    torch.manual_seed(3)
    rnd = random.Random(3)
    nIn = LANES * VIEW * 2 + 6
    net = newNet(nIn, len(ACTIONS))
    opt = torch.optim.RMSprop(net.parameters(), lr=7e-4)
    now = time.perf_counter
    clk = {k: 0.0 for k in ("env.reset", "env.step", "env.opponent", "env.observe", "act", "learn.returns", "learn.*",
                            "log", "checkpoint")}
    nSteps = nRaces = nUpd = 0
    avgScore = avgTime = None
    races = [None] * N_RACES
    csv = open("races.csv", "w")
    csv.write("race,score,time,place,crashes\n")

    START = now()
    lastPrint = START
    while now() - START < SECS:
        bufObs, bufAct, bufRew, bufDone = [], [], [], []
        for k in range(ROLL):
            # ------------------------------------------------ new races where needed
            t = now()
            for i in range(N_RACES):
                if races[i] is None:
                    cars = []
                    for j in range(N_TRAFFIC):
                        lane = rnd.randrange(LANES)
                        cars.append({"kind": "traffic", "lane": lane, "pos": rnd.uniform(40, ROAD_LEN),
                                     "v": rnd.uniform(12, 17) + 2.0 * lane, "want": 0.0, "cool": 0})
                    for c in cars:
                        c["want"] = c["v"]
                    for j in range(N_RIVALS):
                        cars.append({"kind": "rival", "lane": j, "pos": 0.0, "v": 15.0, "want": rnd.uniform(27, 33), "cool": 0})
                    me = {"kind": "me", "lane": LANES - 1, "pos": 0.0, "v": 15.0, "want": 0.0, "cool": 0}
                    cars.append(me)
                    races[i] = {"cars": cars, "me": me, "t": 0.0, "score": 0.0, "crashes": 0}
            clk["env.reset"] += now() - t

            # ------------------------------------------------ what do we see
            t = now()
            obs = np.zeros((N_RACES, nIn), np.float32)
            for i, rc in enumerate(races):
                me = rc["me"]
                o = [0.0] * (LANES * VIEW * 2)
                for c in rc["cars"]:
                    if c is me:
                        continue
                    d = c["pos"] - me["pos"]
                    if -20 <= d < 70:
                        cell = int((d + 20) / 10)
                        b = (c["lane"] * VIEW + cell) * 2
                        o[b] = 1.0
                        o[b + 1] = (c["v"] - me["v"]) / 20
                ahead = sum(1 for c in rc["cars"] if c["kind"] == "rival" and c["pos"] > me["pos"])
                gap, sp = gapAhead(rc["cars"], me["lane"], me["pos"], me)
                o += [me["v"] / 35, me["lane"] / (LANES - 1), me["pos"] / ROAD_LEN, ahead / N_RIVALS,
                      min(gap, 100) / 100, min(1.0, (sp - me["v"]) / 20)]
                obs[i] = o
            clk["env.observe"] += now() - t

            # ------------------------------------------------ choose
            t = now()
            with torch.no_grad():
                z = net["body"](torch.from_numpy(obs))
                acts = torch.distributions.Categorical(logits=net["pi"](z)).sample().numpy()
            clk["act"] += now() - t

            # ------------------------------------------------ drive 0.25 s
            rew = np.zeros(N_RACES, np.float32)
            done = np.zeros(N_RACES, np.float32)
            for i, rc in enumerate(races):
                t = now()
                me, cars = rc["me"], rc["cars"]
                rc["t"] += 0.25
                a = ACTIONS[acts[i]]
                if a == "gas":
                    me["v"] = min(35.0, me["v"] + 1.5)
                elif a == "brake":
                    me["v"] = max(5.0, me["v"] - 3.0)
                elif a in ("left", "right"):
                    nl = me["lane"] + (-1 if a == "left" else 1)
                    if 0 <= nl < LANES and laneFree(cars, nl, me["pos"], me):
                        me["lane"] = nl
                    else:
                        rew[i] -= 0.1
                # traffic just follows
                for c in cars:
                    if c["kind"] == "traffic":
                        gap, sp = gapAhead(cars, c["lane"], c["pos"] + 0.01, c)
                        if gap < 15 and sp < c["v"]:
                            c["v"] = max(3.0, c["v"] - 2.0)
                        elif c["v"] < c["want"]:
                            c["v"] += 0.5
                tOpp = now()
                clk["env.step"] += tOpp - t

                # the rivals look for the best lane
                for c in cars:
                    if c["kind"] != "rival":
                        continue
                    bestLane, bestVal = c["lane"], -1e9
                    for dl in (0, -1, 1):
                        nl = c["lane"] + dl
                        if not 0 <= nl < LANES:
                            continue
                        if dl and (c["cool"] > 0 or not laneFree(cars, nl, c["pos"], c)):
                            continue
                        gap, sp = gapAhead(cars, nl, c["pos"] + 0.01, c)
                        val = min(gap, 80) + 2 * min(sp, 35) - (8 if dl else 0)
                        if val > bestVal:
                            bestLane, bestVal = nl, val
                    if bestLane != c["lane"]:
                        c["lane"] = bestLane
                        c["cool"] = 6
                    c["cool"] -= 1
                    gap, sp = gapAhead(cars, c["lane"], c["pos"] + 0.01, c)
                    if gap < 12 + (c["v"] - sp) and sp < c["v"]:
                        c["v"] = max(5.0, c["v"] - 3.0)
                    else:
                        c["v"] = min(c["want"], c["v"] + 1.5)
                t = now()
                clk["env.opponent"] += t - tOpp

                before = me["pos"]
                for c in cars:
                    c["pos"] += c["v"] * 0.25
                # bumps
                gap, sp = gapAhead(cars, me["lane"], before, me)
                if gap < CAR_LEN + max(0.0, (me["v"] - sp) * 0.25):
                    rc["crashes"] += 1
                    rew[i] -= 1.0
                    me["v"] = max(3.0, sp * 0.5)
                    me["pos"] = before
                rew[i] += (me["pos"] - before) / 10 - 0.4
                if me["pos"] >= ROAD_LEN or rc["t"] > 90:
                    place = 1 + sum(1 for c in cars if c["kind"] == "rival" and c["pos"] > me["pos"])
                    rew[i] += (4 - place) * 5
                    done[i] = 1.0
                rc["score"] += float(rew[i])
                clk["env.step"] += now() - t
                nSteps += 1
                if done[i]:
                    nRaces += 1
                    t = now()
                    avgScore = ema(avgScore, rc["score"])
                    avgTime = ema(avgTime, rc["t"])
                    csv.write("%d,%.2f,%.2f,%d,%d\n" % (nRaces, rc["score"], rc["t"], place, rc["crashes"]))
                    clk["log"] += now() - t
                    races[i] = None
            bufObs.append(obs)
            bufAct.append(acts)
            bufRew.append(rew)
            bufDone.append(done)

        # ---------------------------------------------------- learn
        t = now()
        with torch.no_grad():
            # value of where we are now; a finished race counts 0 anyway
            boot = net["v"](net["body"](torch.from_numpy(bufObs[-1]))).squeeze(1).numpy()
        ret = torch.from_numpy(discount(bufRew[:-1], bufDone[:-1], boot, 0.98)).reshape(-1)
        clk["learn.returns"] += now() - t

        t = now()
        x = torch.from_numpy(np.concatenate(bufObs[:-1]))
        a = torch.from_numpy(np.concatenate(bufAct[:-1]))
        z = net["body"](x)
        dist = torch.distributions.Categorical(logits=net["pi"](z))
        v = net["v"](z).squeeze(1)
        adv = ret - v
        w = adv.detach()
        w = (w - w.mean()) / (w.std() + 1e-6)
        loss = -(dist.log_prob(a) * w).mean() + 0.25 * adv.pow(2).mean() * 0.1 - 0.01 * dist.entropy().mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.7)
        opt.step()
        nUpd += 1
        clk["learn.*"] += now() - t

        # ---------------------------------------------------- talk
        if now() - lastPrint > 1.0:
            t = now()
            lastPrint = t
            print("[%s] %6d steps %4d races  score %s  time %s" % (
                bar(min(1, (t - START) / SECS)), nSteps, nRaces, "-" if avgScore is None else "%.1f" % avgScore,
                "-" if avgTime is None else "%.1f" % avgTime))
            sys.stdout.flush()
            csv.flush()
            clk["log"] += now() - t
        if nUpd % 60 == 0:
            t = now()
            torch.save(net.state_dict(), "overtake.pt")
            clk["checkpoint"] += now() - t

    wall = now() - START
    csv.close()
    clk["other"] = wall - sum(clk.values())
    out = os.environ.get("WILD_TRUTH")
    if out:
        with open(out, "w") as f:
            json.dump(dict(wall_seconds=wall, stages=clk, env_steps=nSteps, episodes=nRaces, updates=nUpd), f)
    print("done,", nUpd, "updates")


if __name__ == "__main__":
    main()
