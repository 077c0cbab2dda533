"""What reset and step return, in one form for all environments.

It reads the forms that record/inside/hooks/step_results.py reads.
"""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

#: How an environment may say that the episode is over, if its step does not return that.
_OVER_NAMES = ("done", "is_done", "game_over", "is_over", "is_game_over", "is_terminal", "finished", "over")


class Outcome(NamedTuple):
    """One step."""

    observation: Any
    reward: Any
    ended: Any
    """True or False, an array of them for a batch, or None: not known."""
    info: Any


def read_reset(result: Any) -> tuple[Any, Any]:
    """Observation and info."""
    if is_time_step(result):
        return result.observation, {}
    if isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], dict):
        return result
    return result, {}


def read_step(result: Any, env: Any, batch: bool = False) -> Outcome:
    """Observation, reward, end and info of one step."""
    if type(result) is not tuple and is_time_step(result):
        return Outcome(result.observation, result.reward, bool(result.last()), {})
    if not isinstance(result, tuple) or len(result) < 3:
        observation, reward = result[:2] if isinstance(result, tuple) and len(result) == 2 else (result, None)
        return Outcome(observation, reward, None if batch else is_over(env), {})
    observation, reward, ended = result[:3]
    last: Any = result[-1] if len(result) > 3 else {}
    cut: Any = result[3] if len(result) >= 5 else False
    if isinstance(last, bool):  # four parts, and the last one is no info
        cut, last = last, {}
    if isinstance(ended, dict):
        return Outcome(observation, reward, _all_ended(ended, cut), last)
    if batch:
        return Outcome(observation, reward, _bools(ended) | _bools(cut), last)
    return Outcome(observation, reward, bool(ended) or bool(cut), last)


def is_time_step(result: Any) -> bool:
    """Whether a result itself says which kind of step it is (dm_env)."""
    return hasattr(result, "step_type") and callable(getattr(result, "last", None))


def is_over(env: Any) -> bool | None:
    """Whether the environment itself says that the episode is over; None: it does not say."""
    for name in _OVER_NAMES:
        found = getattr(env, name, None)
        if isinstance(found, bool):
            return found
        if callable(found):
            try:
                return bool(found())
            except TypeError:
                continue
    return None


def _all_ended(ended: dict[Any, Any], cut: Any) -> bool:
    """With several agents, the episode is over when it is over for all."""
    cuts = cut if isinstance(cut, dict) else {}
    if "__all__" in ended:
        return bool(ended["__all__"]) or bool(cuts.get("__all__", False))
    return all(bool(end) or bool(cuts.get(agent, False)) for agent, end in ended.items())


def _bools(value: Any) -> Any:
    import numpy

    if hasattr(value, "detach"):
        value = value.detach().cpu()
    return numpy.asarray(value).astype(bool)


def takes_seed(reset: Any) -> bool:
    """Whether a reset has a parameter for the seed."""
    try:
        return "seed" in inspect.signature(reset).parameters
    except (TypeError, ValueError):
        return False
