"""A masked categorical distribution for rollouts: sample, log-probability and entropy in one compiled pass.

For acting, where no gradient is wanted: logits come in as a NumPy array (``tensor.cpu().numpy()``), actions
go out as one. ``categorical_torch`` is the differentiable twin for the update.

    rng = np.random.default_rng(0)
    draw = sample(logits, mask, rng=rng)          # draw.actions, draw.log_probs, draw.entropies

Logits have shape (..., actions); the mask has the same shape, or (actions,) for all rows, and is True where
an action is allowed. Rows must allow an action; logits may be -inf (never chosen) but not NaN or +inf.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

__all__ = ["Draw", "entropy", "log_prob", "mode", "sample"]

FloatArray = NDArray[np.floating[Any]]
IntArray = NDArray[np.int64]

_FINE, _NOTHING_ALLOWED, _NOT_A_NUMBER, _FORBIDDEN_ACTION, _NO_SUCH_ACTION = range(5)


class Draw(NamedTuple):
    """One action per row, its log-probability, and the entropy of the row's distribution."""

    actions: IntArray
    log_probs: FloatArray
    entropies: FloatArray


def sample(logits: ArrayLike, mask: ArrayLike | None = None, *, rng: np.random.Generator) -> Draw:
    """Draw one allowed action per row. The same generator state gives the same actions."""
    rows, allowed, shape = _checked(logits, mask)
    uniforms = rng.random(len(rows))
    draw = Draw(np.empty(len(rows), np.int64), *_pair_like(rows))
    _raise_for(_sample(rows, allowed, uniforms, *draw), rows, draw.actions)
    return _shaped(draw, shape)


def mode(logits: ArrayLike, mask: ArrayLike | None = None) -> Draw:
    """The likeliest allowed action of each row (the first of equals), with log-probability and entropy."""
    rows, allowed, shape = _checked(logits, mask)
    # A negative uniform asks for the likeliest action.
    uniforms = np.full(len(rows), -1.0)
    draw = Draw(np.empty(len(rows), np.int64), *_pair_like(rows))
    _raise_for(_sample(rows, allowed, uniforms, *draw), rows, draw.actions)
    return _shaped(draw, shape)


def log_prob(logits: ArrayLike, actions: ArrayLike, mask: ArrayLike | None = None) -> FloatArray:
    """Log-probability of given actions; an action that the mask forbids is refused, not given -inf."""
    rows, allowed, shape = _checked(logits, mask)
    chosen = np.asarray(actions)
    if chosen.shape != shape or chosen.dtype.kind not in "iu":
        raise ValueError(
            f"actions must be integers of shape {shape} to go with logits, got shape {chosen.shape} "
            f"and dtype {chosen.dtype}"
        )
    flat = np.ascontiguousarray(chosen, np.int64).reshape(-1)
    log_probs, entropies = _pair_like(rows)
    _raise_for(_evaluate(rows, allowed, flat, log_probs, entropies), rows, flat)
    return log_probs.reshape(shape)


def entropy(logits: ArrayLike, mask: ArrayLike | None = None) -> FloatArray:
    """Entropy of each row over its allowed actions, in nats."""
    rows, allowed, shape = _checked(logits, mask)
    log_probs, entropies = _pair_like(rows)
    no_actions = np.empty(0, np.int64)
    _raise_for(_evaluate(rows, allowed, no_actions, log_probs, entropies), rows, no_actions)
    return entropies.reshape(shape)


def _shaped(draw: Draw, shape: tuple[int, ...]) -> Draw:
    return Draw(draw.actions.reshape(shape), draw.log_probs.reshape(shape), draw.entropies.reshape(shape))


