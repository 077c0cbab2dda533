"""Trials made by hand, and tools that run no process."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from goldsplit import pipeline
from goldsplit.analyse.profile import analyse
from goldsplit.experiment.calm import Reading
from goldsplit.experiment.engines.one_trial import Tools
from goldsplit.model.experiment.design import Plan, Variant
from goldsplit.model.experiment.trial import Outcome, Point, Trial, TrialStatus
from goldsplit.model.recording import Recording
from goldsplit.record.outside.launch import RecordOptions, RunEnd

NOTHING = Recording({}, [], [], [], [])


def a_plan(*names: str, **changes: Any) -> Plan:
    """A plan with a base and some variants."""
    variants = tuple(Variant(name) for name in ("base", *(names or ("fast",))))
    return Plan(**{"name": "t", "command": ("python", "train.py"), "variants": variants} | changes)


def a_trial(
    block: int, variant: str, seconds: float = 10.0, cpu: float | None = None, **changes: Any
) -> Trial:
    """A complete trial of 1000 env steps at an even speed, on one core where nothing else is said."""
    used = seconds if cpu is None else cpu
    curve = tuple(
        Point(seconds * part / 10, 100.0 * part, 10.0 * part, float(part), used * part / 10)
        for part in range(11)
    )
    fields = {
        "status": TrialStatus.COMPLETE,
        "run": f"{block}-{variant}",
        "curve": curve,
        "wall_seconds": seconds,
    }
    return Trial(block=block, variant=variant, position=0, seed=1 + block, **fields | changes)


def noisy_trials(plan: Plan, gains: dict[str, float], noise: float, seed: int = 0) -> list[Trial]:
    """One trial of each variant in each block; `noise` is the standard deviation of log seconds, of which CPU
    time feels a third."""
    draw = random.Random(seed)
    trials = []
    for block in range(plan.pairs):
        here = math.exp(draw.gauss(0, 0.3))  # what the machine does to the whole block
        for variant in plan.variants:
            gain = gains.get(variant.name, 1.0)
            seconds = 10 * here * math.exp(draw.gauss(0, noise)) / gain
            trials.append(
                a_trial(block, variant.name, seconds, 8 * math.exp(draw.gauss(0, noise / 3)) / gain)
            )
    return trials


def outcomes(name: str, wins: int, episodes: int) -> dict[str, Outcome]:
    return {name: Outcome(episodes, wins / episodes)}


class FakeWorld:
    """Runs nothing: each trial takes a time that depends on its variant; commands and options are kept."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.seconds = seconds
        self.time = 100.0
        self.commands: list[tuple[str, ...]] = []
        self.options: list[RecordOptions] = []
        self.fails: Callable[[str, int], int] = lambda variant, number: 0
        self.interrupt_at: int | None = None

    def record(
        self, command: tuple[str, ...], root: Path, name: str, options: RecordOptions, tick: object
    ) -> tuple[Path, RunEnd]:
        number = len(self.commands)
        self.commands.append(command)
        self.options.append(options)
        variant = name.split("-", 1)[1]
        took = self.seconds.get(variant, 1.0)
        started, self.time = self.time, self.time + took + 0.05
        code = self.fails(variant, number)
        assert options.output is not None
        options.output.write_text("one line\nTypeError: unhashable\n" if code else "fine\n")
        run_dir = root / name
        run_dir.mkdir(parents=True, exist_ok=True)
        status = "interrupted" if number == self.interrupt_at else "complete" if code == 0 else "crashed"
        return run_dir, RunEnd(
            code, status, None, int((started + took) * 1e9), (), started_ns=int(started * 1e9)
        )

    def measure(self, run_dir: Path) -> pipeline.Measured:
        seconds = self.seconds.get(run_dir.name.split("-", 1)[1], 1.0)
        return pipeline.Measured(analyse(NOTHING), list(a_trial(0, "x", seconds).curve), {"updates": 0.1})

    def tools(self) -> Tools:
        return Tools(
            record=self.record,
            measure=self.measure,
            machine=lambda: Reading(self.time, 0.0, 0.0, 1.0),
            clock=lambda: self.time,
            now=lambda: self.time,
            cores=2,
        )


@pytest.fixture
def world() -> FakeWorld:
    return FakeWorld({"base": 10.0, "fast": 5.0})


@pytest.fixture
def make() -> SimpleNamespace:
    """The functions above, for tests."""
    return SimpleNamespace(plan=a_plan, trial=a_trial, noisy=noisy_trials, outcomes=outcomes, world=FakeWorld)
