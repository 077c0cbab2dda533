"""Like the bundled demo: a game in worker processes, masked PPO in the driver, each waiting for the
other."""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from clocks import Truth, program_arguments
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import SubprocVecEnv

sys.path.append(str(Path(__file__).resolve().parents[2] / "examples"))
from train_hexfight import HexFight

WORKERS = 2


class Until(BaseCallback):  # type: ignore[misc]
    def __init__(self, truth: Truth) -> None:
        super().__init__()
        self.truth = truth

    def _on_rollout_start(self) -> None:
        if not self.num_timesteps:
            self.truth.keep_going()  # start-up ends here

    def _on_step(self) -> bool:
        return self.truth.keep_going()


def main() -> None:
    args = program_arguments("masked PPO with worker processes").parse_args()
    torch.set_num_threads(1)
    envs = SubprocVecEnv([lambda i=i: HexFight(i) for i in range(WORKERS)])
    until = Until(Truth("deep_workers", args.seconds, args.steps))
    sizes = {"n_steps": 32, "batch_size": 64, "n_epochs": 4}
    model = MaskablePPO("MlpPolicy", envs, **sizes, seed=args.seed, device="cpu")
    model.learn(10**9, callback=until)
    envs.close()


if __name__ == "__main__":
    main()
