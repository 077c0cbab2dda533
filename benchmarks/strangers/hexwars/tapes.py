# main process' clock and the sorting-out of what the workers did while we waited for them
import time
from bisect import bisect_right
from collections import defaultdict
from functools import wraps

from stable_baselines3.common.vec_env import SubprocVecEnv

now = time.perf_counter


class MainClock:
    def __init__(self):
        self.on = False

    def go(self):
        self.on = True
        self.sec = defaultdict(float)
        self.waits = []
        self.stack = ["other"]
        self.t0 = self.last = now()

    def halt(self):
        self.t1 = now()
        self.sec[self.stack[-1]] += self.t1 - self.last
        self.on = False

    def enter(self, key):
        if self.on:
            t = now()
            self.sec[self.stack[-1]] += t - self.last
            self.stack.append(key)
            self.last = t

    def leave(self):
        if self.on:
            t = now()
            key = self.stack.pop()
            if key == "wait":
                self.waits.append((self.last, t))
            else:
                self.sec[key] += t - self.last
            self.last = t

    def patch(self, thing, method, key):
        """thing.method() counts as key from now on"""
        old = getattr(thing, method)

        @wraps(old)
        def timed(*a, **k):
            self.enter(key)
            try:
                return old(*a, **k)
            finally:
                self.leave()
        setattr(thing, method, timed)


clock = MainClock()


class TapeVec(SubprocVecEnv):
    def __init__(self, fns):
        super().__init__(fns)
        self.tapes = [[] for _ in fns]

    def step_async(self, actions):
        clock.enter("wait")     # the first worker already thinks while we write to the last
        super().step_async(actions)
        clock.leave()

    def step_wait(self):
        clock.enter("wait")
        res = super().step_wait()
        clock.leave()
        for tape, info in zip(self.tapes, res[3]):
            tape.extend(info.pop("tape"))
        return res

    def reset(self):
        clock.enter("wait")
        res = super().reset()
        clock.leave()
        return res

    def env_method(self, *a, **k):
        clock.enter("wait")
        res = super().env_method(*a, **k)
        clock.leave()
        return res


def sort_out(waits, tapes):
    """Divide our waiting: the worker which finished last says what we waited for, where it was idle the next
    one does, and where nobody computed it was the pipes."""
    sec = defaultdict(float)
    segs = []
    for tape in tapes:
        segs.append([(a, b, what) for (a, what), (b, _) in zip(tape, tape[1:]) if what])
    starts = [[s[0] for s in seg] for seg in segs]
    for w0, w1 in waits:
        mine = []
        for seg, st in zip(segs, starts):
            i = max(0, bisect_right(st, w0) - 1)
            lst = []
            while i < len(seg) and seg[i][0] < w1:
                a, b, what = seg[i]
                a, b = max(a, w0), min(b, w1)
                if b > a:
                    lst.append((a, b, what))
                i += 1
            if lst:
                mine.append(lst)
        mine.sort(key=lambda lst: -lst[-1][1])
        cuts = sorted({w0, w1, *(x for lst in mine for s in lst for x in s[:2])})
        for a, b in zip(cuts, cuts[1:]):
            m = (a + b) / 2
            for lst in mine:
                hit = next((what for s, e, what in lst if s <= m < e), None)
                if hit:
                    break
            else:
                hit = "vec.*"
            sec[hit] += b - a
    return sec
