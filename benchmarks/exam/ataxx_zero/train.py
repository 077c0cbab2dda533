import json
import os
from types import SimpleNamespace

import torch

from ataxxGame import AtaxxGame
from coach import Coach

args = SimpleNamespace(
    numSims=25, numEps=4, tempPlies=10, maxPlies=50, maxDepth=40, cpuct=1.2,
    lr=1e-3, epochs=2, batchSize=64, historyLen=20000,
    arenaGames=4, updateThreshold=0.55, folder="checkpoints",
    maxSeconds=float(os.environ.get("WILD_SECONDS", 20)),
)


def main():
    torch.set_num_threads(1)
    coach = Coach(AtaxxGame(5), args)
    coach.learn()

    tb = coach.tb
    stages = {
        "act.search": tb["search"], "act.predict": tb["predict"], "env.step": tb["rules"], "act": tb["choose"],
        "replay.add": tb["examples"], "replay.sample": tb["batching"], "learn.update": tb["training"],
        "eval": tb["arena"], "checkpoint": tb["saving"], "log": tb["printing"],
    }
    stages["other"] = coach.totalTime - sum(stages.values())
    for k, v in sorted(stages.items(), key=lambda kv: -kv[1]):
        print(f"  {k:14s} {v:7.2f}s {100 * v / coach.totalTime:5.1f}%")
    if os.environ.get("WILD_TRUTH"):
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump({"wall_seconds": coach.totalTime, "stages": stages, "env_steps": coach.numMoves,
                       "episodes": coach.numGames, "updates": coach.numUpdates}, f, indent=1)


if __name__ == "__main__":
    main()
