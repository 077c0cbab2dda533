# snk actor/learner. prnt learns, NW kids play
import json
import multiprocessing as mp
import os
import sys
from multiprocessing.connection import wait
from time import perf_counter as pc

import numpy as np
import torch
import torch.nn.functional as F

import wrk
from cfg import BST, CLP, EPC, GA, LA, MB, NW
from gm import Gm
from net import Net

DIR = os.path.dirname(os.path.abspath(__file__))


def gae(eps):
    adv = []
    for e in eps:
        r, v = e["r"], e["v"]
        n = len(r)
        g = np.zeros(n, np.float32)
        acc, nv = 0.0, 0.0
        for i in range(n - 1, -1, -1):
            acc = r[i] + GA * nv - v[i] + GA * LA * acc
            g[i] = acc
            nv = v[i]
        adv.append(g)
    adv = np.concatenate(adv)
    bt = {k: torch.from_numpy(np.concatenate([e[k] for e in eps])) for k in ("pl", "xv", "mk", "a", "lp", "v")}
    bt["rt"] = torch.from_numpy(adv) + bt["v"]
    bt["ad"] = torch.from_numpy((adv - adv.mean()) / (adv.std() + 1e-6))
    return bt


def upd(nt, op, b):
    lg, v = nt(b["pl"], b["xv"], b["mk"])
    ls = torch.log_softmax(lg, 1)
    lp = ls.gather(1, b["a"][:, None])[:, 0]
    rt = (lp - b["lp"]).exp()
    pg = -torch.min(rt * b["ad"], rt.clamp(1 - CLP, 1 + CLP) * b["ad"]).mean()
    ent = -(ls.exp() * ls.clamp(min=-20)).sum(1).mean()
    lo = pg + 0.5 * F.mse_loss(v, b["rt"]) - 0.01 * ent
    op.zero_grad()
    lo.backward()
    torch.nn.utils.clip_grad_norm_(nt.parameters(), 1.0)
    op.step()
    return float(lo.detach())


def spl(wv, ivs, stg):
    """share out the wait times wv over what the kids did then"""
    for a, b in wv:
        hit = []
        for x, y, ck in ivs:
            lo, hi = max(a, x), min(b, y)
            if hi > lo:
                hit.append((lo, hi, y - x, ck))
        hit.sort(key=lambda h: h[0])
        bsy, end, tot = 0.0, a, 0.0
        sh = {}
        for lo, hi, ln, ck in hit:
            if hi > end:
                bsy += hi - max(lo, end)
                end = hi
            tot += hi - lo
            f = (hi - lo) / ln
            sm = 0.0
            for k, t in ck.items():
                sh[k] = sh.get(k, 0.0) + f * t
                sm += t
            sh["other"] = sh.get("other", 0.0) + f * (ln - sm)
        for k, t in sh.items():
            stg[k] = stg.get(k, 0.0) + t * bsy / tot
        stg["vec.wait"] = stg.get("vec.wait", 0.0) + (b - a) - bsy


def main():
    torch.set_num_threads(1)
    torch.manual_seed(7)
    sec = float(os.environ.get("WILD_SECONDS", "60"))
    nt = Net()
    op = torch.optim.Adam(nt.parameters(), lr=7e-4)
    gv = Gm(999)
    cx = mp.get_context("spawn")
    cns, prs = [], []
    for i in range(NW):
        c, d = cx.Pipe()
        p = cx.Process(target=wrk.run, args=(i, d), daemon=True)
        p.start()
        d.close()
        cns.append(c)
        prs.append(p)
    for c in cns:
        assert c.recv() == "rdy"

    stg = {"learn.returns": 0.0, "learn": 0.0, "replay.sample": 0.0, "logging": 0.0, "checkpoint": 0.0, "eval": 0.0}
    wv, ivs = [], []
    buf, nb = [], 0
    ns = ne = nu = nl = 0
    vr = 0
    kv = [0] * NW
    lens = []

    T0 = pc()
    wt = nt.gt()
    for c in cns:
        c.send(wt)
    while pc() - T0 < sec:
        w0 = pc()
        rd = wait(cns)
        wv.append((w0, pc()))
        for c in rd:
            i = cns.index(c)
            eps = c.recv()
            c.send(wt if kv[i] != vr else "same")
            kv[i] = vr
            for e in eps:
                ivs.append((*e["iv"], e["ck"]))
                ns += len(e["a"])
                nb += len(e["a"])
                lens.append(e["ln"])
            ne += len(eps)
            buf += eps
        if nb < BST:
            continue

        a0 = pc()
        bt = gae(buf)
        buf, nb = [], 0
        stg["learn.returns"] += pc() - a0
        n = len(bt["a"])
        for _ in range(EPC):
            pm = torch.randperm(n)
            for j in range(0, n - MB // 2, MB):
                a0 = pc()
                ix = pm[j:j + MB]
                mb = {k: x[ix] for k, x in bt.items()}
                a1 = pc()
                lo = upd(nt, op, mb)
                stg["replay.sample"] += a1 - a0
                stg["learn"] += pc() - a1
                nu += 1
        nl += 1
        vr += 1
        wt = nt.gt()

        if nl % 5 == 0:
            a0 = pc()
            print(f"{pc() - T0:6.1f}s st {ns:7d} ep {ne:5d} up {nu:5d} len {np.mean(lens[-50:]):5.2f} lo {lo:+.3f}")
            sys.stdout.flush()
            stg["logging"] += pc() - a0
        if nl % 15 == 0:
            a0 = pc()
            ev = [wrk.ply(gv, nt, a0, True)["ln"] for _ in range(2)]
            print("   ev", ev)
            stg["eval"] += pc() - a0
        if nl % 25 == 0:
            a0 = pc()
            torch.save(nt.state_dict(), os.path.join(DIR, "snk.pt"))
            stg["checkpoint"] += pc() - a0
    W = pc() - T0

    for c in cns:                      # every kid still owes one job
        for e in c.recv():
            ivs.append((*e["iv"], e["ck"]))
        c.send(None)
    for p in prs:
        p.join()
    own = W - sum(stg.values()) - sum(b - a for a, b in wv)
    spl(wv, ivs, stg)
    stg["other"] = stg.get("other", 0.0) + own
    with open(os.environ.get("WILD_TRUTH", "tr.json"), "w") as f:
        json.dump({"wall_seconds": W, "stages": stg, "env_steps": ns, "episodes": ne, "updates": nu}, f, indent=1)


if __name__ == "__main__":
    main()
