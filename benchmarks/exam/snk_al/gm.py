# snake w/ rocks. s.ev = what happened last mv
import random
from collections import deque

import numpy as np

from cfg import SZ, NP, NX, NR, HGR, CAP

DR = ((-1, 0), (0, 1), (1, 0), (0, -1))


class Gm:
    def __init__(s, sd):
        s.rg = random.Random(sd)

    def rst(s):
        m = SZ // 2
        s.bd = deque([(m, m), (m + 1, m), (m + 2, m)])
        s.st = set(s.bd)
        s.rk = set()
        while len(s.rk) < NR:
            p = (s.rg.randrange(SZ), s.rg.randrange(SZ))
            if p not in s.st and abs(p[1] - m) > 1:
                s.rk.add(p)
        s.d = 0
        s.hg = 0
        s.n = 0
        s.ev = 0
        s.fds = set()
        for _ in range(3):
            s.drp()

    def drp(s):
        while True:
            p = (s.rg.randrange(SZ), s.rg.randrange(SZ))
            if p not in s.st and p not in s.rk and p not in s.fds:
                s.fds.add(p)
                return

    def ok(s, p):
        return 0 <= p[0] < SZ and 0 <= p[1] < SZ and p not in s.rk and p not in s.st

    def dst(s, p):
        return min(abs(p[0] - f[0]) + abs(p[1] - f[1]) for f in s.fds)

    def mv(s, a):
        hd = s.bd[0]
        s.od = s.dst(hd)
        s.d = a
        p = (hd[0] + DR[a][0], hd[1] + DR[a][1])
        s.n += 1
        s.hg += 1
        tl = s.bd.pop()
        s.st.discard(tl)
        if not s.ok(p):
            s.ev = -1
            return True
        s.bd.appendleft(p)
        s.st.add(p)
        s.nd = s.dst(p)
        s.ev = 0
        if p in s.fds:
            s.ev = 1
            s.hg = 0
            s.fds.discard(p)
            s.bd.append(tl)
            s.st.add(tl)
            s.drp()
        if s.hg > HGR:
            s.ev = -2
            return True
        return s.n >= CAP

    def pts(s):
        if s.ev == -1:
            return -1.0
        if s.ev == -2:
            return -0.6
        r = 1.0 if s.ev == 1 else -0.005
        return r + 0.03 * ((s.nd < s.od) - (s.nd > s.od))

    def msk(s):
        k = np.ones(4, bool)
        k[(s.d + 2) % 4] = False
        return k

    def fl(s, p, mx=36):
        # how much room is there from p
        if not s.ok(p):
            return 0
        sn = {p}
        q = [p]
        while q and len(sn) < mx:
            r, c = q.pop()
            for dr, dc in DR:
                t = (r + dr, c + dc)
                if t not in sn and s.ok(t):
                    sn.add(t)
                    q.append(t)
        return len(sn)

    def vw(s):
        pl = np.zeros((NP, SZ, SZ), np.uint8)
        for p in s.st:
            pl[0][p] = 1
        for p in s.rk:
            pl[1][p] = 1
        for p in s.fds:
            pl[2][p] = 1
        r, c = s.bd[0]
        pl[3, r, c] = 1
        xv = np.zeros(NX, np.float32)
        for i, (dr, dc) in enumerate(DR):
            xv[i] = s.fl((r + dr, c + dc)) / 36
        xv[4 + s.d] = 1
        f = min(s.fds, key=lambda f: abs(f[0] - r) + abs(f[1] - c))
        xv[8] = (f[0] - r) / SZ
        xv[9] = (f[1] - c) / SZ
        xv[10] = s.hg / HGR
        xv[11] = len(s.bd) / 40
        return pl, xv
