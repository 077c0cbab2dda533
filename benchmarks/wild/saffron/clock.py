import json
import os
from time import perf_counter_ns as now

KEYS = ["other", "env.reset", "env.step", "env.mask", "env.reward", "env.observe", "act", "learn.*", "log"]
book = [0] * len(KEYS)
hand = [0, 0, 0]


def tick(key):
    t = now()
    last = hand[0]
    book[last] += t - hand[1]
    hand[0] = key
    hand[1] = t
    return last


def zero():
    book[:] = [0] * len(KEYS)
    hand[:] = [0, now(), 0]
    hand[2] = hand[1]


def save(steps, games, fits):
    tick(0)
    wall = (hand[1] - hand[2]) / 1e9
    parts = {k: v / 1e9 for k, v in zip(KEYS, book)}
    path = os.environ.get("WILD_TRUTH")
    if path:
        with open(path, "w") as file:
            json.dump({"wall_seconds": wall, "stages": parts, "env_steps": steps, "episodes": games, "updates": fits,
                       "note": "env.reset = start, incl. parsing the whole YAML text at every episode; env.step = turn with the eval of its rule "
                               "expressions; env.mask = allowed; env.reward = score; env.observe = gather; act = think; learn.* = fit "
                               "(one Q-learning step of a numpy network per turn: forward, target, gradient); updates = calls of fit"}, file, indent=1)
    return wall, parts
