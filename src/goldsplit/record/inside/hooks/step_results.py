"""How many environments a step was of, and how many of their episodes ended with it, from what it returned.

Read are the usual shapes: (obs, reward, terminated, truncated, info), (obs, reward, done, info) or (obs,
reward, done), each part a scalar, an array, a list, or a dict by agent; a list of such results, one for each
environment; a mapping or an object that names its flags; a time step that says itself whether it is the last.
Device tensors are never read: that would synchronise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Where a mapping or an object of results keeps its flags.
_ENDED = ("terminated", "terminations", "terminateds", "done", "dones", "is_done")
_CUT = ("truncated", "truncations", "truncateds")
#: RLlib's key for "all agents".
_ALL_AGENTS = "__all__"


def read_step(result: Any) -> tuple[int, int | None]:
    """Environment steps and ended episodes in one step's result; episodes None where it does not say."""
    if type(result) is tuple and len(result) >= 4 and type(result[2]) is bool:  # nearly always
        cut = result[3] if len(result) >= 5 else False
        if type(cut) is bool:
            return 1, int(result[2] or cut)
    if is_time_step(result):
        return _read_time_step(result)
    if isinstance(result, list | tuple) and result and all(map(_is_single_result, result)):
        return _add_up(read_step(one) for one in result)
    if isinstance(result, tuple) and len(result) >= 3:
        return _read_flags(*_flags_of_tuple(result))
    named = _named_flags(result)
    return (1, None) if named is None else _read_flags(*named)


def ended_places(result: Any) -> list[int]:
    """Which environments of a vector step's (terminated, truncated) arrays have ended."""
    ended, cut = _flags_of_tuple(result)
    both = [bool(one) for one in ended]
    if _is_batch(cut):
        both = [a or bool(b) for a, b in zip(both, cut, strict=True)]
    return [place for place, over in enumerate(both) if over]


def is_time_step(result: Any) -> bool:
    """Whether a result is one of dm_env's, or like one: an object may answer any question for an attribute,
    or raise what it likes."""
    kind = type(result)
    return hasattr(kind, "step_type") and callable(getattr(kind, "last", None))


def _read_time_step(result: Any) -> tuple[int, int]:
    """A step that returns a *first* time step has only begun a new episode: no move was made."""
    last = result.last()
    first: Any = result.first() if callable(getattr(type(result), "first", None)) else False
    if _is_batch(last):
        return len(last) - sum(map(bool, first)) if _is_batch(first) else len(last), sum(map(bool, last))
    return (0, 0) if first else (1, int(bool(last)))


def _add_up(parts: Any) -> tuple[int, int | None]:
    steps, episodes = 0, 0
    known = True
    for one, ended in parts:
        steps += one
        known = known and ended is not None
        episodes += ended or 0
    return steps, episodes if known else None


def _is_single_result(value: Any) -> bool:
    """Whether a value is itself what a step of one environment returns: not an observation of three parts."""
    if is_time_step(value):
        return True
    return (
        isinstance(value, tuple) and len(value) >= 3 and _is_flag(value[2]) and not isinstance(value[1], str)
    )


def _is_flag(value: Any) -> bool:
    return type(value) is bool or type(value).__name__ in ("bool_", "bool")


def _flags_of_tuple(result: tuple[Any, ...]) -> tuple[Any, Any]:
    """(terminated, truncated or False): at the usual places."""
    return result[2], result[3] if len(result) >= 5 else False


def _named_flags(result: Any) -> tuple[Any, Any] | None:
    """(terminated, truncated) of a result that names its parts, as a mapping or as a dataclass does."""
    if isinstance(result, Mapping):
        values: Any = result
    else:
        values = getattr(result, "__dict__", None)  # no `getattr` by name: it may run the user's code
        if not isinstance(values, dict):
            return None
    ended = next((values[name] for name in _ENDED if name in values), None)
    if ended is None:
        return None
    return ended, next((values[name] for name in _CUT if name in values), False)


def _read_flags(ended: Any, cut: Any) -> tuple[int, int | None]:
    if isinstance(ended, dict):
        return 1, int(_all_agents(ended, cut))
    batch = _is_batch(ended)
    size = len(ended) if batch else 1
    if hasattr(ended, "device") and hasattr(ended, "detach"):  # a tensor, read without counting as a read
        if ended.device.type != "cpu":
            return size, None
        ended = ended.detach().__array__()
        cut = cut.detach().__array__() if hasattr(cut, "detach") else cut
    if not batch:
        return 1, int(bool(ended) or bool(cut))
    if hasattr(ended, "sum") and not isinstance(cut, list | tuple):  # `list != 0` is one bool, not many
        both = (ended != 0) | (cut != 0) if _is_batch(cut) else ended != 0
        if getattr(both, "ndim", 1) > 1:  # by environment and agent: an episode ends when all of a row have
            both = both.reshape(size, -1).all(1)
        return size, int(both.sum())
    cuts: Any = cut if _is_batch(cut) else [False] * size
    return size, sum(bool(a) or bool(b) for a, b in zip(ended, cuts, strict=True))


def _all_agents(ended: dict[Any, Any], cut: Any) -> bool:
    if _ALL_AGENTS in ended:
        return _true(ended, cut, _ALL_AGENTS)
    return bool(ended) and all(_true(ended, cut, agent) for agent in ended)


def _true(ended: dict[Any, Any], cut: Any, agent: Any) -> bool:
    return bool(ended[agent]) or (isinstance(cut, dict) and bool(cut.get(agent, False)))


def _is_batch(value: Any) -> bool:
    dimensions = getattr(value, "ndim", None)
    if dimensions is not None:
        return bool(dimensions >= 1)
    return isinstance(value, list | tuple)
