import json
import os

import torch

from coach import Coach
from flotilla import Admiral, Flotilla
from netBits import HelmPolicy, Locker, SonarEars
from seaGame import SeaGame
from ticker import ticker

nBoats = 3


def launch(i):
    def go():
        return SeaGame(seed=100 + i)
    return go


def trainAdmiral():
    torch.set_num_threads(1)
    here = os.path.dirname(os.path.abspath(__file__))
    outDir = os.path.join(here, "out")
    os.makedirs(outDir, exist_ok=True)
    fleet = Flotilla([launch(i) for i in range(nBoats)])
    model = Admiral(HelmPolicy, fleet, n_steps=128, batch_size=64, n_epochs=5, learning_rate=3e-4, gamma=0.985,
                    gae_lambda=0.93, ent_coef=0.01, rollout_buffer_class=Locker, device="cpu", seed=4, verbose=0,
                    policy_kwargs=dict(features_extractor_class=SonarEars,
                                       features_extractor_kwargs=dict(outDim=96),
                                       net_arch=dict(pi=[64], vf=[64])))
    coach = Coach(float(os.environ.get("WILD_SECONDS", "60")), outDir)
    ticker.begin()
    model.learn(total_timesteps=10 ** 9, callback=coach, log_interval=None)
    wall = ticker.end()
    fleet.close()
    where = os.environ.get("WILD_TRUTH")
    if where:
        with open(where, "w") as f:
            json.dump({"wall_seconds": wall, "stages": ticker.total, "env_steps": int(model.num_timesteps),
                       "episodes": coach.nTales, "updates": ticker.nGrad}, f, indent=1)


if __name__ == "__main__":
    trainAdmiral()
