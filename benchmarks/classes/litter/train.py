"""Cats evolve: a genetic algorithm, the litter is tried out by a ProcessPoolExecutor."""
import json, os, time
os.environ["OMP_NUM_THREADS"] = "1"; os.environ["OPENBLAS_NUM_THREADS"] = "1"
from concurrent.futures import ProcessPoolExecutor
import numpy as np
from alley import tryout, GENES


class Breeder:
    def __init__(self, size, rng):
        self.rng = rng
        self.cats = rng.normal(0, .5, (size, GENES))

    def couple(self, fit):
        order = np.argsort(fit)[::-1]
        best = self.cats[order[: len(order) // 4]]
        kids = []
        while len(kids) < len(self.cats) - len(best):
            a, b = best[self.rng.integers(len(best))], best[self.rng.integers(len(best))]
            pick = self.rng.random(GENES) < .5
            kid = np.where(pick, a, b) + self.rng.normal(0, .05, GENES)
            kids.append(kid)
        self.cats = np.concatenate([best, kids])


def main():
    limit, t = float(os.environ.get("WILD_SECONDS", 20)), time.perf_counter
    rng = np.random.default_rng(0)
    farm = Breeder(24, rng)
    c = {"pool": 0.0, "learn.breed": 0.0}
    w = {"env.reset": 0.0, "env.observe": 0.0, "act": 0.0, "env.step": 0.0, "whole": 0.0}
    n = lives = 0
    with ProcessPoolExecutor(max_workers=2) as pool:
        list(pool.map(abs, [1, 2, 3]))
        begin = t()
        while t() - begin < limit:
            a = t()
            res = list(pool.map(tryout, farm.cats, range(len(farm.cats)), chunksize=3))
            b = t()
            farm.couple(np.array([r[0] for r in res]))
            c["pool"] += b - a
            c["learn.breed"] += t() - b
            for score, steps, clocks in res:
                n += steps
                lives += 1
                for k, v in clocks.items():
                    w[k] += v
        wall = t() - begin
    stages = {k: c["pool"] * w[k] / w["whole"] for k in w if k != "whole"}
    stages["vec.rest"] = c["pool"] - sum(stages.values())
    stages["learn.breed"] = c["learn.breed"]
    stages["other"] = wall - sum(stages.values())
    json.dump({"wall_seconds": wall, "stages": stages, "env_steps": n, "episodes": lives}, open(os.environ["WILD_TRUTH"], "w"))


if __name__ == "__main__":
    main()
