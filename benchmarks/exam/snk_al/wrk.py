from time import perf_counter as pc

import numpy as np
import torch

from cfg import JST
from gm import Gm
from net import Net


def ply(gm, nt, t0, gr=False):
    """one whole ep -> dict. ck = own clocks (s)"""
    rs = st = ob = ac = mk = rw = ad = 0.0
    a0 = pc()
    gm.rst()
    rs += pc() - a0
    P, X, M, A, L, V, R = [], [], [], [], [], [], []
    fin = False
    while not fin:
        a0 = pc()
        pl, xv = gm.vw()
        a1 = pc()
        m = gm.msk()
        a2 = pc()
        with torch.no_grad():
            lg, v = nt(torch.from_numpy(pl)[None], torch.from_numpy(xv)[None], torch.from_numpy(m)[None])
            lp = torch.log_softmax(lg[0], 0)
            a = int(lp.argmax()) if gr else int(torch.multinomial(lp.exp(), 1))
            l, v = float(lp[a]), float(v)
        a3 = pc()
        fin = gm.mv(a)
        a4 = pc()
        r = gm.pts()
        a5 = pc()
        P.append(pl); X.append(xv); M.append(m); A.append(a); L.append(l); V.append(v); R.append(r)
        a6 = pc()
        ob += a1 - a0; mk += a2 - a1; ac += a3 - a2; st += a4 - a3; rw += a5 - a4; ad += a6 - a5
    a0 = pc()
    ep = dict(pl=np.stack(P), xv=np.stack(X), mk=np.stack(M), a=np.array(A), lp=np.array(L, np.float32),
              v=np.array(V, np.float32), r=np.array(R, np.float32), ln=len(gm.bd))
    t1 = pc()
    ad += t1 - a0
    ep["ck"] = {"env.reset": rs, "env.observe": ob, "env.mask": mk, "act": ac, "env.step": st,
                "env.reward": rw, "replay.add": ad}
    ep["iv"] = (t0, t1)
    return ep


def run(wid, cn):
    torch.set_num_threads(1)
    torch.manual_seed(50 + wid)
    gm = Gm(100 + wid)
    nt = Net()
    cn.send("rdy")
    while True:
        wt = cn.recv()
        t0 = pc()
        if wt is None:
            break
        if wt != "same":
            nt.ld(wt)
        eps, n = [], 0
        while n < JST:
            ep = ply(gm, nt, t0)
            n += len(ep["a"])
            eps.append(ep)
            t0 = pc()
        cn.send(eps)
    cn.close()
