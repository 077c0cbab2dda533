"""Advantages and returns of a rollout, compiled: GAE and n-step, over arrays of shape (T, N) or (T,).

What the arrays mean, for step t of environment n:

- ``rewards[t, n]``: the reward of the action taken at t;
- ``values[t, n]``: the value of the observation that the action was chosen from;
- ``ends[t, n]``: True if the episode ended *with* this step, by termination or by truncation, so that the
  observation at t + 1 belongs to another episode. This is ``terminated | truncated`` as the step returned
  them, and not SB3's ``episode_starts``: ``ends[t] = episode_starts[t + 1]``, ``ends[T - 1] = dones``;
- ``last_values[n]``: the value of the observation after the last step; not read where ``ends[T - 1]``.

An ended episode has no future, so nothing is bootstrapped over an end. A *truncated* episode had one: pass
``truncated`` and ``final_values`` (the value of the episode's last observation, Gymnasium's ``final_obs``;
read only where ``truncated``), and those steps bootstrap from it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

__all__ = ["Advantages", "gae", "n_step_returns"]

FloatArray = NDArray[np.floating[Any]]
BoolArray = NDArray[np.bool_]
NARROW = 32
"""Below this many environments a plain double loop beats vector instructions over rows."""
SINGLE, DOUBLE, TRUTH = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.bool_)
NOTHING_CUT = np.empty((0, 0), TRUTH)
NO_FINAL_VALUES = {number: np.empty((0, 0), number) for number in (SINGLE, DOUBLE)}


class Advantages(NamedTuple):
    """What ``gae`` gives: ``returns`` are ``advantages + values``, the targets of the value function."""

    advantages: FloatArray
    returns: FloatArray


class _Rollout(NamedTuple):
    """Checked inputs, all of shape (T, N) but ``last_values`` (N,); the last two may be empty."""

    rewards: FloatArray
    values: FloatArray
    ends: BoolArray
    last_values: FloatArray
    truncated: BoolArray
    final_values: FloatArray
    shape: tuple[int, ...]


def gae(
    rewards: ArrayLike,
    values: ArrayLike,
    ends: ArrayLike,
    last_values: ArrayLike,
    gamma: float,
    lam: float,
    *,
    truncated: ArrayLike | None = None,
    final_values: ArrayLike | None = None,
    out: Advantages | None = None,
) -> Advantages:
    """Generalised advantage estimation (Schulman et al. 2016). The module says what the arrays mean.

    Computed in float32 if rewards, values and last_values all are, else in float64. ``out`` takes the result
    of an earlier call with the same shape and dtype.
    """
    gained, valued, end_mask, last, cut, final, shape = _checked(
        rewards, values, ends, last_values, truncated, final_values
    )
    number = gained.dtype
    if out is None:
        out = Advantages(np.empty(shape, number), np.empty(shape, number))
    advantages = _checked_out(out[0], "advantages", shape, number)
    returns = _checked_out(out[1], "returns", shape, number)
    if cut.size:
        # A truncated step gains the discounted value of where it stopped, and then ends like any other.
        gained = np.where(cut, gained + number.type(gamma) * final, gained)
    _gae(gained, valued, end_mask, last, float(gamma), float(lam), advantages, returns)
    return out


def _checked_out(array: FloatArray, name: str, shape: tuple[int, ...], number: np.dtype[Any]) -> FloatArray:
    """One output as (T, N)."""
    if array.shape != shape or array.dtype != number or not array.flags.c_contiguous:
        raise ValueError(
            f"out.{name} must be C-contiguous of shape {shape} and dtype {number}, "
            f"got shape {array.shape} and dtype {array.dtype}"
        )
    return array if len(shape) == 2 else array[:, None]


def n_step_returns(
    rewards: ArrayLike,
    values: ArrayLike,
    ends: ArrayLike,
    last_values: ArrayLike,
    gamma: float,
    n: int,
    *,
    truncated: ArrayLike | None = None,
    final_values: ArrayLike | None = None,
) -> FloatArray:
    """Up to ``n`` discounted rewards from each step on, plus the discounted value of where they lead.

    The sum stops early at the end of an episode (nothing is added there, or ``final_values`` where it was
    truncated) and at the end of the rollout (``last_values``).
    """
    if n < 1:
        raise ValueError(f"n must be at least 1, got {n}")
    rollout = _checked(rewards, values, ends, last_values, truncated, final_values)
    number = rollout.rewards.dtype.type
    out = np.empty(rollout.rewards.shape, number)
    _n_step(*rollout[:6], number(gamma), n, out)
    return out.reshape(rollout.shape)


def _checked(
    rewards: ArrayLike,
    values: ArrayLike,
    ends: ArrayLike,
    last_values: ArrayLike,
    truncated: ArrayLike | None,
    final_values: ArrayLike | None,
) -> _Rollout:
    gained, valued, last = np.asarray(rewards), np.asarray(values), np.asarray(last_values)
    number = SINGLE if gained.dtype == valued.dtype == last.dtype == SINGLE else DOUBLE
    shape = gained.shape
    if not 1 <= len(shape) <= 2 or gained.size == 0:
        raise ValueError(f"rewards must have shape (T, N) or (T,) and not be empty, got {shape}")
    if (truncated is None) != (final_values is None):
        missing = "final_values" if final_values is None else "truncated"
        raise ValueError(
            f"truncated and final_values go together, but {missing} is missing\n"
            "hint: final_values holds the value of the last observation of each truncated episode"
        )
    end_mask = _table(np.asarray(ends), "ends", shape, TRUTH)
    cut, final = NOTHING_CUT, NO_FINAL_VALUES[number]
    if truncated is not None and final_values is not None:
        cut = _table(np.asarray(truncated), "truncated", shape, TRUTH)
        final = _table(np.asarray(final_values), "final_values", shape, number)
        if (cut & ~end_mask).any():
            step, env = np.argwhere(cut & ~end_mask)[0].tolist()
            raise ValueError(
                f"truncated is True at step {step} of environment {env} where ends is False\n"
                "hint: ends holds every end of an episode, terminated | truncated"
            )
    if last.shape != shape[1:]:
        raise ValueError(f"last_values must have shape {shape[1:]} to go with rewards, got {last.shape}")
    return _Rollout(
        _table(gained, "rewards", shape, number),
        _table(valued, "values", shape, number),
        end_mask,
        np.ascontiguousarray(last, dtype=number),  # of one dimension, even for a single environment
        cut,
        final,
        shape,
    )


def _table(array: NDArray[Any], name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """One input as (T, N) in the dtype of the kernel; the caller's shape must be that of rewards."""
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape} to go with rewards, got {array.shape}")
    table = np.ascontiguousarray(array, dtype=dtype)
    return table if table.ndim == 2 else table[:, None]


