"""From what the user asked for to a backend that is ready to step."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from gymnasium.vector import AutoresetMode

from goldsplit.fast.vector.calibrate import Choice, StepCost, best_kind, choose, obvious_choice
from goldsplit.fast.vector.group import StepRules
from goldsplit.fast.vector.infos import InfoPolicy
from goldsplit.fast.vector.inprocess import InProcess
from goldsplit.fast.vector.memory import BufferSpec
from goldsplit.fast.vector.mixed import Mixed
from goldsplit.fast.vector.pool import WorkerPool
from goldsplit.fast.vector.probe import Probe, probe
from goldsplit.fast.vector.sampling import mask_size
from goldsplit.fast.vector.shares import split_evenly
from goldsplit.fast.vector.sync import available_cores, busy_cores, default_spin_us

Backend = InProcess | WorkerPool | Mixed
Opened = TypeVar("Opened", InProcess, WorkerPool, Mixed)
BACKENDS = ("auto", "mixed", "workers", "inprocess")


@dataclass(frozen=True, slots=True)
class Plan:
    """What the user asked for, checked."""

    env_fns: Sequence[Callable[[], Any]]
    workers: int | None
    context: str | None
    spin_us: float | None
    autoreset: AutoresetMode
    policy: InfoPolicy
    info_fields: Mapping[str, tuple[tuple[int, ...], np.dtype[Any]]]
    mask: str | None

    @property
    def worker_count(self) -> int:
        """Processes that step: one per core unless the user said otherwise; never more than environments."""
        return min(len(self.env_fns), available_cores() if self.workers is None else self.workers)

    def spin_limit_us(self, processes: int) -> float:
        """How long a waiting process, of so many, spins before it sleeps."""
        return default_spin_us(processes) if self.spin_us is None else self.spin_us


def open_backend(plan: Plan, backend: str) -> tuple[Backend, Choice]:
    """Start what was asked for, or what is faster."""
    if not plan.env_fns:
        raise ValueError("env_fns is empty: a vector environment needs at least one environment")
    if plan.workers is not None and plan.workers < 1:
        raise ValueError(f'workers={plan.workers} must be at least 1\nhint: backend="inprocess" needs none')
    if backend not in BACKENDS:
        raise ValueError(f"backend={backend!r} is unknown\nhint: one of {', '.join(map(repr, BACKENDS))}")
    if backend == "inprocess":
        return _open_inprocess(plan), Choice("inprocess", 0, "asked for")
    if backend == "workers":
        return _open_pool(plan), Choice("workers", plan.worker_count, "asked for")
    if backend == "mixed" and plan.worker_count == 1:
        return _open_inprocess(plan), Choice("inprocess", 0, "mixed, and the caller is the only process")
    if backend == "mixed":
        return _open_mixed(plan), Choice("mixed", plan.worker_count, "asked for")
    return _open_faster(plan)


def _open_faster(plan: Plan) -> tuple[Backend, Choice]:
    if multiprocessing.current_process().daemon:
        return _open_inprocess(plan), Choice("inprocess", 0, "a daemonic process may not start others")
    seen = probe(plan.env_fns, plan.mask, plan.context)
    if seen.cost is None or seen.doubt:
        return _open_doubtful(plan, seen)
    choice = obvious_choice(seen.cost, len(plan.env_fns), plan.worker_count)
    if choice is not None:
        return _open_inprocess(plan), choice
    return _open_rehearsed(plan, seen.cost)


def _open_doubtful(plan: Plan, seen: Probe) -> tuple[Backend, Choice]:
    """As SubprocVecEnv: none in the caller's process, and one each unless several were seen to work."""
    if plan.workers is None and not seen.together:
        plan = replace(plan, workers=len(plan.env_fns))
    step_us = seen.cost.step_us if seen.cost else None
    return _open_pool(plan), Choice("workers", plan.worker_count, seen.doubt, step_us)


def _open_rehearsed(plan: Plan, cost: StepCost) -> tuple[Backend, Choice]:
    num_envs, workers = len(plan.env_fns), plan.worker_count
    kind = best_kind(cost, workers)
    there = _open_mixed(plan) if kind == "mixed" else _open_pool(plan)
    busy = busy_cores()
    choice = replace(choose(cost, num_envs, there.rehearse, kind, workers), busy_cores=busy, cost=cost)
    if choice.backend == kind:
        return there, choice
    there.close()
    return _open_inprocess(plan), choice


def reconsidered(plan: Plan, backend: Backend, choice: Choice) -> tuple[Backend, Choice]:
    """Rehearse again if other programs came or went since; only while no environment was used yet."""
    if choice.busy_cores is None or choice.cost is None:
        return backend, choice
    if abs(busy_cores() - choice.busy_cores) < available_cores() / 2:
        return backend, choice
    backend.close()
    return _open_rehearsed(plan, choice.cost)


def _open_inprocess(plan: Plan) -> InProcess:
    return _ready(InProcess(plan.env_fns), plan, workers=1)


def _open_pool(plan: Plan) -> WorkerPool:
    workers = plan.worker_count
    spans = split_evenly(len(plan.env_fns), workers)
    spin_us = plan.spin_limit_us(workers + 1)
    return _ready(WorkerPool(plan.env_fns, spans, plan.context, spin_us), plan, workers)


def _open_mixed(plan: Plan) -> Mixed:
    workers = plan.worker_count
    spans = split_evenly(len(plan.env_fns), workers)
    spin_us = plan.spin_limit_us(workers)
    return _ready(Mixed(plan.env_fns, spans, plan.context, spin_us), plan, workers)


def _ready(backend: Opened, plan: Plan, workers: int) -> Opened:
    """Lay out the memory for the spaces that the environments turned out to have."""
    try:
        hello = backend.hello
        spec = BufferSpec(
            hello.observation_space,
            hello.action_space,
            len(plan.env_fns),
            workers,
            plan.autoreset is AutoresetMode.SAME_STEP,
            mask_size(hello.action_space) if plan.mask else 0,
            plan.info_fields,
        )
        backend.set_up(spec, StepRules(plan.autoreset, plan.policy, plan.mask))
    except BaseException:
        backend.terminate()
        raise
    return backend
