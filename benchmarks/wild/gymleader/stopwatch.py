import json
import os
from time import perf_counter_ns as _ns

LABELS = ["other", "env.observe", "env.mask", "env.reward", "act", "replay.add", "replay.sample",
          "learn.*", "log", None, "env.step", "env.opponent", "env.reset"]
AWAY = 9


class Watch:
    def __init__(self):
        self.sums = [0] * len(LABELS)
        self.away = []
        self.cur = 0
        self.began = self.t = _ns()

    def to(self, k):
        n = _ns()
        c = self.cur
        if c == AWAY:
            self.away.append((self.t, n))
        else:
            self.sums[c] += n - self.t
        self.t = n
        self.cur = k
        return c


class FarWatch:
    def __init__(self):
        self.spans = []

    def note(self, k, t0):
        self.spans.append((k, t0, _ns()))


here = Watch()
there = FarWatch()


def write_down(steps, episodes, updates):
    here.to(0)
    wall = here.t - here.began
    sums = here.sums
    spans = sorted(there.spans, key=lambda s: s[1])
    lost = 0
    j = 0
    for a, b in here.away:
        left = b - a
        while j < len(spans) and spans[j][2] <= a:
            j += 1
        i = j
        while i < len(spans) and spans[i][1] < b:
            k, s, e = spans[i]
            cut = min(b, e) - max(a, s)
            sums[k] += cut
            left -= cut
            i += 1
        lost += left
    stages = {LABELS[k]: v / 1e9 for k, v in enumerate(sums) if LABELS[k]}
    stages["vec.*"] = lost / 1e9
    path = os.environ.get("WILD_TRUTH")
    if path:
        with open(path, "w") as f:
            json.dump({"wall_seconds": wall / 1e9, "stages": stages, "env_steps": steps, "episodes": episodes,
                       "updates": updates,
                       "note": "Server coroutines run in a second thread; while the training thread waits in "
                               "future.result() the time goes to what the server thread noted for that time "
                               "(env.opponent: HouseTrainer choosing, env.step: resolving a turn and writing the request, "
                               "env.reset: opening a room); the rest of the waiting (event loop, hand-over between threads) is vec.*. "
                               "env.observe = reading the request + evaluating the feature expressions. "
                               "learn.* = forward, loss, backward, Adam, soft target."}, f, indent=1)
    return wall / 1e9, stages
