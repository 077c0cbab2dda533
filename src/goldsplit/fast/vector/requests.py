"""What the caller asks for, checked and spelt out for each environment."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goldsplit.fast.vector.group import ResetRequest

Seeds = int | Sequence[int | None] | None


def plan_reset(seed: Seeds, options: dict[str, Any] | None, num_envs: int) -> ResetRequest:
    """Seeds `seed, seed + 1, …` by environment, never by worker; `options["reset_mask"]` as in Gymnasium."""
    seeds: list[int | None]
    if seed is None:
        seeds = [None] * num_envs
    elif isinstance(seed, (int, np.integer)):
        seeds = [int(seed) + index for index in range(num_envs)]
    else:
        seeds = list(seed)
    if len(seeds) != num_envs:
        raise ValueError(f"seed has {len(seeds)} entries for {num_envs} environments")
    chosen = [True] * num_envs
    if options is not None and "reset_mask" in options:
        chosen = _checked_mask(options["reset_mask"], num_envs).tolist()
        options = {key: value for key, value in options.items() if key != "reset_mask"}
    return ResetRequest(seeds, [options] * num_envs, chosen)


def _checked_mask(mask: Any, num_envs: int) -> NDArray[np.bool_]:
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (num_envs,):
        found = (
            f"{mask.dtype} array of shape {mask.shape}"
            if isinstance(mask, np.ndarray)
            else type(mask).__name__
        )
        raise ValueError(f"options['reset_mask'] must be a bool array of shape ({num_envs},), not a {found}")
    if not mask.any():
        raise ValueError("options['reset_mask'] chooses no environment")
    return mask


def check_ids(env_ids: Any, num_envs: int) -> NDArray[np.intp]:
    """Environment numbers, each once."""
    ids = np.asarray(env_ids, np.intp)
    if (
        ids.ndim != 1
        or len(np.unique(ids)) != len(ids)
        or (len(ids) and not 0 <= ids.min() <= ids.max() < num_envs)
    ):
        raise ValueError(f"env_ids={ids.tolist()} must be distinct numbers from 0 to {num_envs - 1}")
    return ids


def whole_workers(ids: NDArray[np.intp], spans: Sequence[range], worker_of: Sequence[int]) -> list[int]:
    """The workers of these environments; a worker steps all of its environments or none."""
    workers = sorted({worker_of[index] for index in ids.tolist()})
    needed = sum(len(spans[worker]) for worker in workers)
    if needed != len(ids):
        groups = [list(spans[worker]) for worker in workers]
        raise ValueError(
            f"env_ids={ids.tolist()} is a part of what its workers hold: {groups}\n"
            "hint: send the env_ids that recv returned, or start one worker per environment"
        )
    return workers


def needed_envs(fraction: float, pending: int) -> int:
    """How many environments a fraction of the pending ones is: at least one."""
    if not 0.0 < fraction <= 1.0:
        raise ValueError(f"fraction={fraction} must be above 0 and at most 1")
    return max(1, math.ceil(fraction * pending))
