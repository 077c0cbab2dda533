"""Skirmish-DQN on a GPU: the graphed learner with its memory on the device against the same trainer, eager.

    python benchmarks/gpu_train.py [--rounds N] [--seconds S]

Both trainings live in one process and take turns; a ratio of env steps per second is taken round by round,
after the warm-up and the capture of the graphs. Exits with 1 where the bar is missed, with 2 without a GPU.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

import torch

import goldsplit.games  # noqa: F401 - registers the ids
from goldsplit.train.dqn import Dqn
from goldsplit.train.options import DqnOptions

BAR = 5.0
RESULTS = Path(__file__).parent / "results"
#: The same trainer: games, network, batch and update ratio are equal.
COMMON = {"game": "skirmish", "envs": 64, "device": "cuda", "warmup": 2_000, "updates_per_step": 1.0}
SIDES = {
    "eager learner, memory on the host": DqnOptions(**COMMON, graph=False, device_replay=False),
    "graphed learner, memory on the device": DqnOptions(**COMMON),
}


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
    given = parser.parse_args()
    if not torch.cuda.is_available():
        print("gpu_train: torch sees no GPU here, so there is nothing to compare", file=sys.stderr)
        return 2
    trainers = {name: Dqn(options) for name, options in SIDES.items()}
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
