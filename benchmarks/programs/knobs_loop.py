"""What the knob programs share: knobs, a loop of a given length, and work that computes or waits."""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

from clocks import spin


def knobs(description: str, **defaults: Any) -> argparse.Namespace:
    """Command-line knobs, each with its default, and the length of the loop."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--seconds", type=float, default=3.0)
    for name, default in defaults.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default)
    return parser.parse_args()


def work(cost_us: float, busy: float) -> None:
    """Compute for a part of the time (a fixed number of turns), wait for a device or server for the rest."""
    if busy > 0.0:
        spin(busy * cost_us)
    if busy < 1.0:
        time.sleep((1.0 - busy) * cost_us / 1e6)


def warm_up_torch() -> None:
    """The first optimizer step imports modules for about a second: not part of the training loop."""
    import torch

    torch.set_num_threads(1)
    weight = torch.nn.Parameter(torch.zeros(1))
    weight.sum().backward()
    torch.optim.Adam([weight]).step()


class Speed:
    """Notes when each turn began, by the clock that all processes of a machine share.

    Whoever runs the program may stop and continue it meanwhile, and knows which instants count.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.turns: list[float] = []
        self.steps = 0
        self.begun = os.environ.get("KNOBS_BEGUN", "")

    def going_on(self, steps: int) -> bool:
        """Call before each turn, with the env steps that a turn makes."""
        now = time.perf_counter()
        if not self.turns and self.begun:
            Path(self.begun).touch()
        self.steps = steps
        self.turns.append(now)
        if self.begun:  # ceilings.py stops and continues us, and then also says when to end
            return os.path.exists(self.begun)  # noqa: PTH110 - once per turn
        return now - self.turns[0] < self.seconds

    def tell(self) -> None:
        told = json.dumps({"env_steps_per_turn": self.steps, "turns": [round(t, 6) for t in self.turns]})
        if os.environ.get("KNOBS_OUT"):
            Path(os.environ["KNOBS_OUT"]).write_text(told)
        elapsed = self.turns[-1] - self.turns[0]
        print(f"{self.steps * (len(self.turns) - 1) / elapsed:.1f} env steps/s")
