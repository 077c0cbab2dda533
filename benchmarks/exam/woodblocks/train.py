"""Train MaskablePPO on my wood block puzzle with two worker processes."""
import json
import os
import time

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.monitor import Monitor

from clocks import ClockCallback, ClockedSubprocVecEnv, Clocks
from wood_env import WoodBlocksEnv

WORKERS = 2
SECONDS = float(os.environ.get("WILD_SECONDS", 20))


def make_env():
    return Monitor(WoodBlocksEnv())


def main():
    torch.set_num_threads(1)
    clocks = Clocks()
    env = ClockedSubprocVecEnv([make_env for _ in range(WORKERS)], clocks)
    model = MaskablePPO("MlpPolicy", env, n_steps=128, batch_size=64, n_epochs=4, learning_rate=3e-4, gamma=0.98, ent_coef=0.01,
                        policy_kwargs=dict(net_arch=[256, 256]), verbose=1, device="cpu")
    started = time.perf_counter()
    callback = ClockCallback(clocks, SECONDS, started)
    model.learn(total_timesteps=10_000_000, callback=callback)
    wall = time.perf_counter() - started
    env.close()

    stages = dict(clocks.seconds)
    stages["other"] = wall - sum(stages.values())
    for name, s in sorted(stages.items(), key=lambda x: -x[1]):
        print(f"{name:16s}{s:9.3f}{100 * s / wall:7.1f} %")
    if os.environ.get("WILD_TRUTH"):
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump({"wall_seconds": wall, "stages": stages, "env_steps": callback.steps, "episodes": callback.games,
                       "updates": callback.updates}, f, indent=2)


if __name__ == "__main__":
    main()
