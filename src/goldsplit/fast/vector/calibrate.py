"""In process or in workers? Measured at start-up: what a step costs, and what its messages cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from goldsplit.fast.vector.sampling import legal_action
from goldsplit.fast.vector.sync import available_cores, pretend

PROBE_STEPS = 64
PROBE_SECONDS = 0.2
REHEARSALS = 25
REHEARSED_US = 2000.0  # no rehearsed vector step is longer than this
FASTEST_ROUND_TRIP_US = 10.0  # no two processes exchange a signal and an answer in less


@dataclass(frozen=True, slots=True)
class StepCost:
    """Mean cost of one environment step; the share that was computing tells waiting environments apart."""

    step_us: float
    cpu_share: float


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen and why; `workers` counts the processes that step, as the option of that name does."""

    backend: str
    workers: int
    reason: str
    step_us: float | None = None  # where it was measured
    cost: StepCost | None = None  # where it was rehearsed
    busy_cores: float | None = None  # by other programs, when it was rehearsed


def measure_steps(env: Any, observation: Any, info: dict[str, Any], mask_name: str | None) -> StepCost:
    """Step an environment that was just reset with legal random actions."""
    rng = np.random.default_rng(0)
    walls_ns: list[int] = []
    cpus_ns: list[int] = []
    end_ns = time.perf_counter_ns() + int(PROBE_SECONDS * 1e9)
    while len(walls_ns) < PROBE_STEPS and (len(walls_ns) < 2 or time.perf_counter_ns() < end_ns):
        action = legal_action(env, observation, info, mask_name, rng)
        start_ns, start_cpu_ns = time.perf_counter_ns(), time.process_time_ns()
        observation, _, terminated, truncated, info = env.step(action)
        cpus_ns.append(time.process_time_ns() - start_cpu_ns)
        walls_ns.append(time.perf_counter_ns() - start_ns)
        if terminated or truncated:
            observation, info = env.reset()
    step_us = max(0.0, typical_ns(walls_ns) / 1000.0 - _clock_cost_us())
    return StepCost(step_us, min(1.0, typical_ns(cpus_ns) / max(1.0, typical_ns(walls_ns))))


def typical_ns(samples_ns: list[int]) -> float:
    """The mean, for steps differ; without the first, which imports and compiles; nor led by one pause."""
    steady = samples_ns[1:] or samples_ns
    return float(min(np.mean(steady), 2.0 * np.median(steady)))


def _clock_cost_us() -> float:
    start_ns = time.perf_counter_ns()
    for _ in range(20):
        time.process_time_ns()
        time.process_time_ns()
    return (time.perf_counter_ns() - start_ns) / 20_000.0


def obvious_choice(cost: StepCost, num_envs: int, workers: int) -> Choice | None:
    """In process without starting any worker, where no worker could ever win."""
    total_us = num_envs * cost.step_us
    if total_us <= FASTEST_ROUND_TRIP_US:
        return Choice("inprocess", 0, "all steps cost less than one message", cost.step_us)
    if min(workers, available_cores()) == 1 and cost.cpu_share > 0.5:
        return Choice("inprocess", 0, "one core, and the environment computes", cost.step_us)
    return None


def best_kind(cost: StepCost, workers: int) -> str:
    """Which kind to rehearse against the caller's process alone.

    A caller that would only wait for computing environments steps some itself; where environments wait for
    something else, it is left free.
    """
    return "mixed" if cost.cpu_share > 0.5 and workers > 1 else "workers"


def choose(cost: StepCost, num_envs: int, rehearse: Callable[[int], None], kind: str, workers: int) -> Choice:
    """Rehearse vector steps on either side in turn, and compare the least disturbed of each.

    Not the median: what else the machine does while a run starts says little about the hours to come.
    `rehearse(step_ns)` lets the other kind take a step's time for every environment, without stepping any.
    """
    computes = cost.cpu_share > 0.5
    total_us = num_envs * cost.step_us
    scale = min(1.0, REHEARSED_US / total_us)  # a shorter step favours the caller's process: the safe side
    step_ns = round(cost.step_us * scale * 1000.0) * (1 if computes else -1)
    here_ns, there_ns = [], []
    for _ in range(REHEARSALS):
        start_ns = time.perf_counter_ns()
        pretend(num_envs * step_ns)
        middle_ns = time.perf_counter_ns()
        rehearse(step_ns)
        here_ns.append(middle_ns - start_ns)
        there_ns.append(time.perf_counter_ns() - middle_ns)
    here_us, there_us = min(here_ns) / 1000.0, min(there_ns) / 1000.0
    figures = f"a rehearsed vector step takes {here_us:.0f} us in process, {there_us:.0f} us with {kind}"
    if there_us < here_us:
        return Choice(kind, workers, figures, cost.step_us)
    return Choice("inprocess", 0, figures, cost.step_us)
