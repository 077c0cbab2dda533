import json
import os
from time import perf_counter_ns as ns

N = ["other", "env.reset", "env.step", "env.observe", "act", "learn.*", "eval", "log", "env.reward", "checkpoint"]
S = [0] * len(N)
C = [0, 0, 0, False]


def sw(k):
    n = ns()
    o = C[0]
    if C[3]:
        k = 6
    S[o] += n - C[1]
    C[0] = k
    C[1] = n
    return o


def go():
    S[:] = [0] * len(N)
    C[:] = [0, ns(), ns(), False]


def fin(stp, eps, gens):
    sw(0)
    w = (C[1] - C[2]) / 1e9
    st = {k: v / 1e9 for k, v in zip(N, S)}
    if os.environ.get("WILD_TRUTH"):
        json.dump({"wall_seconds": w, "stages": st, "env_steps": stp, "episodes": eps, "updates": gens,
                   "note": "gradient-free; updates = generations; env_steps = game steps (all four tanks move in one step); act = numpy forward of "
                           "both players (two tanks each; one of them is sometimes the scripted bot) + decoding; env.reward = fitness of a finished game; learn.* = selection, crossover, "
                           "mutation; eval = games of the champion against the scripted bot (everything inside)"},
                  open(os.environ["WILD_TRUTH"], "w"), indent=1)
    print(f"{w:.1f}s", {k: f"{100 * v / w:.1f}%" for k, v in st.items()})
