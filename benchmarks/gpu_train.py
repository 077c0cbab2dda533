"""Skirmish-DQN on a GPU: the graphed learner with its memory on the device against the same trainer, eager.

    python benchmarks/gpu_train.py [--rounds N] [--seconds S] [--envs N] [--updates-per-step N]

Games and update ratio are those of the profile `speed` unless given. Both trainings live in one process and
take turns; a ratio of env steps per second is taken round by round, after the warm-up and the capture of the
graphs. Exits with 1 where the bar is missed, with 2 without a GPU.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path

import torch

import goldsplit.games  # noqa: F401 - registers the ids
from goldsplit.train.dqn import Dqn
from goldsplit.train.options import DqnOptions

BAR = 5.0
RESULTS = Path(__file__).parent / "results"


def sides(envs: int, updates_per_step: float) -> dict[str, DqnOptions]:
    """The same trainer: games, network, batch and update ratio are equal."""
    graphed = DqnOptions(game="skirmish", device="cuda", envs=envs, updates_per_step=updates_per_step)
    eager = replace(graphed, graph=False, device_replay=False)
    return {"eager learner, memory on the host": eager, "graphed learner, memory on the device": graphed}


def speed(trainer: Dqn, seconds: float) -> float:
    """Env steps per second; the device is done when the clock stops."""
    before, begun = trainer.steps, time.perf_counter()
    while time.perf_counter() - begun < seconds:
        trainer.iterate()
    torch.cuda.synchronize()
    return (trainer.steps - before) / (time.perf_counter() - begun)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--envs", type=int, default=128)
    parser.add_argument("--updates-per-step", type=float, default=8.0)
    given = parser.parse_args()
    if not torch.cuda.is_available():
        print("gpu_train: torch sees no GPU here, so there is nothing to compare", file=sys.stderr)
        return 2
    wanted = sides(given.envs, given.updates_per_step)
    trainers = {name: Dqn(options) for name, options in wanted.items()}
    for name, trainer in trainers.items():
        while trainer.updates < 200:
            trainer.iterate()
        print(f"{name}: {trainer.learner.mode}", flush=True)
    seen: dict[str, list[float]] = {name: [] for name in trainers}
    for turn in range(given.rounds):
        for name in list(trainers) if turn % 2 else list(trainers)[::-1]:
            seen[name].append(speed(trainers[name], given.seconds))
    slow, fast = seen.values()
    ratios = sorted(b / a for a, b in zip(slow, fast, strict=True))
    median, low, high = statistics.median(ratios), ratios[len(ratios) // 4], ratios[-1 - len(ratios) // 4]
    for name, speeds in seen.items():
        print(f"{name:<40}{statistics.median(speeds):>12,.0f} env steps/s")
    print(f"{median:.2f}x [{low:.2f}-{high:.2f}]  bar {BAR:g}x: {'met' if median >= BAR else 'MISSED'}")
    RESULTS.mkdir(exist_ok=True)
    found = {
        "device": torch.cuda.get_device_name(),
        "speeds": seen,
        "ratio": median,
        "low": low,
        "high": high,
    }
    (RESULTS / "gpu_train.json").write_text(json.dumps(found, indent=1) + "\n")
    return 0 if median >= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
