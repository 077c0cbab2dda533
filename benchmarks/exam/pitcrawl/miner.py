# the worker. gets weights through its pipe, plays T turns, puts the loot in the queue
from time import perf_counter as now

import numpy as np
import torch

from net import AC, unpack
from pit import Pit

T = 40


def toil(wid, pipe, loot):
    torch.set_num_threads(1)
    torch.manual_seed(100 + wid)
    net, g = AC(), Pit(wid * 7919 + 1)
    g.dig()
    o, k, ep = g.eyes(), g.can(), 0.
    while True:
        w = pipe.recv()
        if w is None:
            break
        beg = now()
        tm = dict(sync=0., think=0., hero=0., foes=0., eyes=0., can=0., dig=0., boot=0.)
        unpack(net, w)
        tm["sync"] = now() - beg
        O, K, A, R, D, rets = [], [], [], [], [], []
        for _ in range(T):
            t0 = now()
            with torch.no_grad():
                lg, _v = net(torch.from_numpy(o)[None], torch.from_numpy(k)[None])
                a = int(torch.distributions.Categorical(logits=lg).sample())
            t1 = now()
            r = g.hero(a)
            t2 = now()
            if not g.over:
                r += g.foes()
            t3 = now()
            O.append(o), K.append(k), A.append(a), R.append(r), D.append(g.over)
            ep += r
            if g.over:
                rets.append((ep, g.hp > 0 and g.t < 200))
                ep = 0.
                g.dig()
            t4 = now()
            o = g.eyes()
            t5 = now()
            k = g.can()
            t6 = now()
            tm["think"] += t1 - t0
            tm["hero"] += t2 - t1
            tm["foes"] += t3 - t2
            tm["dig"] += t4 - t3
            tm["eyes"] += t5 - t4
            tm["can"] += t6 - t5
        t0 = now()
        with torch.no_grad():
            bv = float(net(torch.from_numpy(o)[None], torch.from_numpy(k)[None])[1])
        pk = (np.stack(O), np.stack(K), np.array(A), np.array(R, dtype=np.float32), np.array(D))
        end = now()
        tm["boot"] = end - t0
        loot.put((wid, pk, bv, rets, tm, beg, end))
    pipe.close()
