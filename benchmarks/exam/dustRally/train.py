import json
import os

import torch as th
from stable_baselines3.common.vec_env import DummyVecEnv

from agent import Buf, Eyes, RallyDQN
from cbs import Progress, TrialLap, TimeUp
from clk import clk
from rallyEnv import RallyEnv
from wraps import DustNoise, HoldAct, Stack

N_CARS = 4
SECS = float(os.environ.get("WILD_SECONDS", 20))


def mk(i, noisy=True):
    def f():
        e = RallyEnv(seed=100 + i)
        if noisy:
            e = DustNoise(e, seed=i)
        return HoldAct(e)
    return f


if __name__ == "__main__":
    th.set_num_threads(1)
    venv = Stack(DummyVecEnv([mk(i) for i in range(N_CARS)]), 4, channels_order="first")
    tenv = Stack(DummyVecEnv([mk(99, noisy=False)]), 4, channels_order="first")
    model = RallyDQN(
        "CnnPolicy", venv, learning_rate=3e-4, buffer_size=16000, learning_starts=400, batch_size=32,
        train_freq=(2, "step"), gradient_steps=1, target_update_interval=1000, gamma=0.98,
        exploration_fraction=0.02, exploration_final_eps=0.05, replay_buffer_class=Buf,
        policy_kwargs=dict(features_extractor_class=Eyes, net_arch=[64]), seed=5)
    prog = Progress()
    cbs = [prog, TrialLap(tenv), TimeUp(SECS)]

    clk.start()
    model.learn(1_000_000, callback=cbs, log_interval=50)
    clk.stop()

    model.save("out/final")
    print(f"done: {model.num_timesteps} steps, {prog.eps} runs, {clk.wall:.1f}s")
    for k, v in sorted(clk.tot.items(), key=lambda kv: -kv[1]):
        if v > 0:
            print(f"  {k:<15}{v:7.2f}s {100 * v / clk.wall:5.1f}%")
    out = os.environ.get("WILD_TRUTH")
    if out:
        json.dump({"wall_seconds": clk.wall, "stages": {k: v for k, v in clk.tot.items() if v > 0},
                   "env_steps": model.num_timesteps, "episodes": prog.eps, "updates": model._n_updates},
                  open(out, "w"), indent=2)
