"""Who was the main process waiting for?

After the run I go through each generation's wait [a, b]: the worker that finished last owns the time while it worked,
else any other worker that worked, and if nobody did it is vec.wait.
"""
import numpy as np
from pilot import STAGES


def _claim(free, spans):
    """cut every span out of the free pieces. both sorted. -> (remaining free pieces, {stage code: seconds})"""
    got = {}
    left = []
    j = 0
    n = len(spans)
    for a, b in free:
        while j < n and spans[j][2] <= a:
            j += 1
        pos, k = a, j
        while k < n and spans[k][1] < b:
            s, e = max(spans[k][1], pos), min(spans[k][2], b)
            if e > s:
                if s > pos:
                    left.append((pos, s))
                c = int(spans[k][0])
                got[c] = got.get(c, 0.0) + e - s
                pos = e
            k += 1
        if pos < b:
            left.append((pos, b))
    return left, got


def settle_wait(a, b, by_pid, clock):
    free = [(a, b)]
    rows = []
    for spans in by_pid.values():
        s = np.concatenate(spans)
        rows.append(s[np.argsort(s[:, 1], kind="stable")])
    rows.sort(key=lambda s: -s[-1, 2])          # last to finish first
    for s in rows:
        free, got = _claim(free, s.tolist())
        for c, sec in got.items():
            clock[STAGES[c]] = clock.get(STAGES[c], 0.0) + sec
    clock["vec.wait"] = clock.get("vec.wait", 0.0) + sum(y - x for x, y in free)
