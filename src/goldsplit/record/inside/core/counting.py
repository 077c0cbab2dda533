"""Count: calls, environment steps, updates. What `counting.c` does, in Python, held to the same tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from goldsplit.record.inside.core.act_or_learn import settle_forward
from goldsplit.record.inside.core.failures import swallow
from goldsplit.record.inside.core.spans import this_thread
from goldsplit.record.inside.core.state_fields import Shared

#: Where calls come from is looked at after the first at a place and then once in so many: walking the stack
#: costs as much as about ten spans. A prime: loops of two or four calls are common.
LOOK_EVERY = 67
#: At this one of so many steps the hook is called, to look at its info: not the first, which may be unlike
#: the others.
LOOK_AT_STEP_EVERY, LOOK_AT_STEP = 256, 40


def count_one(key: str) -> None:
    """Add one to a counter of this thread."""
    try:
        counts = this_thread().counts
        counts[key] = counts.get(key, 0) + 1
    except Exception as error:
        if not swallow("a counter", error):
            raise


def count_step(state: Any, node: Any, args: tuple[Any, ...], result: Any) -> None:
    """After one call of an environment's step; what is not of the most usual shape is left to the hook."""
    steps_key, episodes_key = node.steps_key, node.episodes_key
    is_known = steps_key is not None and episodes_key is not None
    outcome = _outcome(result) if is_known and not Shared.is_watched else None
    if outcome is None or node.count % LOOK_AT_STEP_EVERY == LOOK_AT_STEP:
        return Shared.unusual_step(state, node, args, result)
    if state.undecided or state.unproved:
        settle_forward(False)
    state.forward_ns = 0
    Shared.progress_ns = state.ended_ns
    counts = state.counts
    steps, episodes = outcome
    counts[steps_key] = counts.get(steps_key, 0) + steps
    if episodes:
        counts[episodes_key] = counts.get(episodes_key, 0) + episodes


def _outcome(result: Any) -> tuple[int, int] | None:
    """How many environments a step was of, and how many of their episodes ended with it; None for a result
    that is not of the most usual shapes, (observation, reward, terminated, truncated, info) or with one
    `done`; each of them a bool, a list of bools or an array of bools."""
    if type(result) is not tuple or len(result) < 3:
        return None
    flags = result[2:4] if len(result) >= 5 else result[2:3]
    if all(map(_is_flag, flags)):
        return 1, int(any(flags))
    if not all(map(_are_flags, flags)) or len(flags[0]) != len(flags[-1]):
        return None
    if all(map(_is_array, flags)):
        return len(flags[0]), int((flags[0] | flags[-1]).sum())
    return None if any(map(_is_array, flags)) else (len(flags[0]), sum(map(any, zip(*flags, strict=True))))


def _is_flag(value: Any) -> bool:
    kind = type(value)
    return kind is bool or (kind.__module__ == "numpy" and kind.__name__ in ("bool", "bool_"))


def _are_flags(value: Any) -> bool:
    if _is_array(value):
        return bool(value.ndim == 1 and value.dtype.char == "?" and value.flags.c_contiguous)
    return type(value) in (list, tuple) and all(map(_is_flag, value))


def _is_array(value: Any) -> bool:
    return type(value).__module__ == "numpy" and type(value).__name__ == "ndarray"


def count_update(state: Any, node: Any, args: tuple[Any, ...], result: Any) -> None:
    """After one call of an optimizer's step, of which there may be several."""
    key = Shared.update_keys.get(id(args[0])) if args else None
    if Shared.is_watched or key is None or node.count % LOOK_EVERY == 1:
        return Shared.unusual_update(state, node, args, result)
    state.forward_ns = 0
    Shared.progress_ns = state.ended_ns
    state.counts[key] = state.counts.get(key, 0) + 1


def leave_steps_to(unusual: Callable[..., None]) -> None:
    """The hook that counts the steps that are not counted here."""
    Shared.unusual_step = staticmethod(unusual)


def leave_updates_to(unusual: Callable[..., None], update_keys: dict[int, str]) -> None:
    """The hook that counts the updates that are not counted here; the counters of the known optimizers."""
    Shared.unusual_update, Shared.update_keys = staticmethod(unusual), update_keys


def set_watched(is_watched: bool) -> None:
    """Whether `on_beat` is called after every step and update: then all of them are left to the hooks."""
    Shared.is_watched = is_watched


def last_progress_ns() -> int:
    """When the last step or update ended."""
    return Shared.progress_ns


def set_last_progress_ns(time_ns: int) -> None:
    """When the last step or update ended that was counted elsewhere."""
    Shared.progress_ns = time_ns
