"""Which environments belong together: spans of them, one per process, all with the same spaces."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from goldsplit.fast.vector.worker import Hello


def split_evenly(num_envs: int, parts: int) -> list[range]:
    """Runs of neighbouring environments, as even as can be."""
    bounds = np.linspace(0, num_envs, parts + 1).round().astype(int).tolist()
    return [range(low, high) for low, high in itertools.pairwise(bounds)]


def owners(spans: Sequence[range]) -> list[int]:
    """For each environment the number of its span."""
    return [worker for worker, span in enumerate(spans) for _ in span]


def check_alike(expected: Hello, found: Hello, index: int) -> None:
    """Environments in different processes must have the same spaces."""
    for what in ("observation_space", "action_space"):
        if getattr(found, what) != getattr(expected, what):
            raise ValueError(
                f"environment {index} has {what} {getattr(found, what)}, "
                f"but environment 0 has {getattr(expected, what)}"
            )
