"""So many computing threads for torch and the math libraries, in each process.

## What it changes

`threads:N` sets `OMP_NUM_THREADS`, `MKL_NUM_THREADS`, `OPENBLAS_NUM_THREADS`, `NUMBA_NUM_THREADS` and
`VECLIB_MAXIMUM_THREADS` to N before the program starts, and `torch.set_num_threads(N)` when torch is
imported. If the program calls `torch.set_num_threads` itself, it gets N all the same, and the report says
so. `threads:N,workers=M` gives M threads to the Python processes that the program starts, by whatever
method, and the report counts these processes.

## When it helps

Small networks gain nothing from several threads, and threads that wait for each other cost much where
other processes want the cores too. The rule
[thread-oversubscription](../rules/thread-oversubscription.md) says how much.

## For good

`OMP_NUM_THREADS=1 python train.py`, or `torch.set_num_threads(1)` in the trainer and in each worker.

## When not

Large networks and large batches on a machine with free cores. In a forked worker only torch's number can
still be changed, and that of libraries that the worker imports itself: the others have been loaded with the
trainer's.
"""

from __future__ import annotations

import functools
import os
import sys
from types import ModuleType
from typing import Any

from goldsplit.model.overlays.overlay import THREAD_VARIABLES
from goldsplit.model.overlays.written import options_of
from goldsplit.model.wire import Variable
from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.overlays.changes import Changes
from goldsplit.record.inside.own_failures import safely

WORKERS = "started processes with a number of their own"
_HELPERS = ("forkserver", "resource_tracker")


def install(changes: Changes, argument: str) -> None:
    """Set the numbers in this process, and wait for torch."""
    head, options = options_of(argument)
    number = int(head)
    workers = options.get("workers", number)
    is_first = os.environ.get(Variable.FIRST_PROCESS) == str(os.getpid())
    chosen = [number if is_first else workers]
    if workers != number:
        if not is_first:
            _as_worker(workers)
            if not is_helper(sys.orig_argv):
                changes.count(WORKERS)
        os.register_at_fork(after_in_child=safely(functools.partial(_in_child, changes, chosen, workers)))
    when_imported("torch", functools.partial(_change, changes, chosen))


def is_helper(command: list[str]) -> bool:
    """Whether a process is one that multiprocessing starts for itself; it computes nothing."""
    return any(f"from multiprocessing.{name} import main" in part for part in command for name in _HELPERS)


def _as_worker(workers: int) -> None:
    """Libraries that this process has still to import read these variables."""
    for name in THREAD_VARIABLES:
        os.environ[name] = str(workers)


def _change(changes: Changes, chosen: list[int], torch: ModuleType) -> None:
    real = torch.set_num_threads
    if torch.get_num_threads() != chosen[0]:
        changes.count(f"torch told to use {_threads(chosen[0])}")
    real(chosen[0])

    @functools.wraps(real)
    def set_num_threads(int: int) -> None:
        if int != chosen[0]:
            changes.count(f"torch.set_num_threads({int}) of the program overridden")
        real(chosen[0])

    _REAL.append(real)
    torch.set_num_threads = set_num_threads  # type: ignore[attr-defined]


def _in_child(changes: Changes, chosen: list[int], workers: int) -> None:
    """A forked worker: of what is loaded already, only torch can still be told."""
    chosen[0] = workers
    _as_worker(workers)
    changes.count(WORKERS)
    if "torch" in sys.modules and _REAL:
        if sys.modules["torch"].get_num_threads() != workers:
            changes.count(f"torch told to use {_threads(workers)}")
        _REAL[-1](workers)


def _threads(number: int) -> str:
    return "1 thread" if number == 1 else f"{number} threads"


_REAL: list[Any] = []
"""torch's own function."""