@njit(cache=True)
def _gae_row(
    r: Any, v: Any, e: Any, a: Any, q: Any, future: Any, first: Any, envs: Any, gamma: Any, decay: Any
) -> None:
    """One step of all environments, from ``first`` on in flat arrays: with unsigned indices the compiler does
    several environments at once."""
    zero = r.dtype.type(0)
    for n in range(envs):
        i = first + n
        value = v[i]
        # Chosen, not multiplied by zero: a NaN from beyond the end must not leak in.
        advantage = r[i] - value + (zero if e[i] else future[n])
        a[i] = advantage
        q[i] = advantage + value
        future[n] = gamma * value + decay * advantage


@njit(cache=True)
def _gae_narrow(r: Any, v: Any, e: Any, a: Any, q: Any, future: Any, gamma: Any, decay: Any) -> None:
    """All steps of few environments. Apart from ``_gae``, which the compiler makes slower with it inside."""
    steps, envs = r.shape
    zero = r.dtype.type(0)
    for t in range(steps - 1, -1, -1):
        for n in range(envs):
            value = v[t, n]
            advantage = r[t, n] - value + (zero if e[t, n] else future[n])
            a[t, n] = advantage
            q[t, n] = advantage + value
            future[n] = gamma * value + decay * advantage


@njit(cache=True)
def _gae(
    rewards: Any,
    values: Any,
    ends: Any,
    last_values: Any,
    gamma: float,
    lam: float,
    advantages: Any,
    returns: Any,
) -> None:
    steps, envs = rewards.shape
    number = rewards.dtype.type
    discount = number(gamma)
    decay = discount * number(lam)
    # What each environment's next step is worth to the one before it. In a row of its own, which stays in the
    # cache: the rows of the other arrays often lie whole pages apart and push each other out of it.
    future = discount * last_values
    if envs < NARROW:
        _gae_narrow(rewards, values, ends, advantages, returns, future, discount, decay)
        return
    r, v, e = rewards.reshape(-1), values.reshape(-1), ends.reshape(-1)
    a, q = advantages.reshape(-1), returns.reshape(-1)
    for t in range(steps - 1, -1, -1):
        _gae_row(r, v, e, a, q, future, np.uint64(t * envs), np.uint64(envs), discount, decay)


@njit(cache=True)
def _n_step(
    rewards: Any,
    values: Any,
    ends: Any,
    last_values: Any,
    truncated: Any,
    final_values: Any,
    gamma: Any,
    n: int,
    out: Any,
) -> None:
    steps, envs = rewards.shape
    for t in range(steps):
        for env in range(envs):
            total, discount = 0.0, 1.0
            last = min(t + n, steps) - 1
            for k in range(t, last + 1):
                total += discount * rewards[k, env]
                discount *= gamma
                if ends[k, env]:
                    last = k
                    break
            if not ends[last, env]:
                total += discount * (values[last + 1, env] if last + 1 < steps else last_values[env])
            elif truncated.size and truncated[last, env]:
                total += discount * final_values[last, env]
            out[t, env] = total
