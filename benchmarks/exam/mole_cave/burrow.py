"""what runs in the other processes. letters over the pipe:
   to us:    ("dig", [m, m, ...])  |  ("surface",)
   from us:  ("ground", sniffs)    |  ("dirt", sniffs, pays, overs, last_sniffs, (from, till, {what: seconds}))
"""
from time import perf_counter

import numpy as np

from cave import Cave


def undermine(letters, caves, luck):
    moles = [Cave(luck * 1000 + i) for i in range(caves)]
    for m in moles:
        m.carve()
    letters.send(("ground", np.stack([m.sniff() for m in moles])))
    while True:
        letter = letters.recv()
        if letter[0] == "surface":
            letters.close()
            return
        letters.send(shovel(moles, letter[1]))


def shovel(moles, wishes):
    came = t = perf_counter()
    st = ob = rw = rs = 0.0
    sniffs, pays, overs, lasts = [], [], [], {}
    for i, (m, w) in enumerate(zip(moles, wishes)):
        over = m.dig(w)
        u = perf_counter(); st += u - t; t = u
        pays.append(m.pay())
        u = perf_counter(); rw += u - t; t = u
        s = m.sniff()
        u = perf_counter(); ob += u - t; t = u
        if over:
            lasts[i] = s
            m.carve()
            u = perf_counter(); rs += u - t; t = u
            s = m.sniff()
            u = perf_counter(); ob += u - t; t = u
        sniffs.append(s)
        overs.append(over)
    return ("dirt", np.stack(sniffs), np.array(pays, np.float32), np.array(overs), lasts,
            (came, perf_counter(), {"env.step": st, "env.reward": rw, "env.observe": ob, "env.reset": rs}))