def _pair_like(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    return np.empty(len(rows), rows.dtype), np.empty(len(rows), rows.dtype)


def _checked(
    logits: ArrayLike, mask: ArrayLike | None
) -> tuple[FloatArray, NDArray[np.bool_], tuple[int, ...]]:
    """Logits as (rows, actions) in float32 or float64, the mask as the same, (1, actions) or empty."""
    given = np.asarray(logits)
    if given.ndim == 0 or given.shape[-1] == 0:
        raise ValueError(f"logits must have shape (..., actions), got {given.shape}")
    number: Any = np.float32 if given.dtype == np.float32 else np.float64
    rows: FloatArray = np.ascontiguousarray(given, dtype=number).reshape(-1, given.shape[-1])
    allowed = np.empty((0, 0), np.bool_)
    if mask is not None:
        allowed = np.ascontiguousarray(mask, dtype=np.bool_)
        if allowed.shape not in (given.shape, given.shape[-1:]):
            raise ValueError(f"mask must have shape {given.shape} to go with logits, got {allowed.shape}")
        allowed = allowed.reshape(-1, given.shape[-1])
    return rows, allowed, given.shape[:-1]


def _raise_for(found: tuple[int, int], rows: FloatArray, actions: IntArray) -> None:
    """Turn what a kernel found wrong into an error that names the row."""
    status, row = found
    if status == _FINE:
        return
    if status == _NOTHING_ALLOWED:
        raise ValueError(
            f"no action can be chosen in row {row} of {len(rows)}: all {rows.shape[1]} are masked or -inf\n"
            "hint: an environment must allow at least one action, for example passing, until its episode ends"
        )
    if status == _NOT_A_NUMBER:
        raise ValueError(f"logits of row {row} hold NaN or +inf: {rows[row].tolist()}")
    if status == _FORBIDDEN_ACTION:
        raise ValueError(
            f"action {actions[row]} of row {row} has no probability: it is masked or its logit is -inf\n"
            "hint: keep the mask that the action was chosen under and pass that one"
        )
    raise ValueError(f"action {actions[row]} of row {row} is outside 0..{rows.shape[1] - 1}")


@njit(cache=True)
def _row_weights(logits: Any, allowed: Any, masked: bool, weights: Any) -> Any:
    """Unnormalised probabilities of one row: status, largest logit, their sum, and the entropy."""
    top = -np.inf
    for a in range(logits.size):
        if not masked or allowed[a]:
            if not logits[a] < np.inf:
                return _NOT_A_NUMBER, 0.0, 0.0, 0.0
            top = max(top, float(logits[a]))
    if top == -np.inf:
        return _NOTHING_ALLOWED, 0.0, 0.0, 0.0
    total, weighted = 0.0, 0.0
    for a in range(logits.size):
        weights[a] = 0.0
        if not masked or allowed[a]:
            shifted = float(logits[a]) - top
            weight = math.exp(shifted)
            if weight > 0.0:
                weights[a] = weight
                total += weight
                weighted += weight * shifted
    return _FINE, top, total, math.log(total) - weighted / total


@njit(cache=True)
def _chosen(weights: Any, total: float, uniform: float) -> int:
    """Inverse CDF; a negative uniform asks for the largest weight. Never an action of weight 0."""
    if uniform < 0.0:
        return int(np.argmax(weights))
    target, passed, last = uniform * total, 0.0, 0
    for a in range(weights.size):
        if weights[a] > 0.0:
            passed += weights[a]
            last = a
            if passed > target:
                break
    return last


@njit(cache=True)
def _sample(
    logits: Any, mask: Any, uniforms: Any, actions: Any, log_probs: Any, entropies: Any
) -> tuple[int, int]:
    weights = np.empty(logits.shape[1])
    for row in range(logits.shape[0]):
        allowed = mask[row if mask.shape[0] > 1 else 0] if mask.size else mask.reshape(-1)
        status, top, total, spread = _row_weights(logits[row], allowed, mask.size > 0, weights)
        if status != _FINE:
            return status, row
        action = _chosen(weights, total, uniforms[row])
        actions[row] = action
        log_probs[row] = logits[row, action] - top - math.log(total)
        entropies[row] = spread
    return _FINE, 0


@njit(cache=True)
def _evaluate(logits: Any, mask: Any, actions: Any, log_probs: Any, entropies: Any) -> tuple[int, int]:
    """Entropy of each row and, if there are any, the log-probability of its action."""
    weights = np.empty(logits.shape[1])
    for row in range(logits.shape[0]):
        allowed = mask[row if mask.shape[0] > 1 else 0] if mask.size else mask.reshape(-1)
        status, top, total, spread = _row_weights(logits[row], allowed, mask.size > 0, weights)
        if status != _FINE:
            return status, row
        entropies[row] = spread
        if actions.size:
            action = actions[row]
            if action < 0 or action >= logits.shape[1]:
                return _NO_SUCH_ACTION, row
            if logits[row, action] == -np.inf or (mask.size and not allowed[action]):
                return _FORBIDDEN_ACTION, row
            log_probs[row] = logits[row, action] - top - math.log(total)
    return _FINE, 0
