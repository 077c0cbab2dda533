import json
import os
import time
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import torch

from ag import Ag
from mz import Mz

cfg = dict(n_env=16, T=24, sz=19, lim=float(os.environ.get("WILD_SECONDS", 20)), rep=4, sav=10, evl=12)
tm = {}
st = SimpleNamespace(steps=0, eps=0, sc=[], run=None)


@contextmanager
def tk(k):
    t = time.perf_counter()
    yield
    tm[k] = tm.get(k, 0.0) + time.perf_counter() - t


def rollouts(envs, ag, T):
    """endless generator of segments of T rows"""
    n = len(envs)
    x = np.zeros((n, envs[0].n_obs), np.float32)
    with tk("env.reset"):
        for e in envs:
            e.reset()
    with tk("env.observe"):
        for i, e in enumerate(envs):
            x[i] = e.obs()
    h = ag.h0(n)
    st.run = np.zeros(n)
    while True:
        sg = SimpleNamespace(x=np.zeros((T,) + x.shape, np.float32), a=np.zeros((T, n), np.int64),
                             r=np.zeros((T, n), np.float32), d=np.zeros((T, n), np.float32),
                             v=np.zeros((T, n), np.float32), h=h)
        for t in range(T):
            with tk("act"):
                a, v, h = ag.act(x, h)
            sg.x[t], sg.a[t], sg.v[t] = x, a, v
            with tk("env.step"):
                for i, e in enumerate(envs):
                    sg.r[t, i], sg.d[t, i] = e.step(int(a[i]))
            st.steps += n
            st.run += sg.r[t]
            if sg.d[t].any():
                for i in np.flatnonzero(sg.d[t]):
                    st.eps += 1
                    st.sc.append(st.run[i])
                    st.run[i] = 0
                    with tk("env.reset"):
                        envs[i].reset()
                h = h * torch.from_numpy(1.0 - sg.d[t])[:, None]
            with tk("env.observe"):
                for i, e in enumerate(envs):
                    x[i] = e.obs()
        with tk("learn.returns"):
            sg.boot = ag.val(x, h)
        yield sg


def gae(sg, gam, lam):
    T, n = sg.r.shape
    adv = np.zeros((T, n), np.float32)
    nx, run = sg.boot, np.zeros(n, np.float32)
    for t in reversed(range(T)):
        k = 1.0 - sg.d[t]
        run = sg.r[t] + gam * nx * k - sg.v[t] + gam * lam * k * run
        adv[t] = run
        nx = sg.v[t]
    return adv, adv + sg.v


def evl(ag, n=1):
    tot = 0.0
    for k in range(n):
        e = Mz(cfg["sz"], seed=5000 + k)
        e.reset()
        x, h, end = e.obs(), ag.h0(1), False
        while not end:
            a, _, h = ag.act(x[None], h)
            r, end = e.step(int(a[0]))
            x = e.obs()
            tot += r
    return tot / n


def main():
    torch.set_num_threads(1)
    torch.manual_seed(11)
    envs = [Mz(cfg["sz"], seed=i) for i in range(cfg["n_env"])]
    ag = Ag(envs[0].n_obs, Mz.n_act)
    t0 = time.perf_counter()
    for it, sg in enumerate(rollouts(envs, ag, cfg["T"]), 1):
        with tk("learn.returns"):
            adv, ret = gae(sg, ag.gam, ag.lam)
        with tk("learn.*"):
            ls = ag.upd(sg, adv, ret)
        if it % cfg["rep"] == 0:
            with tk("log"):
                sc = st.sc[-50:]
                print(f"{it:5d} st {st.steps:7d} ep {st.eps:5d} sc {np.mean(sc) if sc else 0:6.2f} ls {ls:7.3f}", flush=True)
        if it % cfg["evl"] == 0:
            with tk("eval"):
                ev = evl(ag)
            print("      ev", round(ev, 2))
        if it % cfg["sav"] == 0:
            with tk("checkpoint"):
                torch.save(ag.net.state_dict(), "ag.pt")
        if time.perf_counter() - t0 > cfg["lim"]:
            break
    w = time.perf_counter() - t0
    tm["other"] = w - sum(tm.values())
    fn = os.environ.get("WILD_TRUTH")
    if fn:
        json.dump(dict(wall_seconds=w, stages=tm, env_steps=st.steps, episodes=st.eps, updates=ag.n_upd), open(fn, "w"))
    print({k: round(v, 2) for k, v in tm.items()})


if __name__ == "__main__":
    main()
