"""Random numbers start from a seed, where the program itself gives none.

## What it changes

In every process `random`, `numpy.random` and `torch` are seeded with N as soon as they are there.
`numpy.random.default_rng()` and Gymnasium's environments and spaces, which draw a seed from the machine if
they get none, get N and a number that counts up instead. What the program seeds itself comes later, and so
it is as the program wants it.

## When it helps

To compare the play of two runs of a program that is not seeded: `goldsplit try` uses it for that alone, not
for the trials that are timed.

## For good

Seed the program yourself: `random.seed(seed)`, `numpy.random.seed(seed)`, `torch.manual_seed(seed)`,
`env.reset(seed=seed)`.

## When not

For a training that counts: worker processes get the same numbers. What draws from the machine in another
way (`random.Random()`, `os.urandom`, the clock) stays as it is.
"""

from __future__ import annotations

import functools
import itertools
import random
from types import ModuleType
from typing import Any

from goldsplit.record.inside.after_import import when_imported
from goldsplit.record.inside.overlays.changes import Changes


def install(changes: Changes, argument: str) -> None:
    """Seed what is there, and wait for the rest."""
    seed = int(argument)
    random.seed(seed)
    changes.count("random seeded")
    numbers = itertools.count(seed)
    when_imported("numpy.random", functools.partial(_seed_numpy, changes, seed, numbers))
    when_imported("gymnasium.utils.seeding", functools.partial(_seed_gymnasium, changes, numbers))
    when_imported("torch", functools.partial(_seed_torch, changes, seed))


def _seed_numpy(changes: Changes, seed: int, numbers: itertools.count[int], module: ModuleType) -> None:
    module.seed(seed % 2**32)
    changes.count("numpy seeded")
    module.default_rng = _seeded(module.default_rng, numbers, changes)  # type: ignore[attr-defined]


def _seed_gymnasium(changes: Changes, numbers: itertools.count[int], module: ModuleType) -> None:
    module.np_random = _seeded(module.np_random, numbers, changes)  # type: ignore[attr-defined]


def _seed_torch(changes: Changes, seed: int, module: ModuleType) -> None:
    module.manual_seed(seed)
    changes.count("torch seeded")


def _seeded(make: Any, numbers: itertools.count[int], changes: Changes) -> Any:
    """A function that makes a generator from a seed: without one it gets the next number."""

    @functools.wraps(make)
    def made(seed: Any = None) -> Any:
        if seed is None:
            changes.count("generators without a seed seeded")
            seed = next(numbers)
        return make(seed)

    return made
