import json
import os
from time import perf_counter

import torch

from apprentice import Apprentice
from chrono import clock

torch.set_num_threads(1)
torch.manual_seed(3)
HERE = os.path.dirname(os.path.abspath(__file__))

if __name__ == "__main__":
    bedtime = float(os.environ.get("WILD_SECONDS", "12"))
    kid = Apprentice()
    kid.ponder(kid.seen, kid.allowed())  # warm up

    clock.go()
    start = perf_counter()
    while True:
        kid.forage()
        kid.weigh()
        kid.chew()
        kid.jot()
        if kid.rounds % 5 == 0:
            kid.jot(f"serious games won: {kid.brag():.2f}")
        if kid.rounds % 8 == 0:
            kid.pickle_jar(os.path.join(HERE, "jar", "kid.pt"))
        if perf_counter() - start > bedtime:
            break
    W = clock.halt()

    if os.environ.get("WILD_TRUTH"):
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump({"wall_seconds": W, "stages": clock.sums, "env_steps": kid.moves,
                       "episodes": kid.games, "updates": kid.chews}, f)
