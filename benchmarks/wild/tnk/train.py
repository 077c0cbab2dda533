import os
import pickle
import random
import tempfile
import time

import numpy as np

import tm
from gm import Gm, sns
from tm import sw

NI, NH, NO = 22, 48, 8
PS, EL, SIG, TK = 10, 3, .08, 3
rg = np.random.default_rng(5)
random.seed(5)


class Ind:
    def __init__(s, w=None):
        s.w = w or [rg.normal(0, .4, (NI, NH)), np.zeros(NH), rg.normal(0, .3, (NH, NH)), np.zeros(NH), rg.normal(0, .3, (NH, NO)), np.zeros(NO)]
        s.fit, s.gms = 0.0, 0

    def fwd(s, v):
        w1, b1, w2, b2, w3, b3 = s.w
        h = np.tanh(np.asarray(v) @ w1 + b1)
        h = np.tanh(h @ w2 + b2)
        o = h @ w3 + b3
        return int(o[:3].argmax()) - 1, int(o[3:6].argmax()) - 1, bool(o[6] > o[7])


def bot(v):
    tr = 1 if v[8] > .1 else -1 if v[8] < -.1 else 0
    return (1 if v[0] > .1 else -1), tr, v[11] > 0 and v[9] > .95


def plyGm(g, fa, fb, sd):
    g.rst(sd)
    dn = False
    while not dn:
        vs = [sns(g, i) for i in range(4)]
        p = sw(4)
        ac = fa(vs[0]), fa(vs[1]), fb(vs[2]), fb(vs[3])
        sw(p)
        dn = g.stp(ac)
    p = sw(8)
    ta, tb = g.tk[:2], g.tk[2:]
    sc = [sum(k.hits + .04 * k.aim - .2 * (k.hp <= 0) for k in t) for t in (ta, tb)]
    sw(p)
    return sc


def evalPop(pop, g, sd):
    ns = ne = 0
    for i in pop:
        i.fit, i.gms = 0.0, 0
    for n, i in enumerate(pop):
        for _ in range(2):
            j = random.choice([x for x in pop if x is not i])
            sa, sb = plyGm(g, i.fwd, j.fwd, sd + ne)
            i.fit += sa
            j.fit += sb
            i.gms += 1
            j.gms += 1
            ns += g.t
            ne += 1
        sa, sb = plyGm(g, i.fwd, bot, sd + n)
        i.fit += sa
        i.gms += 1
        ns += g.t
        ne += 1
    for i in pop:
        i.fit /= i.gms
    return ns, ne


def pick(pop):
    return max(random.sample(pop, TK), key=lambda i: i.fit)


def mkChild(a, b):
    ws = []
    for x, y in zip(a.w, b.w):
        m = rg.random(x.shape) < .5
        c = np.where(m, x, y)
        ws.append(c + rg.normal(0, SIG, c.shape) * (rg.random(c.shape) < .3))
    return Ind(ws)


def nxtGen(pop):
    p = sw(5)
    pop.sort(key=lambda i: -i.fit)
    nw = pop[:EL] + [mkChild(pick(pop), pick(pop)) for _ in range(PS - EL)]
    sw(p)
    return nw


def tstBst(bst, g):
    sw(6)
    tm.C[3] = True
    sc = [plyGm(g, bst.fwd, bot, 9000 + n)[0] for n in range(4)]
    tm.C[3] = False
    sw(0)
    return np.mean(sc)


def main():
    lim = float(os.environ.get("WILD_SECONDS", 20))
    dr = tempfile.mkdtemp(prefix="tnk")
    pop, g = [Ind() for _ in range(PS)], Gm()
    gen = stp = eps = 0
    tm.go()
    t0 = time.time()
    while time.time() - t0 < lim:
        ns, ne = evalPop(pop, g, gen * 1000)
        stp += ns
        eps += ne
        pop = nxtGen(pop)
        gen += 1
        if gen % 3 == 0:
            tst = tstBst(pop[0], g)
            sw(7)
            print(f"gen {gen:3d} best {pop[0].fit:.2f} mean {np.mean([i.fit for i in pop[:EL]]):.2f} vs bot {tst:.2f} steps {stp}")
            sw(9)
            with open(os.path.join(dr, "bst.pkl"), "wb") as f:
                pickle.dump(pop[0].w, f)
            sw(0)
    tm.fin(stp, eps, gen)


main()
