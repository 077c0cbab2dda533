"""Random legal actions in the caller's process: no message to any worker, all environments at once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

# Where environments tell which actions are legal, if nobody says where: methods, then keys of infos and
# observations.
MASK_METHODS = ("action_masks", "action_mask", "valid_action_mask", "get_action_mask", "get_action_masks")
MASK_KEYS = ("action_mask", "action_masks", "legal_actions")


def mask_size(action_space: Any) -> int:
    """How many booleans one mask has: one per action, for each part of a MultiDiscrete in turn."""
    if isinstance(action_space, spaces.Discrete):
        return int(action_space.n)
    if isinstance(action_space, spaces.MultiDiscrete) and len(action_space.shape) == 1:
        return int(action_space.nvec.sum())
    raise TypeError(
        f"masks need a Discrete or a flat MultiDiscrete action space, not {action_space}\n"
        "hint: leave mask=None and sample with action_space.sample()"
    )


def sample_masked(action_space: Any, masks: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """One action per row of `masks`, uniform over the legal ones, in the space of one environment."""
    rows = np.asarray(masks, np.bool_)
    if rows.ndim != 2 or rows.shape[1] != mask_size(action_space):
        raise ValueError(f"masks have shape {rows.shape}, expected (environments, {mask_size(action_space)})")
    if isinstance(action_space, spaces.Discrete):
        return _sample_part(rows, rng, "") + int(action_space.start)
    borders = np.cumsum(action_space.nvec)[:-1]
    parts = np.split(rows, borders, axis=1)
    columns = [_sample_part(part, rng, f" in part {at}") for at, part in enumerate(parts)]
    return np.stack(columns, axis=1) + np.asarray(action_space.start, np.int64)


def _sample_part(masks: NDArray[np.bool_], rng: np.random.Generator, where: str) -> NDArray[np.int64]:
    """Pick the k-th legal action of each row, k uniform."""
    ranks = np.cumsum(masks, axis=1, dtype=np.int64)
    counts = ranks[:, -1]
    if not counts.all():
        stuck = np.flatnonzero(counts == 0).tolist()
        raise ValueError(
            f"no action is allowed{where} for environments {stuck}\n"
            "hint: an environment without a legal action should end its episode, or allow a pass"
        )
    picks = rng.integers(0, counts)
    return np.asarray(np.argmax(ranks > picks[:, None], axis=1), np.int64)


def sample_unmasked(action_space: Any, batched_space: Any, num_envs: int, rng: np.random.Generator) -> Any:
    """One action per environment where there is no mask."""
    if isinstance(action_space, spaces.Discrete):
        low = int(action_space.start)
        return rng.integers(low, low + int(action_space.n), num_envs, dtype=np.int64)
    if isinstance(action_space, spaces.MultiDiscrete):
        size = (num_envs, *action_space.shape)
        return rng.integers(action_space.start, action_space.start + action_space.nvec, size, dtype=np.int64)
    return batched_space.sample()


def legal_action(
    env: Any, observation: Any, info: Any, mask_name: str | None, rng: np.random.Generator
) -> Any:
    """A random action of one environment, a legal one where a mask can be found."""
    mask = _mask_of(env, observation, info, mask_name)
    if mask is None:
        return env.action_space.sample()
    return sample_masked(env.action_space, mask.reshape(1, -1), rng)[0]


def _mask_of(env: Any, observation: Any, info: Any, mask_name: str | None) -> NDArray[np.bool_] | None:
    if not isinstance(env.action_space, (spaces.Discrete, spaces.MultiDiscrete)):
        return None
    has = getattr(env, "has_wrapper_attr", partial(hasattr, env))
    for name in MASK_METHODS if mask_name is None else (mask_name,):
        if has(name):
            found = getattr(env, "get_wrapper_attr", partial(getattr, env))(name)
            return _as_mask(env.action_space, found() if callable(found) else found)
    if mask_name is not None:
        return _as_mask(env.action_space, info[mask_name])
    for place in (info, observation):
        for key in MASK_KEYS if isinstance(place, Mapping) else ():
            if key in place:
                return _as_mask(env.action_space, place[key])
    return None


def _as_mask(action_space: Any, found: Any) -> NDArray[np.bool_]:
    """A mask as it is; a list of the legal actions as a mask."""
    values, size = np.asarray(found), mask_size(action_space)
    if values.size == size:
        return values.astype(np.bool_).reshape(-1)
    mask = np.zeros(size, np.bool_)
    mask[values.astype(np.int64) - int(action_space.start)] = True
    return mask
