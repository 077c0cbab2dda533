"""The bundled demo's kind: a game in worker processes, masked PPO in the driver, each waiting for the other.

    python deep_workers.py SECONDS

Prints its steps and the CPU seconds of all its processes as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import SubprocVecEnv

sys.path.append(str(Path(__file__).resolve().parents[2] / "examples"))
from train_hexfight import HexFight

WORKERS = 2


class Until(BaseCallback):  # type: ignore[misc]
    """Training for so many seconds, with the CPU time of the driver and its workers meanwhile."""

    def __init__(self, seconds: float, pids: list[int]) -> None:
        super().__init__()
        self.seconds = seconds
        self.pids = pids

    def cpu_seconds(self) -> float:
        ticks = 0
        for pid in self.pids:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])  # user and system
        return ticks / os.sysconf("SC_CLK_TCK")

    def _on_training_start(self) -> None:
        self.end, self.before = time.monotonic() + self.seconds, self.cpu_seconds()

    def _on_step(self) -> bool:
        return time.monotonic() < self.end


def main(seconds: float) -> None:
    torch.set_num_threads(1)
    envs = SubprocVecEnv([lambda i=i: HexFight(i) for i in range(WORKERS)])
    until = Until(seconds, [os.getpid(), *(process.pid for process in envs.processes)])
    model = MaskablePPO("MlpPolicy", envs, n_steps=128, batch_size=128, n_epochs=4, seed=0, device="cpu")
    model.learn(10**9, callback=until)
    print(json.dumps({"steps": model.num_timesteps, "cpu": until.cpu_seconds() - until.before}))
    envs.close()


if __name__ == "__main__":
    main(float(sys.argv[1]))
